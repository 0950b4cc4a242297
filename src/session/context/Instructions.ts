import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Option } from "effect"
import type { MayRead } from "../../tool/file/ReadFilter.ts"
import * as Files from "../../workspace/Files.ts"
import type { Workspace } from "../../workspace/Workspace.ts"

/** A file that speaks to the agent. */
export interface Instruction {
  readonly path: string
  readonly text: string
}

const maxCharacters = 20_000

/** An agent's own files, in the order in which they are read to it; its memory is no business of these sessions (zeroclaw.md §4.2). */
const identityFiles = ["SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md"]

const projectFiles = ["AGENTS.md", "CLAUDE.md"]

const cut = (text: string): string =>
  text.length <= maxCharacters
    ? text
    : `${text.slice(0, maxCharacters)}\n[Cut here: the file has ${text.length} characters.]`

/** A file that is missing, empty or no text is as if it were not there. */
const read = Effect.fnUntraced(function*(path: string): Effect.fn.Return<ReadonlyArray<Instruction>> {
  const file = yield* Effect.option(Files.read(path, 1024 * 1024))
  const text = Option.isSome(file) ? cut(file.value.bytes.toString("utf8").replace(/^\uFEFF/, "").trim()) : ""
  return text === "" ? [] : [{ path, text }]
})

export const identity = (folder: string): Effect.Effect<ReadonlyArray<Instruction>> =>
  Effect.map(Effect.forEach(identityFiles, (name) => read(join(folder, name))), (found) => found.flat())

/** From the top of the repository down to the folder itself; only the folder where there is no repository. */
const upwards = (folder: string): ReadonlyArray<string> => {
  const passed: Array<string> = []
  for (let current = folder;; current = dirname(current)) {
    passed.unshift(current)
    if (existsSync(join(current, ".git"))) return passed
    if (current === dirname(current)) return [folder]
  }
}

/** What the project says, general things first. Nothing that the session may not read, nothing twice. */
export const project = Effect.fnUntraced(
  function*(workspace: Workspace, mayRead: MayRead, known: ReadonlyArray<Instruction>) {
    const found: Array<Instruction> = []
    const isKnown = (one: Instruction) =>
      [...known, ...found].some(({ path, text }) => path === one.path || text === one.text)
    for (const folder of new Set(workspace.roots.flatMap(upwards))) {
      for (const name of projectFiles) {
        const path = yield* Effect.option(workspace.resolve(join(folder, name), "read"))
        if (Option.isNone(path) || !mayRead(path.value)) continue
        found.push(...(yield* read(path.value)).filter((one) => !isKnown(one)))
      }
    }
    return found
  }
)
