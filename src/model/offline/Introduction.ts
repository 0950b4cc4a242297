import type { LastTurn, ToolAnswer } from "../LastTurn.ts"
import { scriptCommands, type ScriptStep } from "./Script.ts"

const maxLines = 60
const maxCharacters = 4_000

const plural = (count: number, noun: string) => `${count} more ${noun}${count === 1 ? "" : "s"}`

interface Beginning {
  readonly text: string
  /** Says how much is left out; empty when nothing is. */
  readonly note: string
}

/** The beginning of a long text, in whole lines. */
export const beginning = (text: string, lines = maxLines, characters = maxCharacters): Beginning => {
  const all = text.trimEnd().split("\n")
  let kept = 0
  for (let length = 0; kept < all.length && kept < lines; kept++) {
    length += (all[kept]?.length ?? 0) + 1
    if (length > characters) break
  }
  if (kept === all.length) return { text: all.join("\n"), note: "" }
  if (kept > 0) return { text: all.slice(0, kept).join("\n"), note: `(${plural(all.length - kept, "line")})` }
  const line = all[0] ?? ""
  return { text: line.slice(0, characters), note: `(${plural(line.length - characters, "character")})` }
}

/** A fence longer than any run of backticks inside, so that file contents cannot end the block. */
export const fenced = (text: string): string => {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

/** A tool's answer as message text: one line stays a sentence, more become a code block. */
export const showAnswer = ({ isFailure, name, text }: ToolAnswer): string => {
  const shown = beginning(text)
  if (shown.text.trim() === "") return isFailure ? `\`${name}\` failed.` : `\`${name}\` is done; it has no output.`
  const label = isFailure ? `\`${name}\` failed:` : `\`${name}\`:`
  const note = shown.note === "" ? "" : `\n${shown.note}`
  if (shown.text.includes("\n")) return `${label}\n${fenced(shown.text)}${note}`
  return (isFailure ? `${label} ${shown.text}` : shown.text) + note
}

export interface IntroductionOptions {
  readonly configFile: string
}

const introduction = "I am Postern's built-in offline model: a rule-based stand-in that needs no network and no key. " +
  "I cannot answer freely, but I can show you around and run tools through the same loop and gates as a real model."

const readmeOf = (listing: ToolAnswer | undefined): string | undefined =>
  listing === undefined || listing.isFailure
    ? undefined
    : /(?:^|[\s/])(readme(?:\.(?:md|markdown|rst|txt))?)(?=\s|$)/im.exec(listing.text)?.[1]

/** `file_read` puts line numbers in front; which do not belong to the title. */
const titleOf = (answer: ToolAnswer | undefined): string | undefined => {
  if (answer === undefined || answer.isFailure) return undefined
  const lines = answer.text.split("\n").map((line) => line.replace(/^\s*\d+\s*[:|→\t]\s?/, ""))
  const title = lines.find((line) => /^#+\s+\S/.test(line)) ?? lines.find((line) => line.trim() !== "")
  return title?.replace(/^#+\s+/, "").trim()
}

const workspace = (listing: ToolAnswer | undefined, title: string | undefined): string => {
  if (listing === undefined) {
    return "No tool to list files is offered in this request, so I cannot look at the workspace."
  }
  if (listing.isFailure) return `I could not list the workspace: ${beginning(listing.text, 5, 500).text}`
  const { note, text } = beginning(listing.text, 30, 2_000)
  const list = text.trim() === "" ? "The workspace is empty." : `This is what is in the workspace:\n${fenced(text)}`
  const readme = title === undefined ? "" : `Its README begins with “${title}”.`
  return [list, note, readme].filter((line) => line !== "").join("\n")
}

const help = (tools: ReadonlySet<string>): string =>
  [
    "When the first line of a message is one of these commands, I run it as a script, one command after the other:",
    ...scriptCommands
      .filter((command) => !command.startsWith("ask ") || tools.has("ask_user"))
      .map((command) => `- \`${command}\``)
  ].join("\n")

const realModel = (configFile: string): string =>
  [
    `To use a real model, put this into \`${configFile}\`:`,
    "```toml",
    "[agents.main]",
    "model = \"anthropic/claude-sonnet-4.6\"   # \"<provider alias>/<model id>\"",
    "",
    "[providers.anthropic]",
    "kind = \"anthropic\"                      # anthropic | openai-compatible | offline",
    "api_key_env = \"ANTHROPIC_API_KEY\"",
    "```"
  ].join("\n")

/** Answers a prompt that is no script: at most two tool calls, then one text. */
export const introduce = (
  turn: LastTurn,
  tools: ReadonlySet<string>,
  options: IntroductionOptions
): ReadonlyArray<ScriptStep> => {
  const [listing, readme] = turn.answers
  if (listing === undefined && tools.has("file_list")) {
    return [{ _tag: "Call", tool: "file_list", params: { path: "." } }]
  }
  const path = readmeOf(listing)
  if (path !== undefined && readme === undefined && tools.has("file_read")) {
    return [{ _tag: "Call", tool: "file_read", params: { path, limit: 20 } }]
  }
  const text = [
    introduction,
    workspace(listing, titleOf(readme)),
    help(tools),
    realModel(options.configFile)
  ].join("\n\n")
  return [{ _tag: "Say", text }]
}
