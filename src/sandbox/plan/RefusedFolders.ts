import { isInside } from "../../platform/FilePath.ts"
import { type SandboxRequest, SandboxUnavailable } from "../Confinement.ts"
import * as Disk from "../Disk.ts"
import { isNarrow } from "../Modes.ts"
import type { HostEnvironment } from "./Surroundings.ts"
import type { DiskView } from "./View.ts"

/** Folders that no call may be confined to, whatever a backend can do. */

export const refuse = (missing: string, remedy: string) => new SandboxUnavailable({ missing, remedy })

/** A folder that a session named may have become a link since. */
const moved = (paths: ReadonlyArray<string>): string | undefined =>
  paths.find((path) => Disk.real(path) !== path || Disk.kind(path) !== "folder")

const refusedRoot = (request: SandboxRequest, roots: ReadonlyArray<string>, { homes, own }: HostEnvironment) => {
  const [dataDir, configDir, ...homePaths] = [own.dataDir, own.configDir, ...homes].map((path) =>
    Disk.real(path) ?? path
  ) as [string, string]
  const tooMuch = request.mode === "read-only"
    ? undefined
    : roots.find((root) => root === "/" || homePaths.some((home) => isInside(root, home)))
  if (tooMuch !== undefined) {
    return refuse(
      `${tooMuch} is too much to open to a confined command in mode ${request.mode}: it holds the whole home folder.`,
      "Open the session in a project folder."
    )
  }
  const inside = roots.find((root) => isInside(dataDir, root) || root === configDir)
  return inside === undefined
    ? undefined
    : refuse(`${inside} holds Postern's own state.`, "Open the session in a project folder.")
}

/** The folders of the session are gone or hold too much, or the working folder is none of them. */
export const refusedFolders = (
  request: SandboxRequest,
  { readable, roots }: Pick<DiskView, "roots" | "readable">,
  surroundings: HostEnvironment
): SandboxUnavailable | undefined => {
  const { cwd, mode } = request
  const gone = mode === "danger-full-access" ? undefined : moved([...roots, ...readable])
  if (gone !== undefined) {
    return refuse(`${gone} is no longer the folder that the session was opened with.`, "Open the session again.")
  }
  if (Disk.kind(cwd) !== "folder") {
    return refuse(`the working folder ${cwd} does not exist.`, "Open the session in an existing folder.")
  }
  if (mode === "danger-full-access") return undefined
  if (!isInside(roots.find((root) => isInside(root, cwd)) ?? "\0", cwd) && isNarrow(mode)) {
    return refuse(
      `the working folder ${cwd} is outside the folders of the session.`,
      "Run commands inside the session's folders."
    )
  }
  return refusedRoot(request, roots, surroundings)
}
