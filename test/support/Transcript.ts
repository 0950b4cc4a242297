import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import type { Host } from "./Host.ts"
import type { Json, Tap } from "./Wire.ts"

/** Keys of numbers and texts that depend on the machine, the clock, or the length of temporary paths. */
const volatile: Readonly<Record<string, string>> = {
  pid: "<pid>",
  server_pid: "<pid>",
  serverPid: "<pid>",
  used: "<tokens>",
  input_tokens: "<tokens>",
  inputTokens: "<tokens>",
  total_tokens: "<tokens>"
}

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string }

const width = 120

/** Values of this length (in characters) are written once; later an anchor stands for them. */
const long = 240

/** Fields that say what a message is come first; the others are sorted, since their order says nothing. */
const first = ["sessionUpdate", "type", "code", "message", "id", "name"]

const compare = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => {
  const [atA, atB] = [first.indexOf(a), first.indexOf(b)]
  return atA < 0 && atB < 0 ? (a < b ? -1 : 1) : atA < 0 ? 1 : atB < 0 ? -1 : atA - atB
}

const inline = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).sort(compare).map(([key, item]) => `${JSON.stringify(key)}: ${inline(item)}`)
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`
}

/** Text that is better read line by line. */
const hasLines = (value: unknown): boolean =>
  typeof value === "string"
    ? value.trimEnd().includes("\n") && value.length > 40
    : typeof value === "object" && value !== null && Object.values(value).some(hasLines)

/** A name that only another value changes, so that a diff does not show what merely moved. */
const anchorOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 6)

/**
 * JSON on one line where it fits, and text of several lines between triple quotes, so that a diff shows the line that changed. A long
 * value that comes again is written once, behind `&anchor`; later `*anchor` stands for it.
 */
class Printer {
  private readonly seen = new Map<string, number>()
  private readonly printed = new Set<string>()

  constructor(values: ReadonlyArray<unknown>) {
    for (const value of values) this.count(value)
  }

  private count(value: unknown): void {
    if (typeof value !== "object" || value === null) return
    const text = inline(value)
    const count = (this.seen.get(text) ?? 0) + 1
    this.seen.set(text, count)
    if (count === 1) { for (const item of Object.values(value)) this.count(item) }
  }

  print(value: unknown, indent: string, taken: number): string {
    const short = inline(value)
    const deeper = `${indent}  `
    if (typeof value === "string" && hasLines(value)) {
      const lines = value.split("\n").map((line) => JSON.stringify(line).slice(1, -1).replaceAll("\\\"", "\""))
      return ["\"\"\"", ...[...lines, "\"\"\""].map((line) => line === "" ? "" : deeper + line)].join("\n")
    }
    if (indent.length + taken + short.length <= width && !hasLines(value)) return short
    if (typeof value !== "object" || value === null) return short
    const comesAgain = short.length >= long && (this.seen.get(short) ?? 0) > 1
    const anchor = comesAgain ? anchorOf(short) : ""
    if (this.printed.has(anchor)) return `*${anchor}`
    if (comesAgain) this.printed.add(anchor)
    const mark = comesAgain ? `&${anchor} ` : ""
    if (Array.isArray(value)) {
      return `${mark}[\n${value.map((item) => deeper + this.print(item, deeper, 1)).join(",\n")}\n${indent}]`
    }
    const fields = Object.entries(value).sort(compare).map(([key, item]) => {
      const name = `${JSON.stringify(key)}: `
      return deeper + name + this.print(item, deeper, name.length + 1)
    })
    return `${mark}{\n${fields.join(",\n")}\n${indent}}`
  }
}

/**
 * Commands run without a sandbox, whatever this machine has. A `bwrap` that does nothing stands for one that works: what a machine lacks
 * would be told to clients.
 */
export const unsandboxed = (host: Host): NodeJS.ProcessEnv => {
  const programs = join(host.folder, "bin")
  mkdirSync(programs, { recursive: true })
  writeFileSync(join(programs, "bwrap"), "#!/bin/sh\nexit 1\n", { mode: 0o755 })
  return {
    ...host.env,
    PATH: `${programs}:${host.env["PATH"]}`,
    POSTERN_policy__sandbox: "danger-full-access",
    POSTERN_risk_profiles__default__sandbox_backend: undefined
  }
}

interface Entry {
  readonly mark: string
  readonly line: string
  /** Of `line`, if that is a message. */
  readonly message?: Json
}

/** Where the text of a streamed message is: how it is cut into chunks depends on timing. */
const chunk = ({ mark, message }: Entry): { readonly key: string; readonly text: Json } | undefined => {
  const { method, params } = message ?? {}
  if (method !== "session/update") return undefined
  const kind = params?.update?.sessionUpdate ?? params?.type
  if (!["agent_message_chunk", "agent_thought_chunk", "compaction_summary_chunk"].includes(kind)) return undefined
  const text = params.update?.content ?? params
  if (typeof text.text !== "string") return undefined
  const { compactionId, messageId } = params.update ?? {}
  return { key: [mark, kind, params.sessionId, params.subscription_id, compactionId, messageId].join(" "), text }
}

/** An update of a call: how often a command's output is shown before its end depends on timing. */
const callUpdate = ({ mark, message }: Entry): { readonly key: string; readonly update: Json } | undefined => {
  const { method, params } = message ?? {}
  const update = params?.update
  if (method !== "session/update" || update?.sessionUpdate !== "tool_call_update") return undefined
  return { key: [mark, params.sessionId, update.toolCallId].join(" "), update }
}

const progress = "content,sessionUpdate,toolCallId"

/** Numbers as they were written, where JavaScript has no such number. */
const parse = (line: string): unknown =>
  JSON.parse(
    line,
    (_, value: unknown, context?: { readonly source?: string }) =>
      typeof value === "number" && context?.source !== undefined && context.source !== String(value)
        ? `number ${context.source}`
        : value
  )

const parsed = (line: string): Json | undefined => {
  if (line.includes("[".repeat(100))) return undefined
  try {
    const message = parse(line) as Json | undefined
    return message?.["jsonrpc"] === "2.0" ? message : undefined
  } catch {
    return undefined
  }
}

const shortened = (text: string): string =>
  text.length <= 2000 ? text : `${text.slice(0, 100)} … ${text.length} characters … ${text.slice(-20)}`

/** Everything that clients and agent said to each other, in a form that is the same in every run. */
export class Transcript {
  private readonly entries: Array<Entry> = []
  private readonly names = new Map<string, string>()
  private readonly counts = new Map<string, number>()
  private readonly places: ReadonlyArray<readonly [string, string]>

  constructor(host: Host) {
    this.places = [
      [host.project, "<project>"],
      [host.config, "<config>"],
      [host.data, "<data>"],
      [host.folder, "<home>"],
      [process.execPath, "<node>"]
    ]
  }

  /** What a connection sees goes here; `name` tells connections apart. */
  tap(name = ""): Tap {
    return (direction, line) => {
      const mark = direction === "sent" ? `${name}→` : `${name}←`
      const message = parsed(line)
      const entry: Entry = { mark, line, ...(message === undefined ? {} : { message }) }
      this.entries.push(entry)
    }
  }

  /** A line of explanation. */
  note(text: string): void {
    this.entries.push({ mark: "#", line: text })
  }

  private named(kind: string, value: string): string {
    const known = this.names.get(value)
    if (known !== undefined) return known
    const count = (this.counts.get(kind) ?? 0) + 1
    this.counts.set(kind, count)
    const name = `<${kind} ${count}>`
    this.names.set(value, name)
    return name
  }

  private string(text: string): string {
    let known = text
    for (const [path, name] of this.places) known = known.replaceAll(path, name)
    return known
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => this.named("id", id))
      .replace(/\btui_[0-9a-f]{8}\b|\b[0-9a-f]{32}\b/g, (id) => this.named("id", id))
      .replace(/\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, "<time>")
      .replace(/[\d,]+ of ([\d,]+) tokens \(\d+ %\)/g, "<tokens> of $1 tokens")
      .replace(/about [\d,]+ tokens became [\d,]+/g, "about <tokens> tokens became <tokens>")
      .replace(/^unix:(?:unknown|pid=\d+,uid=\d+)$/, "unix:<peer>")
      .replace(/^\/(?:[\w.+-]+\/)*(?:ba|da|z)?sh$/, "<shell>")
  }

  private normal(value: unknown, key = ""): unknown {
    const name = volatile[key]
    if (name !== undefined && (typeof value === "number" || typeof value === "string")) return name
    if (typeof value === "number" && value > 1.7e9) return "<time>"
    if (key.toLowerCase().endsWith("version") && value === version) return "<version>"
    if (typeof value === "string") return this.string(value)
    if (Array.isArray(value)) return value.map((item) => this.normal(item))
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.string(key), this.normal(item, key)]))
  }

  /** Head and value: `→ ID METHOD PARAMS`, `← METHOD PARAMS`, `← ID result RESULT`, `← ID error ERROR`; anything else is raw. */
  private parts({ line, mark, message }: Entry): readonly [string, unknown] {
    const { error, id, jsonrpc: _, method, params, result } = message ?? {}
    const keys = Object.keys(message ?? {}).filter((key) => !["jsonrpc", "id"].includes(key)).sort().join()
    const head = (what: string) => [mark, ...(id === undefined ? [] : [inline(this.normal(id))]), what].join(" ")
    if (typeof method === "string" && ["method", "method,params"].includes(keys)) {
      return [head(method), this.normal(params)]
    }
    if (keys === "result") return [head("result"), this.normal(result)]
    if (keys === "error") return [head("error"), this.normal(error)]
    const text = this.string(shortened(line))
    return [mark === "#" ? `\n# ${text}` : `${mark} raw ${text.trim() === "" ? JSON.stringify(text) : text}`, undefined]
  }

  /**
   * What connections receive at the same time is sorted by connection, since sockets have no common order; neighbouring pieces of
   * one text are joined, and what a command printed before its end is part of that.
   */
  private settled(): ReadonlyArray<Entry> {
    const sorted: Array<Entry> = []
    let received: Array<Entry> = []
    const flush = () => {
      sorted.push(...received.sort((a, b) => a.mark < b.mark ? -1 : a.mark > b.mark ? 1 : 0))
      received = []
    }
    for (const entry of this.entries) {
      if (entry.mark.endsWith("←")) received.push(entry)
      else {
        flush()
        sorted.push(entry)
      }
    }
    flush()
    return sorted.reduce<Array<Entry>>((whole, entry) => {
      const copy = structuredClone(entry)
      const before = whole.at(-1)
      const [last, now] = [before && chunk(before), chunk(copy)]
      if (last && now && last.key === now.key) {
        now.text["text"] = last.text["text"] + now.text["text"]
        whole.pop()
      }
      const [shown, next] = [before && callUpdate(before), callUpdate(copy)]
      if (shown && next && shown.key === next.key && Object.keys(shown.update).toSorted().join() === progress) {
        next.update["content"] ??= shown.update["content"]
        whole.pop()
      }
      whole.push(copy)
      return whole
    }, [])
  }

  toString(): string {
    const parts = this.settled().map((entry) => this.parts(entry))
    const printer = new Printer(parts.map(([, value]) => value))
    return parts.map(([head, value]) =>
      value === undefined ? `${head}\n` : `${head} ${printer.print(value, "", head.length + 1)}\n`
    ).join("").trimStart()
  }

  /** Compares with `transcripts/NAME.txt` beside the test; see docs/development.md#transcripts. */
  async matches(name: string): Promise<void> {
    await expect(this.toString()).toMatchFileSnapshot(`transcripts/${name}.txt`)
  }
}
