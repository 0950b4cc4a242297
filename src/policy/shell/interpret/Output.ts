import { resolve } from "../parse/Paths.ts"
import { type Arg, type Command, HOLE, type Input } from "../programs/Command.ts"

/** What commands print, where their words and the texts they are given tell. */
export interface Printed {
  readonly text: string
  /** It is exactly that text. */
  readonly exact: boolean
}

/** What one command prints to the next, where its text alone tells. */
export const outputOf = (stage: ReadonlyArray<Command>): Printed | undefined => {
  const command = stage.length === 1 ? stage[0] : undefined
  return command === undefined || command.fields.writes.length > 0 ? undefined : printedBy(command)
}

/** What a command prints, redirects aside, where its text and the files that were written before it tell. */
export const printedBy = (command: Command): Printed | undefined => {
  const { args, fields: { cwd, input, written }, program, row, words } = command
  const exact = isExact(args)
  if (program === "echo") return { text: echoed(command), exact }
  if (program === "printf") {
    const made = formatted(words)
    return made && { text: made.text, exact: exact && made.isPlain }
  }
  if (exact && /^(which|command|type)$/.test(program)) {
    const [option, name, ...more] = program === "which" ? ["", ...words] : words
    const isAsked = program === "which" || /^-[vpP]$/.test(option ?? "")
    return isAsked && more.length === 0 && /^[\w.+-]+$/.test(name ?? "")
      ? { text: `/usr/bin/${name}\n`, exact: false }
      : undefined
  }
  const filter = exact && input.text !== undefined ? filters[program] : undefined
  if (filter !== undefined) {
    const text = filter(words, input.text!)
    return text === undefined ? undefined : { text, exact: input.exact === true }
  }
  if (exact && (program === "basename" || program === "dirname")) {
    const text = partOfPath(program, words)
    return text === undefined ? undefined : { text: `${text}\n`, exact: true }
  }
  if (!row.is("passes-input")) return undefined
  if (words.every((word) => word === "-")) {
    return input.text === undefined ? undefined : { text: input.text, exact: input.exact === true }
  }
  const texts = words.map((word) => written.get(resolve(word, cwd) ?? ""))
  return texts.every((text) => text !== undefined) ? { text: texts.join("\n"), exact: false } : undefined
}

/** What a stage of a pipeline is given by those before it. */
export const pipeInput = (stage: ReadonlyArray<Command>, earlier: ReadonlyArray<Command>): Input => {
  const printed = outputOf(stage)
  return {
    text: printed?.text,
    exact: printed?.exact ?? false,
    fed: printed === undefined || printed.text.includes(HOLE),
    from: [...earlier, ...stage],
    file: undefined
  }
}

const partOfPath = (program: string, words: ReadonlyArray<string>): string | undefined => {
  const [path = "", ending, ...more] = words
  if (path === "" || words.some((word) => word.startsWith("-")) || more.length > 0) return undefined
  const plain = path.replace(/(?<=[^/])\/+$/, "")
  const slash = plain.lastIndexOf("/")
  if (program === "dirname") {
    return ending !== undefined ? undefined : slash < 0 ? "." : plain.slice(0, slash).replace(/\/+$/, "") || "/"
  }
  const base = plain.slice(slash + 1)
  return ending !== undefined && base.endsWith(ending) && base !== ending ? base.slice(0, -ending.length) : base
}

const lines = (text: string, change: (line: string) => string): string => text.replace(/[^\n]+/g, change)

const classes: Readonly<Record<string, string>> = { "[:upper:]": "A-Z", "[:lower:]": "a-z", "[:digit:]": "0-9" }

