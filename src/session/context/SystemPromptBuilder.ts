import { arch, release, type as system } from "node:os"
import { Clock, Effect } from "effect"
import { Settings } from "../../config/Settings.ts"
import type { Model } from "../../model/Models.ts"
import { Gate } from "../policy/Gate.ts"
import { knownTools } from "../../tool/KnownTools.ts"
import { limitsOf, ownFolders } from "../../policy/decision/Limits.ts"
import { RuleBooks } from "../../policy/rules/RuleBooks.ts"
import { FileRead } from "../../tool/file/FileRead.ts"
import * as Readable from "../../tool/file/ReadFilter.ts"
import { Toolbox } from "../../tool/Toolbox.ts"
import * as Skills from "../../workspace/Skills.ts"
import type { Which } from "./Contexts.ts"
import * as Instructions from "./Instructions.ts"
import { type Facts, render } from "./SystemPrompt.ts"
import type { TurnInput } from "../turn/TurnLoop.ts"

type Read = Pick<Facts, "identity" | "project" | "skills">

/** The day as people near this machine count it. */
const dayOf = (now: number): string => {
  const offset = -new Date(now).getTimezoneOffset()
  const local = new Date(now + offset * 60_000).toISOString().slice(0, 10)
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
    String(part).padStart(2, "0")
  )
  return `${local} (UTC${offset < 0 ? "-" : "+"}${hours}:${minutes})`
}

/**
 * System prompts for the turns of all sessions. Files are read at a session's first turn and then stand: a prompt that changes while
 * work goes on would cost the provider's cache. `forget` makes the next turn read them again.
 */
export const make = Effect.gen(function*() {
  const { tools } = yield* Toolbox
  const books = yield* RuleBooks
  const gate = yield* Gate
  const known = knownTools(tools)
  const platform = `${system()} ${release()}, ${arch()}`
  const own = ownFolders(yield* Settings)
  const files = new WeakMap<Which["workspace"], Read>()

  const limitsFor = ({ configured }: TurnInput) => limitsOf(configured().risk, own)

  const mayRead = Effect.fnUntraced(function*(input: TurnInput) {
    const { policy: { knobs, source, switches }, workspace } = input
    const book = yield* Effect.option(Effect.flatMap(source, books.load))
    if (book._tag === "None") return () => false
    const { rules } = book.value
    const limits = limitsFor(input)
    const decision = gate.decide(FileRead, { path: "AGENTS.md" }, workspace, {
      knobs: knobs(),
      limits,
      rules,
      switches: switches(),
      permitted: yield* input.policy.permitted
    })
    return Readable.of("file_read", decision, rules, limits, known) ?? (() => true)
  })

  const read = Effect.fnUntraced(function*(input: TurnInput): Effect.fn.Return<Read> {
    const { workspace } = input
    const there = files.get(workspace)
    if (there !== undefined) return there
    const identity = yield* Instructions.identity(input.configured().agent.workspace)
    const made = {
      identity,
      project: yield* Instructions.project(workspace, yield* mayRead(input), identity),
      skills: yield* Skills.list(workspace)
    }
    files.set(workspace, made)
    return made
  })

  return {
    forget: ({ workspace }: Which) => void files.delete(workspace),
    prompt: Effect.fnUntraced(function*(input: TurnInput, model: Model, offered: Iterable<string>) {
      return render({
        ...yield* read(input),
        agent: input.agent,
        model: model.id,
        date: dayOf(yield* Clock.currentTimeMillis),
        platform,
        workspace: input.workspace,
        tools: new Set(offered),
        knobs: input.policy.knobs().values,
        limits: limitsFor(input),
        maxChars: input.configured().runtime.maxSystemPromptChars
      })
    })
  }
})
export type SystemPromptBuilder = Effect.Success<typeof make>
