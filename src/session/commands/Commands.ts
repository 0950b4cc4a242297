import { Effect } from "effect"
import type { StoreFailed } from "../../store/SessionStore.ts"
import * as Skills from "../../workspace/Skills.ts"
import { all, type Typed, typed } from "./CommandNames.ts"
import * as Texts from "./CommandTexts.ts"
import { compact, type CompactionFailed } from "../context/Compaction.ts"
import * as Desk from "../policy/PolicyServiceLayer.ts"
import type { Contexts, Which } from "../context/Contexts.ts"
import * as Fitting from "../context/ContextWindow.ts"
import { messagesOf, of } from "../context/History.ts"
import type { RuleRefused } from "../policy/PolicyService.ts"
import type { KnobRefused } from "../policy/KnobCheck.ts"
import { turnsOf } from "../context/Trim.ts"
import type { TurnFailed, TurnInput } from "../turn/TurnLoop.ts"

/** The command was done, and this is what it says; or the model is to be asked, with this instead of the prompt. */
export type Done =
  | { readonly _tag: "Said"; readonly text: string }
  | { readonly _tag: "Ask"; readonly prompt: string }

const say = (text: string): Done => ({ _tag: "Said", text })

interface Surroundings {
  readonly contexts: Contexts
  /** Forgets what was read for a session's prompts. */
  readonly forget: (session: Which) => void
  readonly prepare: (input: TurnInput) => Effect.Effect<Fitting.Fitted, TurnFailed>
}

type Refused = KnobRefused | RuleRefused | StoreFailed | CompactionFailed

