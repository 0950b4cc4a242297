import { Effect, Option, Stream } from "effect"
import type { Prompt } from "effect/ai"
import { estimateTokens, type LastTurn, lastTurn, type ToolAnswer, userTexts } from "../LastTurn.ts"
import { parseScript, scriptCommands, type ScriptStep } from "./Script.ts"
import { RequestOptions } from "../RequestOptions.ts"
import type { ModelPrompt, ResponsePart } from "../ResponseParts.ts"
import { newId } from "../../domain/Id.ts"
import { offlineNotes } from "../CompactionPrompt.ts"
import { withoutMemory } from "../MemoryBlock.ts"

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
const showAnswer = ({ isFailure, name, text }: ToolAnswer): string => {
  const shown = beginning(text)
  if (shown.text.trim() === "") return isFailure ? `\`${name}\` failed.` : `\`${name}\` is done; it has no output.`
  const label = isFailure ? `\`${name}\` failed:` : `\`${name}\`:`
  const note = shown.note === "" ? "" : `\n${shown.note}`
  if (shown.text.includes("\n")) return `${label}\n${fenced(shown.text)}${note}`
  return (isFailure ? `${label} ${shown.text}` : shown.text) + note
}

interface IntroductionOptions {
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
    `To use a real model, run \`postern setup\`, or put this into \`${configFile}\`:`,
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
const introduce = (
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

type Kind = "text" | "reasoning"

/** Splits text into words, each with the white space that follows it. */
export const wordsOf = (text: string): ReadonlyArray<string> => text.match(/\S+\s*|^\s+/g) ?? []

/** Builds the parts of one response: opens and closes blocks, counts bytes. */
export class OfflineParts {
  private open: { readonly kind: Kind; readonly id: string } | undefined
  private readonly spoken = new Set<Kind>()
  private blocks = 0
  bytes = 0

  /** One delta per piece. A paragraph break goes in front of all but the first utterance of a kind. */
  say(kind: Kind, pieces: ReadonlyArray<string>, continued = false): Array<ResponsePart> {
    if (pieces.length === 0) return []
    const parts: Array<ResponsePart> = []
    if (this.open?.kind !== kind) {
      parts.push(...this.close())
      this.open = { kind, id: String(this.blocks++) }
      parts.push({ type: `${kind}-start`, id: this.open.id })
    }
    const { id } = this.open
    let prefix = this.spoken.has(kind) && !continued ? "\n\n" : ""
    for (const piece of pieces) {
      const delta = prefix + piece
      this.bytes += Buffer.byteLength(delta)
      parts.push({ type: `${kind}-delta`, id, delta })
      prefix = ""
    }
    this.spoken.add(kind)
    return parts
  }

  call(id: string, name: string, params: unknown): Array<ResponsePart> {
    this.bytes += Buffer.byteLength(JSON.stringify(params) ?? "")
    return [...this.close(), { type: "tool-call", id, name, params }]
  }

  finish(reason: "stop" | "tool-calls", inputTokens: number): Array<ResponsePart> {
    const total = Math.ceil(this.bytes / 4)
    return [...this.close(), {
      type: "finish",
      reason,
      usage: { inputTokens: { total: inputTokens }, outputTokens: { total } }
    }]
  }

  private close(): Array<ResponsePart> {
    const open = this.open
    this.open = undefined
    return open === undefined ? [] : [{ type: `${open.kind}-end`, id: open.id }]
  }
}

const deltasAtOnce = 256

/** Steps after the last executed call; those before it were in earlier responses of this turn. */
const remaining = (steps: ReadonlyArray<ScriptStep>, executed: number): ReadonlyArray<ScriptStep> => {
  let calls = 0
  const next = executed === 0 ? 0 : steps.findIndex((step) => step._tag === "Call" && ++calls === executed) + 1
  return executed > 0 && next === 0 ? [] : steps.slice(next)
}

/** The next response: a pure function of the turn so far and the offered tools. */
export const decide = (
  turn: LastTurn,
  tools: ReadonlySet<string>,
  options: IntroductionOptions
): ReadonlyArray<ScriptStep> => {
  const condensed = offlineNotes(turn.text)
  if (condensed !== undefined) return [{ _tag: "Say", text: condensed }]
  const script = parseScript(withoutMemory(turn.text))
  if (script === undefined) return introduce(turn, tools, options)
  const answer = turn.answers.at(-1)
  return [
    ...(answer === undefined ? [] : [{ _tag: "Say", text: showAnswer(answer) } as const]),
    ...remaining(script, turn.answers.length)
  ]
}

interface Pause {
  readonly seconds: number
}

interface Request {
  readonly tools: ReadonlySet<string>
  readonly inputTokens: number
  readonly callId: string
}

function* deltas(speech: OfflineParts, count: number): Generator<ReadonlyArray<ResponsePart>> {
  for (let start = 0; start < count; start += deltasAtOnce) {
    const pieces: Array<string> = []
    for (let i = start + 1; i <= Math.min(start + deltasAtOnce, count); i++) {
      pieces.push(`w${String(i).padStart(6, "0")} `)
    }
    yield speech.say("text", pieces, start > 0)
  }
}

function* perform(
  steps: ReadonlyArray<ScriptStep>,
  { callId, inputTokens, tools }: Request
): Generator<ReadonlyArray<ResponsePart> | Pause> {
  const speech = new OfflineParts()
  for (const step of steps) {
    switch (step._tag) {
      case "Say":
        yield speech.say("text", wordsOf(step.text))
        break
      case "Think":
        yield speech.say("reasoning", wordsOf(step.text))
        break
      case "Stream":
        yield* deltas(speech, step.count)
        break
      case "Wait":
        yield { seconds: step.seconds }
        break
      case "Call": {
        if (tools.size > 0) {
          yield [...speech.call(callId, step.tool, step.params), ...speech.finish("tool-calls", inputTokens)]
          return
        }
        yield speech.say("text", wordsOf(`\`${step.tool}\` is not offered in this request.`))
      }
    }
  }
  yield speech.finish("stop", inputTokens)
}

const notice =
  "This is the built-in offline model, which follows scripts and thinks nothing up; postern setup sets up a real one"

const isFree = (text: string): boolean => parseScript(withoutMemory(text)) === undefined

/** Whether this is the first request about what is no script: whoever wrote it may expect a real model. */
const meetsPerson = (prompt: Prompt.Prompt): boolean => {
  const { answers, text } = lastTurn(prompt)
  return answers.length === 0 && offlineNotes(text) === undefined && isFree(text) &&
    userTexts(prompt).filter(isFree).length === 1
}

/**
 * The built-in offline model: no network, no key. Its answer is a function of the prompt alone, so a turn can be
 * interrupted, stored and resumed at any tool boundary. See docs/models.md#offline-model.
 */
export const make = (options: IntroductionOptions) => (request: ModelPrompt): Stream.Stream<ResponsePart> =>
  Stream.unwrap(Effect.gen(function*() {
    const { onNotice } = yield* RequestOptions
    if (onNotice !== undefined && meetsPerson(request.prompt)) yield* onNotice(notice)
    const callId = newId()
    const tools = new Set(request.toolChoice === "none" ? [] : request.tools.map((tool) => tool.name))
    const steps = decide(lastTurn(request.prompt), tools, options)
    const performance = perform(steps, { tools, callId, inputTokens: estimateTokens(request.prompt) })
    return Stream.paginate(performance, (performance) => {
      const { done, value } = performance.next()
      if (done) return Effect.succeed([[], Option.none()] as const)
      const next = Option.some(performance)
      return "seconds" in value
        ? Effect.as(Effect.sleep(value.seconds * 1000), [[], next] as const)
        : Effect.succeed([value, next] as const)
    })
  }))
