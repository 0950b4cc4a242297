import { dirname, join } from "node:path"
import { isInside } from "../../platform/FilePath.ts"
import * as Disk from "../Disk.ts"
import { withoutNested } from "./Outermost.ts"
import type { HostEnvironment } from "./Surroundings.ts"

/** Folders named by PATH and by version managers; one level up where that is not somebody's whole configuration. */
export const programFolders = (
  { homes, variables }: Pick<HostEnvironment, "homes" | "variables">
): ReadonlyArray<string> => {
  const named = ["NVM_BIN", "VOLTA_HOME", "PYENV_ROOT", "JAVA_HOME", "GOROOT", "RUSTUP_HOME"].map((name) =>
    variables[name]
  )
  const entries = (variables["PATH"] ?? "").split(":").concat(
    named.map((path) => path ?? ""),
    ...homes.map((home) => join(home, ".rustup")),
    "/nix/store"
  )
  const folders = entries.filter((path) => path.startsWith("/")).flatMap((entry) => {
    const path = Disk.real(entry)
    if (path === undefined || isInside("/usr", path) || Disk.kind(path) !== "folder") return []
    const parent = dirname(path)
    const grand = dirname(parent)
    const whole = /\/s?bin$/.test(path) && parent !== "/" && grand !== "/" &&
      !homes.some((home) => parent === home || grand === home || isInside(parent, home))
    return [whole ? parent : path]
  })
  return withoutNested(folders.filter((path) => path !== "/" && !homes.some((home) => isInside(path, home))))
}
