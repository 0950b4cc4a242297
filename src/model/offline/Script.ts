import { Result } from "effect"

/** One step of an offline script. See docs/models.md#script-commands. */
export type ScriptStep =
  | { readonly _tag: "Say"; readonly text: string }
  | { readonly _tag: "Think"; readonly text: string }
  | { readonly _tag: "Stream"; readonly count: number }
  | { readonly _tag: "Wait"; readonly seconds: number }
  | { readonly _tag: "Call"; readonly tool: string; readonly params: unknown }

/** The commands, for help texts. */
export const scriptCommands = [
  "read PATH",
  "list [PATH]",
  "search REGEX [PATH]",
  "glob PATTERN",
  "write PATH (then lines, up to a line \".\")",
  "edit PATH (then old text, a line \"---\", new text, up to a line \".\")",
  "run COMMAND",
  "call TOOL JSON",
  "deliver PATH",
  "ask QUESTION | CHOICE | CHOICE",
  "say TEXT",
  "think TEXT",
  "plan A; B; C",
  "stream N",
  "wait SECONDS"
] as const

/** Reads the lines of a prompt; `block` reads the lines of a command up to a line `.` or the end. */
class Lines {
  private readonly lines: ReadonlyArray<string>
  private position = 0

  constructor(text: string) {
    let end = text.length
    while (text[end - 1] === "\n" || text[end - 1] === "\r") end--
    this.lines = text.slice(0, end).split(/\r?\n/)
  }

  next(): string | undefined {
    return this.lines[this.position++]
  }

  block(): ReadonlyArray<string> {
    const end = this.lines.indexOf(".", this.position)
    const lines = this.lines.slice(this.position, end === -1 ? undefined : end)
    this.position = end === -1 ? this.lines.length : end + 1
    return lines
  }
}

const say = (text: string): ScriptStep => ({ _tag: "Say", text })
const call = (tool: string, params: unknown): ScriptStep => ({ _tag: "Call", tool, params })
const usage = (form: string): ScriptStep => say(`That command needs its argument: \`${form}\`.`)
const items = (text: string, separator: string) =>
  text.split(separator).map((item) => item.trim()).filter((item) => item !== "")

const search = (argument: string): ScriptStep => {
  const [, quote, quoted, plain, path] = /^(?:(["'])(.*?)\1(?=\s|$)|(\S+))\s*(.*)$/.exec(argument) ?? []
  const pattern = quote === undefined ? plain : quoted
  if (pattern === undefined || pattern === "") return usage("search REGEX [PATH]")
  return call("content_search", path ? { pattern, path } : { pattern })
}

const edit = (path: string, lines: Lines): ScriptStep => {
  const block = lines.block()
  const middle = block.indexOf("---")
  if (path === "") return usage("edit PATH")
  if (middle < 1) return say("`edit` needs the old text, a line `---`, and the new text.")
  return call("file_edit", {
    path,
    old_string: block.slice(0, middle).join("\n"),
    new_string: block.slice(middle + 1).join("\n")
  })
}

const callTool = (argument: string): ScriptStep => {
  const [, tool, json] = /^(\S+)\s*(.*)$/.exec(argument) ?? []
  if (tool === undefined) return usage("call TOOL JSON")
  return Result.match(Result.try(() => JSON.parse(json || "{}") as unknown), {
    onFailure: () => say(`\`call ${tool}\`: the arguments are not valid JSON: ${json}`),
    onSuccess: (params) => call(tool, params)
  })
}

const withArgument = (form: string, argument: string, make: (argument: string) => ScriptStep): ScriptStep =>
  argument === "" ? usage(form) : make(argument)

/** `undefined` when the line is no command. A command with a missing argument becomes a text that says so. */
const step = (line: string, lines: Lines): ScriptStep | undefined => {
  const [, name, rest = ""] = /^([a-z]+)(?:[ \t]+(.*))?$/.exec(line.trim()) ?? []
  const argument = rest.trim()
  switch (name) {
    case "read":
      return withArgument("read PATH", argument, (path) => call("file_read", { path }))
    case "list":
      return call("file_list", { path: argument || "." })
    case "search":
      return search(argument)
    case "glob":
      return withArgument("glob PATTERN", argument, (pattern) => call("glob_search", { pattern }))
    case "write": {
      const content = lines.block().map((text) => `${text}\n`).join("")
      return withArgument("write PATH", argument, (path) => call("file_write", { path, content }))
    }
    case "edit":
      return edit(argument, lines)
    case "run": {
      const command = argument || lines.block().join("\n").trim()
      return withArgument("run COMMAND", command, (command) => call("shell", { command }))
    }
    case "call":
      return callTool(argument)
    case "deliver":
      return withArgument("deliver PATH", argument, (path) => call("deliver_file", { path }))
    case "ask": {
      const [question, ...choices] = items(argument, "|")
      return question === undefined ? usage("ask QUESTION | CHOICE | CHOICE") : call("ask_user", { question, choices })
    }
    case "say":
      return say(argument)
    case "think":
      return { _tag: "Think", text: argument }
    case "plan":
      return withArgument(
        "plan A; B; C",
        argument,
        () => call("TodoWrite", { todos: items(argument, ";").map((content) => ({ content, status: "pending" })) })
      )
    case "stream": {
      return /^\d{1,7}$/.test(argument) ? { _tag: "Stream", count: Number(argument) } : undefined
    }
    case "wait": {
      return /^\d{1,6}(\.\d+)?$/.test(argument) ? { _tag: "Wait", seconds: Number(argument) } : undefined
    }
    default:
      return undefined
  }
}

/** The steps of a prompt whose first line is a command; `undefined` for any other prompt. */
export const parseScript = (prompt: string): ReadonlyArray<ScriptStep> | undefined => {
  const lines = new Lines(prompt)
  const steps: Array<ScriptStep> = []
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    if (line.trim() === "") continue
    const next = step(line, lines)
    if (next === undefined && steps.length === 0) return undefined
    steps.push(next ?? say(`This line is no command of the offline model: \`${line.trim()}\``))
  }
  return steps.length === 0 ? undefined : steps
}
