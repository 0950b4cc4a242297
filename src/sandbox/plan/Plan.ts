import { isInside } from "../../platform/FilePath.ts"
import { type Request, SandboxUnavailable } from "../Confinement.ts"
import * as Disk from "../Disk.ts"
import { writes } from "../Modes.ts"
import * as Protected from "./ProtectedPaths.ts"
import * as Reach from "./PathScope.ts"
import { refuse, refusedFolders } from "./RefusedFolders.ts"
import type { Surroundings } from "./Surroundings.ts"
import { foldersOf, hiddenPaths, type View, viewOf, type Wanted } from "./View.ts"

/** One call's view of the disk, found out right before it runs. Backends turn it into their own words. */
export interface Plan extends View {
  readonly network: boolean
  readonly cwd: string
  readonly pins: ReadonlyArray<string>
  readonly kept: ReadonlyArray<string>
  /** Those of `kept` without which the call must not run. */
  readonly firm: ReadonlyArray<string>
  readonly watched: ReadonlyArray<string>
}

/** The same view for Postern's own tools. */
export const reach = (wanted: Wanted, surroundings: Surroundings): Reach.Reach => {
  if (wanted.mode === "danger-full-access") return Reach.everything
  const view = viewOf(wanted, hiddenPaths(wanted, surroundings), surroundings)
  return Reach.of(view, writes(wanted.mode) ? Protected.guarded(wanted.roots) : [])
}

/** What a command must find as it is in folders that it can write to. */
const keptIn = (
  { kept = [], mode, roots: named }: Request,
  roots: ReadonlyArray<string>
): Pick<Plan, "kept" | "firm" | "watched"> | SandboxUnavailable => {
  if (mode !== "workspace-write") return { kept: [], firm: [], watched: [] }
  const found = Protected.find(named, roots)
  if ("linked" in found) {
    return refuse(
      `${found.linked} is a symbolic link on the way to a protected path, and a command could replace it.`,
      "Replace the link by a real file or folder, or use the session in mode read-only."
    )
  }
  const firm = Disk.existing(kept).filter((path) => roots.some((root) => isInside(root, path)))
  return { kept: [...new Set([...found.kept, ...firm])], firm, watched: found.watched }
}

/** Fails where the call cannot be confined as asked; nothing is left out silently (policy §5.1). */
export const make = (request: Request, surroundings: Surroundings): Plan | SandboxUnavailable => {
  const { cwd, mode, network } = request
  const { readable, roots } = foldersOf(request)
  const base = {
    mode,
    network,
    cwd,
    roots,
    readable,
    masks: [],
    visible: [],
    pins: [],
    kept: [],
    watched: [],
    programs: [],
    firm: []
  }
  const refused = refusedFolders(request, { readable, roots }, surroundings)
  if (refused !== undefined) return refused
  if (mode === "danger-full-access") return base

  const hidden = hiddenPaths(request, surroundings)
  const covered = roots.find((root) => hidden.includes(root))
  if (covered !== undefined) {
    return refuse(`${covered} is a folder that the sandbox hides.`, "Open the session in a project folder.")
  }
  const held = keptIn(request, roots)
  if (held instanceof SandboxUnavailable) return held
  const view = viewOf(request, hidden, surroundings)
  return {
    ...base,
    ...view,
    ...held,
    // What is hidden by its path must stay there, too: the next call looks for it there.
    pins: mode === "workspace-write" ? Protected.pins(roots, [...held.kept, ...view.masks.map(({ path }) => path)]) : []
  }
}
