import { Clock, Effect } from "effect"
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { failure } from "../Failure.ts"
import { age } from "../terminal/Output.ts"
import * as Picker from "../terminal/Picker.ts"
import { oneLine, truncate } from "../terminal/Text.ts"
import type { AgentSession } from "./AgentConnection.ts"
import { promptOf } from "./Completion.ts"
import { type Participants, runTurn, troubleOf } from "./PromptTurn.ts"
import * as Resume from "./Resume.ts"
import { type Setting, shownSetting, valueIn } from "./SessionSettings.ts"
import * as ShellCommand from "./ShellCommand.ts"
import type { AgentCommand, ClientView } from "./View.ts"

/** A command of the client itself. */
interface LocalCommand {
  readonly name: string
  readonly hint?: string
  readonly description: string
}

export const localCommands: ReadonlyArray<LocalCommand> = [
  { name: "help", description: "this list" },
  { name: "resume", hint: "[ID]", description: "go on with another session of this folder" },
  { name: "clear", description: "a new session on an empty screen" },
  { name: "model", hint: "[NAME]", description: "show or choose the model" },
  { name: "mode", hint: "[NAME]", description: "show or choose the mode" },
  { name: "cost", description: "tokens and cost of this session" },
  { name: "estop", description: "stop all agents of this configuration at once" },
  { name: "exit", description: "leave; so does Ctrl-D" }
]

const otherNames: Readonly<Record<string, string>> = { quit: "exit", sessions: "resume" }

const keys: ReadonlyArray<readonly [string, string]> = [
  ["!COMMAND", "run it in your own shell; the next message tells the agent of it"],
  ["@FILE", "name a file; Tab completes files, commands and their values"],
  ["↑ ↓ Ctrl-R", "earlier entries, and a search in them"],
  ["Alt-Enter, \\", "a new line; a paste of several lines is one message"],
  ["Esc, Ctrl-C", "stop the agent; here: clear the line, Ctrl-C twice to leave"],
  ["Ctrl-Z", "suspend; fg comes back"]
]

/** A text broken at blanks. */
const brokenAt = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Two columns, the left one `room` wide; one below the other where the screen is narrow. */
const row = (left: string, right: string, room: number, columns: number): string => {
  const isNarrow = columns < room + 34
  const indent = isNarrow ? 6 : room + 4
  const lines = brokenAt(right, Math.max(20, columns - indent - 1)).map((line) => " ".repeat(indent) + line)
  if (isNarrow || left.length > room) return [`  ${left}`, ...lines].map((line) => `${line}\n`).join("")
  return lines.map((line, at) => `${at === 0 ? `  ${left.padEnd(room)}  ${line.trimStart()}` : line}\n`).join("")
}

/** The answer to `/help`. */
export const help = (commands: ReadonlyArray<AgentCommand>, columns = 80): string => {
  const own = localCommands.map(({ description, hint, name }) =>
    [`/${name}${hint === undefined ? "" : ` ${hint}`}`, description] as const
  )
  const theirs = commands.filter(({ name }) => !localCommands.some((one) => one.name === name)).map((
    { description, hint, name }
  ) => [oneLine(`/${name}${hint === undefined ? "" : ` ${hint}`}`), oneLine(description)] as const)
  const rows = [...own, ...keys]
  const room = Math.max(...[...rows, ...theirs].map(([left]) => left.length).filter((length) => length <= 22))
  const list = (all: ReadonlyArray<readonly [string, string]>) =>
    all.map(([left, right]) => row(left, right, room, columns)).join("")
  return list(rows) + (theirs.length === 0 ? "" : `\nThe agent's own:\n${list(theirs)}`) +
    "\nA blank before the / sends it to the agent as it is.\n"
}

