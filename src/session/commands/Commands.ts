import { Effect } from "effect"
import type { PlanEntry } from "../../domain/Content.ts"
import {
  type PolicySettings,
  policySettings,
  type ResolvedSettings,
  settingValues
} from "../../domain/PolicySettings.ts"
import type { Usage } from "../../domain/SessionEvent.ts"
import type { StoreFailed } from "../../store/SessionStore.ts"
import * as Skills from "../../workspace/Skills.ts"
import { compact, type CompactionFailed } from "../context/Compaction.ts"
import { ContextWindow, limitOf } from "../context/ContextWindow.ts"
import { type History, messagesOf, of } from "../context/History.ts"
import { turnsOf } from "../context/Trim.ts"
import { PolicyService, type RuleRefused, type RuleView } from "../policy/PolicyService.ts"
import type { SessionModel } from "../policy/SessionModel.ts"
import type { SettingRefused } from "../policy/SessionPolicy.ts"
import { describe } from "../policy/SessionRestrictions.ts"
import type { TurnContext } from "../turn/TurnLoop.ts"
import type { TurnFailed } from "../turn/TurnEnd.ts"
import { TurnRequests } from "../turn/TurnRequest.ts"
import { all, type SlashCommand, typed, type TypedCommand } from "./SlashCommands.ts"

/** The command is done, and `text` is its answer; or the model is asked, with `prompt` in the place of the user's. */
type CommandOutcome =
  | { readonly _tag: "Answered"; readonly text: string }
  | { readonly _tag: "AskModel"; readonly prompt: string }

const answered = (text: string): CommandOutcome => ({ _tag: "Answered", text })

// Answers, as Markdown.

const list = (lines: ReadonlyArray<string>) => lines.map((line) => `- ${line}`).join("\n")

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) => {
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")
}

const helpText = (commands: ReadonlyArray<SlashCommand>) =>
  list(
    commands.map(({ description, hint, name }) => `\`/${name}${hint === undefined ? "" : ` ${hint}`}\`: ${description}`)
  )

const tokensText = ({ size, used }: Pick<Usage, "used" | "size">) =>
  `${used.toLocaleString("en")} of ${size.toLocaleString("en")} tokens (${Math.round((used / size) * 100)} %)`

const costText = ({ cost }: Usage) => cost === undefined ? "" : `$${cost.toFixed(4)}`

const statusText = (rows: ReadonlyArray<readonly [string, string]>) =>
  list(rows.filter(([, value]) => value !== "").map(([name, value]) => `${name}: ${value}`))

const choices = (setting: keyof PolicySettings) => settingValues[setting].join(", ")

const modeText = ({ values }: ResolvedSettings) =>
  `The Work mode is \`${values.work_mode}\`. There are: ${choices("work_mode")}.`

const modelText = ({ choices, model, thinks, thoughtLevel }: SessionModel) =>
  `The model is \`${model()}\`${
    thinks() ? `, thought level \`${thoughtLevel()}\`` : ""
  }. Set one with \`/model NAME\`:\n\n` +
  list(choices().map((choice) => `\`${choice}\``))

const policyText = ({ sources, values }: ResolvedSettings) => {
  const rows = policySettings.map((
    name
  ) => [`\`${name}\``, `\`${values[name]}\``, sources[name], choices(name)])
  return `${table(["knob", "value", "from", "values"], rows)}\n\nSet one with \`/policy KNOB VALUE\`.`
}

const rulesText = (views: ReadonlyArray<RuleView>) =>
  views.length === 0
    ? "There are no rules. Add one with `/rules allow RULE`, `/rules ask RULE` or `/rules deny RULE`."
    : table(
      ["id", "list", "rule", "from"],
      views.map((
        { counts, guard, id, layer, list, rule }
      ) => [
        `\`${id}\``,
        list,
        `\`${rule}\`${guard ? " (not if dangerous)" : ""}`,
        counts === false ? `${layer} (not counted)` : layer
      ])
    )

const checkbox = { pending: "[ ]", in_progress: "[-]", completed: "[x]" } as const

const planText = (entries: ReadonlyArray<PlanEntry>) =>
  entries.length === 0
    ? "There is no plan yet. `/plan TASK` makes one."
    : list(entries.map(({ content, status }) => `${checkbox[status]} ${content}`))

type Refused = SettingRefused | RuleRefused | StoreFailed | CompactionFailed

