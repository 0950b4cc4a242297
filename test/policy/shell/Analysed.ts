import { readFileSync } from "node:fs"
import type { ActionContext, CommandAction } from "../../../src/policy/decision/CallAction.ts"
import type { ShellAnalysis } from "../../../src/policy/decision/ShellAnalysis.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"

export const place: ActionContext = {
  cwd: "/ws",
  roots: ["/ws"],
  home: "/home/me",
  isPlainRepository: () => true,
  kindOf: () => "none"
}

export const analysed = (command: string): ShellAnalysis => analyse(command, place)

export const commandsOf = (command: string): ReadonlyArray<CommandAction> =>
  analysed(command).parts.filter((part) => part.kind === "command")

export const categories = (command: string): ReadonlyArray<string> => [
  ...new Set(analysed(command).shapes.map((shape) => shape.category))
]

export interface DangerCase {
  readonly command: string
  readonly dangerous: boolean
  readonly why?: string
  readonly round?: number
}

export const read = <A>(file: string): ReadonlyArray<A> =>
  JSON.parse(readFileSync(new URL(`../cases/${file}`, import.meta.url), "utf8"))
