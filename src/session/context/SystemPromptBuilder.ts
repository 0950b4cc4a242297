import { existsSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { arch, release, type as system } from "node:os"
import { dirname, join } from "node:path"
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { Model } from "../../model/Models.ts"
import * as ReadFilter from "../../tool/file/ReadFilter.ts"
import { FileRead } from "../../tool/file/FileRead.ts"
import { knownTools, Toolbox } from "../../tool/Toolbox.ts"
import * as Files from "../../workspace/Files.ts"
import * as Skills from "../../workspace/Skills.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import { Gate, GateInput } from "../policy/Gate.ts"
import type { TurnContext } from "../turn/TurnLoop.ts"
import { type Instruction, type PromptFiles, render } from "./SystemPrompt.ts"
import { beginning } from "../../domain/Cut.ts"
import { isInside } from "../../platform/FilePath.ts"

const maxCharacters = 20_000

/** An agent's own files, in the order in which the prompt has them. See docs/sessions.md#instructions */
const identityFiles = ["SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md"]

const projectFiles = ["AGENTS.md", "CLAUDE.md"]

const cut = (text: string): string =>
  text.length <= maxCharacters
    ? text
    : `${beginning(text, maxCharacters)}\n[Cut here: the file has ${text.length} characters.]`

/** A file that is missing, empty or no text counts as absent. */
const read = Effect.fnUntraced(function*(path: string): Effect.fn.Return<ReadonlyArray<Instruction>> {
  const file = yield* Effect.option(Files.read(path, 1024 * 1024))
  const text = Option.isSome(file) ? cut(file.value.bytes.toString("utf8").replace(/^\uFEFF/, "").trim()) : ""
  return text === "" ? [] : [{ path, text }]
})

const identityIn = (folder: string): Effect.Effect<ReadonlyArray<Instruction>> =>
  Effect.map(Effect.forEach(identityFiles, (name) => read(join(folder, name))), (found) => found.flat())

interface ProjectFolder {
  readonly folder: string
  /** Of its repository; the folder itself where there is none. */
  readonly top: string
}

/** From the top of the repository down to the folder itself; only the folder where there is no repository. */
const foldersAbove = (folder: string): ReadonlyArray<ProjectFolder> => {
  const passed: Array<string> = []
  for (let current = folder;; current = dirname(current)) {
    passed.unshift(current)
    if (existsSync(join(current, ".git"))) return passed.map((each) => ({ folder: each, top: current }))
    if (current === dirname(current)) return [{ folder, top: folder }]
  }
}

/** Instructions count also above the folders of the session, but no link leads out of the repository to them. */
const instructionsAt = Effect.fnUntraced(function*(path: string, top: string, workspace: Workspace) {
  const real = yield* Effect.option(Effect.tryPromise(() => realpath(path)))
  return Option.isSome(real) && isInside(top, real.value) ? real : yield* Effect.option(workspace.resolve(path, "read"))
})

/** The project's instructions, the outermost folder's first: none that a rule or a forbidden path hides, none twice. */
const projectOf = Effect.fnUntraced(
  function*(workspace: Workspace, mayRead: ReadFilter.MayRead, known: ReadonlyArray<Instruction>) {
    const found: Array<Instruction> = []
    const isKnown = (one: Instruction) =>
      [...known, ...found].some(({ path, text }) => path === one.path || text === one.text)
    const folders = new Map(workspace.roots.flatMap(foldersAbove).map((one) => [one.folder, one.top]))
    for (const [folder, top] of folders) {
      for (const name of projectFiles) {
        const path = yield* instructionsAt(join(folder, name), top, workspace)
        if (Option.isNone(path) || !mayRead(path.value)) continue
        found.push(...(yield* read(path.value)).filter((one) => !isKnown(one)))
      }
    }
    return found
  }
)

/** The day in this machine's time zone. */
const dayOf = (now: number): string => {
  const offset = -new Date(now).getTimezoneOffset()
  const local = new Date(now + offset * 60_000).toISOString().slice(0, 10)
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
    String(part).padStart(2, "0")
  )
  return `${local} (UTC${offset < 0 ? "-" : "+"}${hours}:${minutes})`
}

/**
 * System prompts for the turns of all sessions. Files are read at a session's first turn and then kept: a prompt that changes in the
 * middle of the work would invalidate the provider's cache.
 */
export class SystemPromptBuilder extends Context.Service<SystemPromptBuilder, {
  readonly build: (turn: TurnContext, model: Model, tools: Iterable<string>) => Effect.Effect<string>
}>()("postern/session/SystemPromptBuilder") {
  static readonly layer = Layer.effect(
    SystemPromptBuilder,
    Effect.gen(function*() {
      const { tools } = yield* Toolbox
      const gate = yield* Gate
      const gateInput = yield* GateInput
      const known = knownTools(tools)
      const platform = `${system()} ${release()}, ${arch()}`

      /** What the rules and the operator's paths hide stays out of the prompt; an exhausted allowance hides nothing. */
      const mayRead = Effect.fnUntraced(function*({ policy, workspace }: TurnContext) {
        const loaded = yield* Effect.option(
          gateInput.load({ ...policy, limits: Effect.sync(policy.standingLimits) })
        )
        if (Option.isNone(loaded)) return () => false
        const { policy: input } = loaded.value
        const decision = gate.decide(FileRead, { path: "AGENTS.md" }, workspace, input)
        return ReadFilter.of("file_read", decision, loaded.value.book.rules, input.limits, known) ?? (() => true)
      })

      const filesOf = Effect.fnUntraced(function*(turn: TurnContext): Effect.fn.Return<PromptFiles> {
        const { state, workspace } = turn
        if (state.promptFiles !== undefined) return state.promptFiles
        const identity = yield* identityIn(turn.configured().agent.workspace)
        const files = {
          identity,
          project: yield* projectOf(workspace, yield* mayRead(turn), identity),
          skills: yield* Skills.list(workspace)
        }
        state.promptFiles = files
        return files
      })

      return {
        build: Effect.fnUntraced(function*(turn, model, advertised) {
          return render({
            ...yield* filesOf(turn),
            agent: turn.agent,
            model: model.id,
            date: dayOf(yield* Clock.currentTimeMillis),
            platform,
            workspace: turn.workspace,
            tools: new Set(advertised),
            ofClient: turn.policy.restrictions().systemPrompt,
            settings: turn.policy.settings().values,
            limits: turn.policy.standingLimits(),
            maxChars: turn.configured().runtime.maxSystemPromptChars
          })
        })
      }
    })
  )
}
