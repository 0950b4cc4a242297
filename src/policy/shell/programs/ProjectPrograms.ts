import { dirname, join } from "node:path"
import type { ActionContext } from "../../decision/CallAction.ts"
import type { Command } from "../Command.ts"

/** Files with which a project chooses the program behind a well-known name, or has it run another. */
const chosenBy: Readonly<Record<string, ReadonlyArray<string>>> = {
  cargo: [".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"],
  rustc: ["rust-toolchain.toml", "rust-toolchain"],
  dotnet: ["global.json"],
  gradle: ["gradle.properties"]
}

const around = (folder: string): ReadonlyArray<string> =>
  dirname(folder) === folder ? [folder] : [folder, ...around(dirname(folder))]

/** Whether the program is the one of the machine, whatever the project around the folder says. */
export const isOwnProgram = (
  { fields: { cwd }, program }: Command,
  { isPlainRepository, kindOf }: ActionContext
): boolean => {
  // It asks git about the repository.
  if (program === "go") return cwd !== null && isPlainRepository?.(cwd) === true
  const names = chosenBy[program]
  if (names === undefined) return true
  if (cwd === null || kindOf === undefined) return false
  return around(cwd).every((folder) => names.every((name) => kindOf(join(folder, name)) === "none"))
}