/** Slash commands, which need no model. A prompt that is none, or an unknown one, is the model's to read. */
export const make = Effect.fnUntraced(function*({ contexts, forget, prepare }: Surroundings) {
  const desk = yield* Desk.make

  const historyOf = (input: TurnInput) => contexts.get(input, input.context)

  const status = Effect.fnUntraced(function*(input: TurnInput) {
    const { agent, policy, record, sessionId, workspace } = input
    const { model } = yield* prepare(input)
    const { values } = policy.knobs()
    return Texts.status([
      ["Session", record.title === null ? sessionId : `${record.title} (${sessionId})`],
      ["Agent", agent],
      ["Model", model.id],
      ["Folder", workspace.roots.join(", ")],
      [
        "Policy",
        `Work mode ${values.work_mode}, approval ${values.tool_approval}, sandbox ${values.sandbox}, network ${values.network}`
      ],
      ["Context", record.usage === null ? "" : Texts.tokens(record.usage)],
      ["Cost", record.usage === null ? "" : Texts.cost(record.usage)]
    ])
  })

  const context = Effect.fnUntraced(function*(input: TurnInput) {
    const fitted = yield* prepare(input)
    const history = historyOf(input)
    const size = Fitting.limitOf(fitted.model, fitted.profile)
    const used = history.tokens + (contexts.offset(input) ?? fitted.overhead)
    return Texts.status([
      ["In all", Texts.tokens({ used, size })],
      ["Instructions and tools", `about ${fitted.overhead} tokens`],
      [
        "Conversation",
        `about ${history.tokens} tokens in ${history.prompt.content.length} messages, ${
          turnsOf(messagesOf(history)).length
        } turns`
      ]
    ])
  })

  const compacted = Effect.fnUntraced(function*(input: TurnInput, focus: string) {
    const fitted = yield* prepare(input)
    const history = historyOf(input)
    const { model, overhead, profile } = fitted
    const used = history.tokens + (contexts.offset(input) ?? overhead)
    const next = yield* compact(history, model, {
      focus,
      keep: undefined,
      limit: Fitting.limitOf(model, profile),
      used,
      overhead
    }, input)
    contexts.forget(input)
    contexts.set(input, next)
    forget(input)
    return ""
  })

  const renew = Effect.fnUntraced(function*(input: TurnInput) {
    const nothing = of([])
    yield* input.replaceContext(nothing.json)
    contexts.forget(input)
    contexts.set(input, nothing)
    forget(input)
    return "The model has forgotten this conversation; what was said stays in the transcript. The next message starts afresh."
  })

  const set = (input: TurnInput, knob: string, value: string) =>
    Effect.as(input.policy.set(knob, value, "user"), `\`${knob}\` is \`${value}\` now.`)

  const policy = (input: TurnInput, args: string) => {
    const [knob, value] = args.split(/\s+/)
    if (args === "") return Effect.succeed(Texts.policy(input.policy.knobs()))
    return value === undefined
      ? Effect.succeed("A knob and a value are needed: `/policy KNOB VALUE`.")
      : set(input, knob ?? "", value)
  }

  const model = ({ model }: TurnInput, args: string) => {
    if (args === "") return Effect.succeed(Texts.model(model))
    return Effect.map(model.set("model", args, "user"), () => `The model is \`${model.model()}\` now.`)
  }

  const rules = Effect.fnUntraced(function*(input: TurnInput, args: string) {
    const [, verb, rest] = /^(\w+)\s+(.+)$/s.exec(args) ?? []
    if (args === "" || args === "list") return Texts.rules(yield* desk.rules(input))
    if (verb === "remove" && rest !== undefined) {
      const id = rest.trim()
      return (yield* desk.remove(input, id))
        ? `Rule \`${id}\` is gone.`
        : `There is no rule \`${id}\` that could be removed.`
    }
    if ((verb === "allow" || verb === "ask" || verb === "deny") && rest !== undefined) {
      const id = yield* desk.add(input, { list: verb, rule: rest.trim(), layer: "session" })
      return `Rule \`${id}\` of this session: ${verb} \`${rest.trim()}\`.`
    }
    return "`/rules` lists them; `/rules allow RULE`, `/rules ask RULE`, `/rules deny RULE` and `/rules remove ID` change them."
  })

  const plan = Effect.fnUntraced(function*(input: TurnInput, task: string): Effect.fn.Return<Done, Refused> {
    if (task !== "") {
      yield* input.policy.set("work_mode", "pl", "user")
      return { _tag: "Ask", prompt: `Make a plan for this, and change nothing yet:\n\n${task}` }
    }
    const entries = yield* input.transcript
    return say(Texts.plan(entries.findLast((entry) => entry._tag === "Plan")?.entries ?? []))
  })

  const skill = Effect.fnUntraced(
    function*(input: TurnInput, { args, name }: Typed): Effect.fn.Return<Done | undefined> {
      const found = (yield* Skills.list(input.workspace)).find((one) => one.name === name)
      if (found === undefined) return undefined
      const body = yield* Effect.orElseSucceed(Skills.load(found), () => "")
      const parts = [
        `Do what the skill "${name}" says (its other files are in ${found.folder}).`,
        `<skill name="${name}">\n${body}\n</skill>`,
        ...(args === "" ? [] : [`The task: ${args}`])
      ]
      return { _tag: "Ask", prompt: parts.join("\n\n") }
    }
  )

  const run = (input: TurnInput, command: Typed): Effect.Effect<Done | undefined, Refused | TurnFailed> => {
    const { args, name } = command
    switch (name) {
      case "help":
        return Effect.map(all(input.workspace), (commands) => say(Texts.help(commands)))
      case "status":
        return Effect.map(status(input), say)
      case "model":
        return Effect.map(model(input, args), say)
      case "mode":
        return Effect.map(
          args === "" ? Effect.succeed(Texts.mode(input.policy.knobs())) : set(input, "work_mode", args),
          say
        )
      case "policy":
        return Effect.map(policy(input, args), say)
      case "context":
        return Effect.map(context(input), say)
      case "compact":
        return Effect.map(compacted(input, args), say)
      case "plan":
        return plan(input, args)
      case "rules":
        return Effect.map(rules(input, args), say)
      case "new":
        return Effect.map(renew(input), say)
      default:
        return skill(input, command)
    }
  }

  const refusal = ({ message }: Refused) => Effect.succeed(say(`That was not done: ${message}`))

  return (input: TurnInput): Effect.Effect<Done | undefined, TurnFailed> => {
    const command = typed(input.prompt)
    return command === undefined ? Effect.undefined : run(input, command).pipe(
      Effect.catchTags({ KnobRefused: refusal, RuleRefused: refusal, StoreFailed: refusal, CompactionFailed: refusal })
    )
  }
})
