import { isInside } from "../../platform/FilePath.ts"
import { type SandboxRequest, SandboxUnavailable } from "../Confinement.ts"
import * as Disk from "../Disk.ts"
import { writes } from "../Modes.ts"
import * as ProtectedPaths from "./ProtectedPaths.ts"
import * as PathScope from "./PathScope.ts"
import { refuse, refusedFolders } from "./RefusedFolders.ts"
import type { HostEnvironment } from "./Surroundings.ts"
import { type DiskView, foldersOf, hiddenPaths, viewOf, type ViewRequest } from "./View.ts"

/** One call's view of the disk, found out right before it runs. Backends turn it into their own words. */
export interface Plan extends DiskView {
  readonly network: boolean
  readonly cwd: string
  readonly pinned: ReadonlyArray<string>
  readonly readOnly: ReadonlyArray<string>
  /** Those of `readOnly` without which the call must not run. */
  readonly required: ReadonlyArray<string>
  readonly watched: ReadonlyArray<string>
}

/** The same view for Postern's own tools. */
export const reach = (wanted: ViewRequest, surroundings: HostEnvironment): PathScope.PathScope => {
  if (wanted.mode === "danger-full-access") return PathScope.everything
  const view = viewOf(wanted, hiddenPaths(wanted, surroundings), surroundings)
  return PathScope.of(view, writes(wanted.mode) ? ProtectedPaths.guarded(wanted.roots) : [])
}

/** What a command must find as it is in folders that it can write to. */
const keptIn = (
  { readOnly = [], mode, roots: named }: SandboxRequest,
  roots: ReadonlyArray<string>
): Pick<Plan, "readOnly" | "required" | "watched"> | SandboxUnavailable => {
  if (mode !== "workspace-write") return { readOnly: [], required: [], watched: [] }
  const found = ProtectedPaths.find(named, roots)
  if ("linked" in found) {
    return refuse(
      `${found.linked} is a symbolic link on the way to a protected path, and a command could replace it.`,
      "Replace the link by a real file or folder, or use the session in mode read-only."
    )
  }
  const required = Disk.existing(readOnly).filter((path) => roots.some((root) => isInside(root, path)))
  return { readOnly: [...new Set([...found.readOnly, ...required])], required, watched: found.watched }
}

/** Fails where the call cannot be confined as asked; nothing is left out silently (docs/sandbox.md#failing-closed). */
export const make = (request: SandboxRequest, surroundings: HostEnvironment): Plan | SandboxUnavailable => {
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
    pinned: [],
    readOnly: [],
    watched: [],
    programs: [],
    required: []
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
    pinned: mode === "workspace-write"
      ? ProtectedPaths.pins(roots, [...held.readOnly, ...view.masks.map(({ path }) => path)])
      : []
  }
}
