import type { Command, Input } from "./Command.ts"
import { HOLE } from "./Words.ts"

/** What a pipeline stage prints, where its text alone tells: then the next stage reads literal text. */
export const outputOf = (stage: ReadonlyArray<Command>): string | undefined => {
  const command = stage.length === 1 ? stage[0] : undefined
  if (command === undefined || command.fields.writes.length > 0) return undefined
  if (command.program === "echo") return echoed(command)
  if (command.program === "printf") return printed(command)
  return command.program === "cat" && command.args.every((arg) => arg.guess === "-")
    ? command.fields.input.text
    : undefined
}

export const pipeInput = (stage: ReadonlyArray<Command>, earlier: ReadonlyArray<Command>): Input => {
  const text = outputOf(stage)
  return { text, fed: text === undefined || text.includes(HOLE), from: [...earlier, ...stage], file: undefined }
}

const echoed = (command: Command): string => {
  const words = command.args.map((arg) => arg.guess)
  let escapes = false
  while (words.length > 0 && /^-[neE]+$/.test(words[0]!)) escapes = words.shift()!.includes("e") || escapes
  const text = words.join(" ")
  return escapes ? unescape(text) : text
}

const printed = (command: Command): string | undefined => {
  const words = command.args.map((arg) => arg.guess)
  if (words[0] === "--") words.shift()
  const format = words.shift()
  if (format === undefined || format.startsWith("-v")) return undefined
  const once = (): string =>
    unescape(format).replace(
      /%(?:%|[-+ 0#]*\d*(?:\.\d+)?[a-zA-Z])/g,
      (spec) => spec === "%%" ? "%" : spec.endsWith("b") ? unescape(words.shift() ?? "") : (words.shift() ?? "")
    )
  let text = once()
  while (words.length > 0 && /%[^%]/.test(format)) text += once()
  return text
}

const simple: Readonly<Record<string, string>> = {
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

const unescape = (text: string): string =>
  text.replace(/\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|0?[0-7]{1,3}|[ntrabfve\\'"])/g, (_, code: string) => {
    if (code[0] === "x" || code[0] === "u") return String.fromCharCode(parseInt(code.slice(1), 16))
    return /^[0-7]/.test(code) ? String.fromCharCode(parseInt(code, 8)) : simple[code]!
  })
