import {
  type PolicySettings,
  policySettings,
  type ResolvedSettings,
  settingValues
} from "../../domain/PolicySettings.ts"
import type { PlanEntry } from "../../domain/Content.ts"
import type { Command } from "./CommandNames.ts"
import type { Usage } from "../../domain/SessionEvent.ts"
import type { RuleView } from "../policy/PolicyService.ts"
import type { SessionModel } from "../policy/SessionModel.ts"

/** What commands answer, as Markdown. */

const list = (lines: ReadonlyArray<string>) => lines.map((line) => `- ${line}`).join("\n")

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) => {
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")
}

export const help = (commands: ReadonlyArray<Command>) =>
  list(
    commands.map(({ description, hint, name }) => `\`/${name}${hint === undefined ? "" : ` ${hint}`}\`: ${description}`)
  )

export const tokens = ({ size, used }: Pick<Usage, "used" | "size">) =>
  `${used.toLocaleString("en")} of ${size.toLocaleString("en")} tokens (${Math.round((used / size) * 100)} %)`

export const cost = ({ cost }: Usage) => cost === undefined ? "" : `$${cost.toFixed(4)}`

export const status = (facts: ReadonlyArray<readonly [string, string]>) =>
  list(facts.filter(([, value]) => value !== "").map(([name, value]) => `${name}: ${value}`))

const choices = (knob: keyof PolicySettings) => settingValues[knob].join(", ")

export const mode = ({ values }: ResolvedSettings) =>
  `The Work mode is \`${values.work_mode}\`. There are: ${choices("work_mode")}.`

export const model = ({ choices, model, thinks, thoughtLevel }: SessionModel) =>
  `The model is \`${model()}\`${
    thinks() ? `, thought level \`${thoughtLevel()}\`` : ""
  }. Set one with \`/model NAME\`:\n\n` +
  list(choices().map((choice) => `\`${choice}\``))

export const policy = ({ sources, values }: ResolvedSettings) => {
  const rows = policySettings.map((knob) => [`\`${knob}\``, `\`${values[knob]}\``, sources[knob], choices(knob)])
  return `${table(["knob", "value", "from", "values"], rows)}\n\nSet one with \`/policy KNOB VALUE\`.`
}

export const rules = (views: ReadonlyArray<RuleView>) =>
  views.length === 0
    ? "There are no rules. Add one with `/rules allow RULE`, `/rules ask RULE` or `/rules deny RULE`."
    : table(
      ["id", "list", "rule", "from"],
      views.map((
        { counts, id, layer, list, rule }
      ) => [`\`${id}\``, list, `\`${rule}\``, counts === false ? `${layer} (not counted)` : layer])
    )

const checkbox = { pending: "[ ]", in_progress: "[-]", completed: "[x]" } as const

export const plan = (entries: ReadonlyArray<PlanEntry>) =>
  entries.length === 0
    ? "There is no plan yet. `/plan TASK` makes one."
    : list(entries.map(({ content, status }) => `${checkbox[status]} ${content}`))
