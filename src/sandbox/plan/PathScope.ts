import { Effect } from "effect"
import type { Intent } from "../../workspace/Workspace.ts"
import { isInside } from "../../platform/FilePath.ts"
import { isNarrow, writes } from "../SandboxModes.ts"
import type { DiskView } from "./DiskView.ts"
import { nearest } from "./HiddenPaths.ts"

/**
 * What Postern's own file tools may touch: the view of the disk that a command in the same mode gets
 * (docs/sandbox.md#file-tools).
 */
export interface PathScope {
  /** Why a canonical path is out of reach, in words; `undefined` where it is not. */
  readonly refusal: (path: string, intent: Intent) => string | undefined
  /** The same for writing to a path that {@link refusal} leaves, where a command would find it read-only. */
  readonly protection: (path: string) => Effect.Effect<string | undefined>
  /** Whether something inside the session's folders is hidden. */
  readonly hides: boolean
}

const devices: ReadonlySet<string> = new Set(["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"])

/** The length of the deepest of these folders that contains the path; -1 if none does. */
export const deepest = (folders: ReadonlyArray<string>, path: string): number =>
  folders.reduce((depth, folder) => isInside(folder, path) ? Math.max(depth, folder.length) : depth, -1)

export const everything: PathScope = { refusal: () => undefined, protection: () => Effect.undefined, hides: false }

/** Computed on first use: most calls never need it. */
export const lazy = (find: () => PathScope): PathScope => {
  let found: PathScope | undefined
  const reach = () => found ??= find()
  return {
    refusal: (...asked) => reach().refusal(...asked),
    protection: (path) => Effect.suspend(() => reach().protection(path)),
    get hides() {
      return reach().hides
    }
  }
}

/** `isGuarded`: whether a command finds the path read-only in a workspace it can write to, or would as soon as it is there. */
export const of = (
  view: Pick<DiskView, "mode" | "roots" | "readable" | "masks" | "visible">,
  isGuarded: (path: string) => Effect.Effect<boolean>
): PathScope => {
  const { mode, readable, roots } = view
  if (mode === "danger-full-access") return everything
  const shown = new Set([...roots, ...readable, ...view.visible.map(({ path }) => path)])
  const hidden = new Set(view.masks.map(({ path }) => path))
  const depth = (folders: ReadonlySet<string>, path: string): number =>
    nearest((at) => folders.has(at), path)?.length ?? -1
  return {
    protection: (path) =>
      Effect.map(
        isGuarded(path),
        (is) =>
          is
            ? `the Sandbox mode ${mode} protects it: programs outside the sandbox run or obey what is in it.`
            : undefined
      ),
    hides: view.masks.some(({ path }) => roots.concat(readable).some((folder) => isInside(folder, path))),
    refusal: (path, intent) => {
      if (devices.has(path)) return undefined
      if (intent === "write" && !writes(mode)) return `the Sandbox mode ${mode} lets nothing be written.`
      const mask = depth(hidden, path)
      // A home folder that a session was opened in is there, without what is hidden in it.
      const isOpened = intent === "read" && roots.includes(path)
      if (mask >= 0 && mask >= depth(shown, path) && !isOpened) {
        return "the sandbox hides it: it may hold credentials or another program's own state."
      }
      if (intent === "write") {
        if (deepest(roots, path) < 0) return `the Sandbox mode ${mode} lets only the session's folders be written to.`
        return undefined
      }
      return isNarrow(mode) && depth(shown, path) < 0
        ? `the Sandbox mode ${mode} shows nothing outside the session's folders.`
        : undefined
    }
  }
}