/** Whether an entry is an unknown command. Text that begins with an existing path is no command, nor is an indented line. */
export const isUnknownCommand = (
  entry: string,
  commands: ReadonlyArray<string>,
  exists: (path: string) => boolean = existsSync
): boolean => {
  const name = /^\/([a-z_-]+)(?=\s|$)/i.exec(entry)?.[1]
  return name !== undefined && !commands.some((known) => known.replace(/^\//, "") === name) && !exists(`/${name}`)
}

interface Conversation extends Participants {
  readonly sessionId: string
  /** Folder of the session. */
  readonly where: string
  /** The configured agent that new sessions get. */
  readonly alias: string | undefined
  /** Engages the emergency stop of this configuration. */
  readonly engageStop: Effect.Effect<unknown, { readonly message: string }>
  /** The session that the conversation is in from now on. */
  readonly moved: (to: { readonly sessionId: string; readonly where: string }) => void
}

const homely = (path: string): string => {
  const home = homedir()
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}

const isStandIn = (model: string) => model.startsWith("offline/")

/** Who one talks to, and about what. */
const banner = ({ agent, sessionId, view, where }: Conversation): string => {
  const { settings, styles } = view
  const model = settings.model()
  const mode = settings.mode()
  const facts = [
    ...(model === undefined ? [] : [`model ${oneLine(model.current)}`]),
    ...(mode === undefined ? [] : [`mode ${oneLine(shownSetting(mode))}`]),
    `folder ${oneLine(homely(where))}`
  ]
  const isNarrow = facts.join(" · ").length >= view.columns()
  const lines = [
    styles.bold(agent.name) + styles.dim(` · session ${oneLine(sessionId).slice(0, 8)} · /help`),
    ...(isNarrow ? facts : [facts.join(" · ")]).map(styles.dim),
    ...(model !== undefined && isStandIn(model.current)
      ? [styles.yellow("No real model is set up: this one only follows scripts. Run postern setup.")]
      : [])
  ]
  return lines.map((line) => `${line}\n`).join("")
}

const numbered = (tokens: number): string => tokens.toLocaleString("en")

/** The answer to `/cost`. */
const costs = ({ usage }: ClientView, turns: TurnTotals): string => {
  const known = usage()
  const lines = [
    ...(known === undefined || known.size === 0
      ? []
      : [
        `context  ${numbered(known.used)} of ${numbered(known.size)} tokens (${
          Math.round(known.used / known.size * 100)
        } %)`
      ]),
    ...(turns.input + turns.output === 0
      ? []
      : [
        `tokens   ${numbered(turns.input)} read, ${
          numbered(turns.output)
        } written, in ${turns.count} turns since this client began`
      ]),
    ...(known?.cost === undefined ? [] : [`cost     ${known.cost.amount.toFixed(4)} ${known.cost.currency}`])
  ]
  return lines.length === 0
    ? "  nothing is known yet\n"
    : [
      ...lines,
      ...(known?.cost === undefined ? ["cost     not known: the provider has no prices in the configuration"] : [])
    ]
      .map((line) => `  ${line}\n`).join("")
}

/** Tokens that the agent counted in the turns of this conversation. */
interface TurnTotals {
  count: number
  input: number
  output: number
}

const numberAt = (value: unknown, key: string): number => {
  const found = typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined
  return typeof found === "number" ? found : 0
}

/** Sets a choice of the session by a word of the user. Fails with what the agent says, or with all there is. */
export const choose = Effect.fnUntraced(
  function*({ agent, view }: Participants, sessionId: string, what: "model" | "mode", word: string) {
    const setting = view.settings[what]()
    if (setting === undefined) return yield* failure(`this agent offers no choice of a ${what}`)
    const value = valueIn(setting, word)
    const values = setting.values.map(({ value }) => value).join(", ")
    // An agent may take models that it does not list.
    if (value === undefined && what === "mode") {
      return yield* failure(`${oneLine(word)} is not one of the modes: ${values}`)
    }
    const said = yield* Effect.mapError(
      agent.set(sessionId, setting, value ?? word),
      (refused) =>
        value === undefined
          ? failure(`${oneLine(word)} is not one of the models: ${truncate(oneLine(values), 2000)}`)
          : refused
    )
    if (said?.configOptions !== undefined) view.settings.adopt({ ...said, modes: undefined })
    else view.settings.update({ sessionUpdate: "current_mode_update", currentModeId: value ?? word })
    return value ?? word
  }
)

/** Opens a session; its updates are shown from now on. */
export const open = Effect.fnUntraced(function*({ agent, view }: Participants, cwd: string, alias: string | undefined) {
  view.select(undefined)
  const opened = yield* agent.open({ cwd, alias })
  view.settings.adopt(opened)
  view.select(opened.sessionId)
  return opened.sessionId
})

const shownSession = ({ title, updatedAt }: AgentSession, now: number): string =>
  `${(updatedAt == null ? "" : age(updatedAt, now)).padEnd(7)} ${truncate(oneLine(title ?? "(no title)"), 120)}`

const clearScreen = "\u001b[2J\u001b[3J\u001b[H"

/** A conversation at the terminal, until the user leaves it. */
export const converse = Effect.fnUntraced(function*(first: Conversation) {
  const { agent, alias, moved, view } = first
  const { animate, editor, keyboard, screen, styles } = view
  if (editor === undefined || keyboard === undefined) return
  const terminal: Picker.PickerTerminal = { animate, editor, keyboard, screen, styles }
  const totals: TurnTotals = { count: 0, input: 0, output: 0 }
  let conversation = first
  let shared: ReadonlyArray<string> = []

  const enterSession = (to: { readonly sessionId: string; readonly where: string }) => {
    conversation = { ...conversation, ...to }
    shared = []
    moved(to)
    screen.separate()
    screen.write(banner(conversation))
  }

  const say = (text: string) => screen.write(text)

  const resume = Effect.fnUntraced(function*(id: string) {
    const { sessionId: current, where } = conversation
    if (!agent.can.list && id === "") return say("  this agent cannot list its sessions\n")
    const all = agent.can.list ? (yield* agent.list()).filter(({ sessionId }) => sessionId !== current) : []
    const now = yield* Clock.currentTimeMillis
    const here = all.filter(({ cwd }) => cwd === where).toSorted((a, b) =>
      (b.updatedAt ?? "") < (a.updatedAt ?? "") ? -1 : 1
    )
    if (id === "" && here.length === 0) return say("  there is no other session in this folder\n")
    const target = id === ""
      ? yield* Picker.pick("Resume", here.map((value) => ({ label: shownSession(value, now), value })), terminal)
      : yield* Resume.resolve(agent, { id }, { given: undefined, here: where }, () => Effect.undefined)
    if (target === undefined) return
    view.select(undefined)
    view.select(target.sessionId)
    const setup = yield* view.working(() => "Loading", Resume.enter(agent, target, true)).pipe(
      Effect.tapError(() => Effect.sync(() => view.select(current)))
    )
    view.close()
    view.settings.adopt(setup)
    if (agent.can.close) yield* agent.close(current)
    enterSession({ sessionId: target.sessionId, where: target.cwd })
  })

  const clear = Effect.gen(function*() {
    const { sessionId: before, where } = conversation
    const sessionId = yield* open(conversation, where, alias)
    if (agent.can.close) yield* agent.close(before)
    if (animate) {
      screen.lost()
      say(clearScreen)
    }
    enterSession({ sessionId, where })
  })

  const setting = Effect.fnUntraced(function*(what: "model" | "mode", word: string) {
    const found: Setting | undefined = view.settings[what]()
    if (found === undefined) return say(`  this agent offers no choice of a ${what}\n`)
    const items = found.values.map(({ name, value }) => ({
      label: `${name === value ? value : `${name} (${value})`}${value === found.current ? " ✓" : ""}`,
      value
    }))
    const chosen = word !== "" ? word : yield* Picker.pick(`Choose a ${what}`, items, terminal)
    if (chosen === undefined) return
    yield* choose(conversation, conversation.sessionId, what, chosen)
    const now = view.settings[what]()
    say(`  ${what}: ${oneLine(now === undefined ? chosen : shownSetting(now))}\n`)
  })

  const shell = Effect.fnUntraced(function*(command: string) {
    const result = yield* keyboard.released(ShellCommand.run(command, conversation.where, (text) => screen.write(text)))
    if (result.output !== "" && !result.output.endsWith("\n")) say("\n")
    if (result.problem !== undefined) say(styles.yellow(`  ${result.problem}\n`))
    shared = [...shared, ShellCommand.told(command, result)]
    say(styles.dim("  (goes along with your next message)\n"))
  })

  const ask = Effect.fnUntraced(function*(text: string) {
    for (let next: string | undefined = text; next !== undefined; next = view.takeInstead()) {
      if (next !== text) say(`${styles.bold("> ")}${oneLine(next)}\n`)
      say("\n")
      const before = shared.map((told) => ({ type: "text", text: told }) as const)
      const blocks = promptOf(next, conversation.where)
      shared = []
      // The message first: a command of the agent must stand at the beginning.
      const ended = yield* runTurn(conversation, { sessionId: conversation.sessionId, blocks: [...blocks, ...before] })
      totals.count++
      const counted = "usage" in ended.answer ? ended.answer["usage"] : undefined
      totals.input += numberAt(counted, "inputTokens")
      totals.output += numberAt(counted, "outputTokens")
      const trouble = troubleOf(ended)
      if (view.hasInstead()) continue
      if (ended.interrupted) say(styles.yellow("(cancelled)\n"))
      else if (trouble !== undefined) say(styles.red(`${trouble.message}\n`))
    }
  })

  const local = (name: string, rest: string) => {
    switch (otherNames[name] ?? name) {
      case "help":
        // The agent sends its commands after the session.
        return Effect.sleep("20 millis").pipe(
          Effect.repeat({ times: 24, until: () => view.commands().length > 0 }),
          Effect.andThen(Effect.sync(() => say(help(view.commands(), view.columns()))))
        )
      case "resume":
        return resume(rest)
      case "clear":
        return clear
      case "model":
      case "mode":
        return setting(name as "model" | "mode", rest)
      case "estop":
        return Effect.map(
          Effect.mapError(first.engageStop, ({ message }) => failure(message)),
          () => say("  everything is stopped; postern estop resume lifts it\n")
        )
      case "cost":
        return Effect.sync(() => say(costs(view, totals)))
      default:
        return undefined
    }
  }

  screen.separate()
  say(banner(conversation))
  while (true) {
    say("\n")
    screen.flush()
    const entry = yield* editor.prompt(styles.bold("> "), view.takeTyped())
    const text = entry?.trim()
    if (entry === undefined || text === undefined || text === "/exit" || text === "/quit") return
    if (text === "") continue
    if (entry.startsWith("!")) {
      if (text !== "!") yield* shell(text.slice(1).trim())
      continue
    }
    const [, name = "", rest = ""] = /^\/([\w-]+)(?:\s+([^]*))?$/.exec(entry.trimEnd()) ?? []
    const command = local(name, rest.trim())
    if (command !== undefined) {
      yield* Effect.catchTag(
        command,
        "CliFailure",
        ({ message }) => Effect.sync(() => say(styles.red(`  ${message}\n`)))
      )
      continue
    }
    if (isUnknownCommand(entry, view.commands().map((one) => one.name))) {
      say("  no such command; /help lists them\n")
      continue
    }
    yield* ask(text)
  }
})