/** The characters of a set of `tr`. */
const setOf = (text: string): ReadonlyArray<string> | undefined => {
  const plain = text.replace(/\[:\w+:\]/g, (name) => classes[name] ?? name)
  if (/[\\[]/.test(plain)) return undefined
  const found: Array<string> = []
  for (let at = 0; at < plain.length; at++) {
    const from = plain.charCodeAt(at)
    const to = plain[at + 1] === "-" && at + 2 < plain.length ? plain.charCodeAt(at + 2) : from
    if (to < from) return undefined
    for (let code = from; code <= to; code++) found.push(String.fromCharCode(code))
    if (to !== from || plain[at + 1] === "-" && at + 2 < plain.length) at += 2
  }
  return found
}

/** Programs that change the text they are given in a way that is easily followed. */
const filters: Readonly<Record<string, (words: ReadonlyArray<string>, text: string) => string | undefined>> = {
  rev: (words, text) => words.length > 0 ? undefined : lines(text, (line) => [...line].reverse().join("")),
  tr: (words, text) => {
    const deletes = words[0] === "-d"
    const [from = "", to = "", ...more] = deletes ? words.slice(1) : words
    const [left, right] = [setOf(from), setOf(to)]
    if (from.startsWith("-") || more.length > 0 || left === undefined || right === undefined) return undefined
    if (deletes) return to === "" ? [...text].filter((char) => !left.includes(char)).join("") : undefined
    if (right.length === 0) return undefined
    return [...text].map((char) => {
      const at = left.lastIndexOf(char)
      return at < 0 ? char : right[Math.min(at, right.length - 1)]!
    }).join("")
  },
  sed: ([script = "", ...more], text) => {
    const [, from, to, all] = /^s\/([\w .,:=@-]+)\/([\w .,:=@-]*)\/(g?)$/.exec(script) ?? []
    if (from === undefined || from.includes(".") || more.length > 0) return undefined
    return lines(text, (line) => all === "g" ? line.replaceAll(from, to!) : line.replace(from, to!))
  }
}

const echoed = (command: Command): string => {
  const words = [...command.words]
  let interprets = false
  let ends = "\n"
  while (words.length > 0 && /^-[neE]+$/.test(words[0]!)) {
    const option = words.shift()!
    interprets = option.includes("e") || interprets
    if (option.includes("n")) ends = ""
  }
  const text = words.join(" ")
  return (interprets ? unescape(text) : text) + ends
}

interface Formatted {
  readonly text: string
  /** Every directive only puts a word in its place. */
  readonly isPlain: boolean
}

/** What `printf` makes of its words; `undefined` where it sets a variable. */
export const formatted = (given: ReadonlyArray<string>): Formatted | undefined => {
  const words = given[0] === "--" ? given.slice(1) : given
  const [format] = words
  if (format === undefined || format.startsWith("-v")) return undefined
  const plain = unescape(format)
  let at = 1
  let isPlain = true
  const once = (): string =>
    plain.replace(/%(?:%|[-+ 0#]*\d*(?:\.\d+)?(?:\([^)]*\))?[a-zA-Z])/g, (directive) => {
      if (directive === "%%") return "%"
      const word = words[at++] ?? ""
      if (directive.endsWith("b")) return unescape(word)
      if (directive !== "%s" && !(directive === "%d" && /^[1-9]\d*$/.test(word))) isPlain = false
      return directive.endsWith("T") ? HOLE : word
    })
  let text = once()
  while (at < words.length && /%[^%]/.test(plain)) {
    const before = at
    text += once()
    if (at === before) break
  }
  return { text, isPlain }
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\x1b",
  "\\": "\\",
  "'": "'",
  "\"": "\""
}

export const unescape = (text: string): string =>
  text.replace(/\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|0?[0-7]{1,3}|[ntrabfve\\'"])/g, (_, code: string) => {
    if (code[0] === "x" || code[0] === "u") return String.fromCharCode(parseInt(code.slice(1), 16))
    return /^[0-7]/.test(code) ? String.fromCharCode(parseInt(code, 8)) : escapes[code]!
  })

/** The text of words that nothing but the command line decides. */
export const isExact = (args: ReadonlyArray<Arg>): boolean =>
  args.every((arg) => (arg.value !== null || arg.exact) && !arg.glob)