/** Runs the slash command of a prompt; `undefined` where it is none or an unknown one, which the model reads. */
export const make = Effect.gen(function*() {
  const { prepare } = yield* TurnRequests
  const window = yield* ContextWindow
  const policyService = yield* PolicyService

  const historyOf = (turn: TurnContext) => window.load(turn, turn.context)

  const status = Effect.fnUntraced(function*(turn: TurnContext) {
    const { agent, policy, record, sessionId, workspace } = turn
    const { model } = yield* prepare(turn)
    const { values } = policy.settings()
    return statusText([
      ["Session", record.title === null ? sessionId : `${record.title} (${sessionId})`],
      ["Agent", agent],
      ["Model", model.id],
      ["Folder", workspace.roots.join(", ")],
      [
        "Policy",
        `Work mode ${values.work_mode}, approval ${values.tool_approval}, sandbox ${values.sandbox}, network ${values.network}`
      ],
      ["Restricted by the client", describe(policy.restrictions())],
      ["Context", record.usage === null ? "" : tokensText(record.usage)],
      ["Cost", record.usage === null ? "" : costText(record.usage)]
    ])
  })

  const context = Effect.fnUntraced(function*(turn: TurnContext) {
    const request = yield* prepare(turn)
    const history = historyOf(turn)
    const size = limitOf(request)
    const used = window.used(history, request, turn)
    return statusText([
      ["In all", tokensText({ used, size })],
      ["Instructions and tools", `about ${request.overhead} tokens`],
      [
        "Conversation",
        `about ${history.tokens} tokens in ${history.prompt.content.length} messages, ${
          turnsOf(messagesOf(history)).length
        } turns`
      ]
    ])
  })

  /** The next request measures the context again and reads the files of the system prompt again. */
  const startFrom = (history: History, turn: TurnContext) => {
    turn.state.tokenOffset = undefined
    turn.state.promptFiles = undefined
    window.store(turn, history)
  }

  const compacted = Effect.fnUntraced(function*(turn: TurnContext, focus: string) {
    const request = yield* prepare(turn)
    const history = historyOf(turn)
    const next = yield* compact(history, request.model, {
      focus,
      limit: limitOf(request),
      used: window.used(history, request, turn),
      overhead: request.overhead
    }, turn)
    startFrom(next, turn)
    return ""
  })

  const renew = Effect.fnUntraced(function*(turn: TurnContext) {
    const nothing = of([])
    yield* turn.replaceContext(nothing.json)
    startFrom(nothing, turn)
    return "The model has forgotten this conversation; what was said stays in the transcript. The next message starts afresh."
  })

  const set = (turn: TurnContext, setting: string, value: string) =>
    Effect.as(turn.policy.set(setting, value, "user"), `\`${setting}\` is \`${value}\` now.`)

  const policy = (turn: TurnContext, args: string) => {
    const [setting, value] = args.split(/\s+/)
    if (args === "") return Effect.succeed(policyText(turn.policy.settings()))
    return value === undefined
      ? Effect.succeed("A knob and a value are needed: `/policy KNOB VALUE`.")
      : set(turn, setting ?? "", value)
  }

  const model = ({ model }: TurnContext, args: string) => {
    if (args === "") return Effect.succeed(modelText(model))
    return Effect.map(model.set("model", args, "user"), () => `The model is \`${model.model()}\` now.`)
  }

  const rules = Effect.fnUntraced(function*(turn: TurnContext, args: string) {
    const [, verb, rest] = /^(\w+)\s+(.+)$/s.exec(args) ?? []
    if (args === "" || args === "list") return rulesText(yield* policyService.rules(turn))
    if (verb === "remove" && rest !== undefined) {
      const id = rest.trim()
      return (yield* policyService.remove(turn, id))
        ? `Rule \`${id}\` is gone.`
        : `There is no rule \`${id}\` that could be removed.`
    }
    if ((verb === "allow" || verb === "ask" || verb === "deny") && rest !== undefined) {
      const id = yield* policyService.add(turn, { list: verb, rule: rest.trim(), layer: "session" })
      return `Rule \`${id}\` of this session: ${verb} \`${rest.trim()}\`.`
    }
    return "`/rules` lists them; `/rules allow RULE`, `/rules ask RULE`, `/rules deny RULE` and `/rules remove ID` change them."
  })

  const plan = Effect.fnUntraced(function*(turn: TurnContext, task: string): Effect.fn.Return<CommandOutcome, Refused> {
    if (task !== "") {
      yield* turn.policy.set("work_mode", "pl", "user")
      return { _tag: "AskModel", prompt: `Make a plan for this, and change nothing yet:\n\n${task}` }
    }
    const entries = yield* turn.transcript
    return answered(planText(entries.findLast((entry) => entry._tag === "Plan")?.entries ?? []))
  })

  const skill = Effect.fnUntraced(
    function*(turn: TurnContext, { args, name }: TypedCommand): Effect.fn.Return<CommandOutcome | undefined> {
      const found = (yield* Skills.list(turn.workspace)).find((one) => one.name === name)
      if (found === undefined) return undefined
      const body = yield* Effect.orElseSucceed(Skills.load(found), () => "")
      const parts = [
        `Do what the skill "${name}" says (its other files are in ${found.folder}).`,
        `<skill name="${name}">\n${body}\n</skill>`,
        ...(args === "" ? [] : [`The task: ${args}`])
      ]
      return { _tag: "AskModel", prompt: parts.join("\n\n") }
    }
  )

  const run = (
    turn: TurnContext,
    command: TypedCommand
  ): Effect.Effect<CommandOutcome | undefined, Refused | TurnFailed> => {
    const { args, name } = command
    switch (name) {
      case "help":
        return Effect.map(all(turn.workspace), (commands) => answered(helpText(commands)))
      case "status":
        return Effect.map(status(turn), answered)
      case "model":
        return Effect.map(model(turn, args), answered)
      case "mode":
        return Effect.map(
          args === "" ? Effect.succeed(modeText(turn.policy.settings())) : set(turn, "work_mode", args),
          answered
        )
      case "policy":
        return Effect.map(policy(turn, args), answered)
      case "context":
        return Effect.map(context(turn), answered)
      case "compact":
        return Effect.map(compacted(turn, args), answered)
      case "plan":
        return plan(turn, args)
      case "rules":
        return Effect.map(rules(turn, args), answered)
      case "new":
        return Effect.map(renew(turn), answered)
      default:
        return skill(turn, command)
    }
  }

  const refusal = ({ message }: Refused) => Effect.succeed(answered(`That was not done: ${message}`))

  return (turn: TurnContext): Effect.Effect<CommandOutcome | undefined, TurnFailed> => {
    const command = typed(turn.prompt)
    return command === undefined ? Effect.undefined : run(turn, command).pipe(
      Effect.catchTags({
        SettingRefused: refusal,
        RuleRefused: refusal,
        StoreFailed: refusal,
        CompactionFailed: refusal
      })
    )
  }
})
