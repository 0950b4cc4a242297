import { Effect } from "effect"
import * as Skills from "../../workspace/Skills.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import { beginning } from "../../domain/Cut.ts"

/** A word with a slash that a prompt may begin with. See docs/sessions.md#commands-in-a-prompt */
export interface SlashCommand {
  readonly name: string
  readonly description: string
  /** What may follow the name. */
  readonly hint?: string
}

export const builtIn: ReadonlyArray<SlashCommand> = [
  { name: "help", description: "What can be typed here" },
  { name: "status", description: "This session: agent, model, folder, policy, context, cost" },
  { name: "model", description: "Show or set the model", hint: "[provider/model]" },
  { name: "mode", description: "Show or set the Work mode", hint: "[chat|ro|pl|sw|aw]" },
  { name: "policy", description: "Show or set the session's policy", hint: "[knob value]" },
  { name: "context", description: "What the model's context holds" },
  { name: "compact", description: "Replace the model's context with a summary of it", hint: "[what matters most]" },
  { name: "plan", description: "Show the plan, or switch to Work mode pl and plan a task", hint: "[task]" },
  {
    name: "rules",
    description: "List, add and remove rules of this session",
    hint: "[allow|ask|deny RULE | remove ID]"
  },
  { name: "new", description: "Start afresh: the model forgets this conversation, the transcript stays" }
]

export interface TypedCommand {
  readonly name: string
  readonly args: string
}

/** `/name` and what follows it, whether or not there is such a command. */
export const typed = (prompt: string): TypedCommand | undefined => {
  const [, name, args = ""] = /^\/([A-Za-z0-9][\w.-]*)(?:\s+([\s\S]*))?$/.exec(prompt.trim()) ?? []
  return name === undefined ? undefined : { name, args: args.trim() }
}

/** The words of a prompt that are about the work; `undefined` where it has none. */
const topicOf = (prompt: string): string | undefined => {
  const command = typed(prompt)
  if (command === undefined || !builtIn.some(({ name }) => name === command.name)) return prompt
  return command.name === "plan" && command.args !== "" ? command.args : undefined
}

/** The first line of a session's first prompt, at most 80 characters. */
export const titleOf = (prompt: string): string | null => {
  const line = (topicOf(prompt) ?? "").trim().split("\n", 1)[0]!.trim()
  return line === "" ? null : line.length > 80 ? `${beginning(line, 79)}…` : line
}

/** The built-in commands, then the skills; a skill with the name of a built-in command is left out. */
export const all = (workspace: Workspace): Effect.Effect<ReadonlyArray<SlashCommand>> =>
  Effect.map(Skills.list(workspace), (skills) => [
    ...builtIn,
    ...skills
      .filter(({ name }) => !builtIn.some((command) => command.name === name))
      .map(({ description, name }) => ({
        name,
        description: description === "" ? `The skill ${name}` : description,
        hint: "[what to do]"
      }))
  ])
