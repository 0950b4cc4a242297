import { Effect, Predicate } from "effect"
import type { LineEditor } from "../terminal/LineEditor.ts"
import type { TextStyles } from "../terminal/Output.ts"
import { oneLine, plain } from "../terminal/Text.ts"

/** Forms of an agent, asked field by field: https://agentclientprotocol.com/protocol/v1/elicitation. */

type Table = Readonly<Record<string, unknown>>

export interface FormRequest {
  readonly message: string
  readonly requestedSchema?: Table
}

export type FormAnswer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" | "cancel" }

interface Choice {
  readonly value: unknown
  readonly title: string
}

/** The values that a field may take, where there are only so many. */
const choicesOf = ({ anyOf, enum: values, enumNames, oneOf, type }: Table): ReadonlyArray<Choice> | undefined => {
  if (type === "boolean") return [{ value: true, title: "Yes" }, { value: false, title: "No" }]
  const listed = [oneOf, anyOf].find(Array.isArray)
  if (listed !== undefined) {
    return listed.filter(Predicate.isObject).map((one) => {
      const { const: value, title } = one as Table
      return { value, title: String(title ?? value) }
    })
  }
  if (!Array.isArray(values)) return undefined
  return values.map((value, at) => ({
    value,
    title: String(Array.isArray(enumNames) ? enumNames[at] ?? value : value)
  }))
}

/** By number, by text, or by the only text that begins so. */
const choiceOf = (choices: ReadonlyArray<Choice>, typed: string): Choice | undefined => {
  const said = typed.trim().toLowerCase()
  if (said === "") return undefined
  const exact = choices.find(({ title, value }) => title.toLowerCase() === said || String(value).toLowerCase() === said)
  if (exact !== undefined) return exact
  const numbered = /^\d+$/.test(said) ? choices[Number(said) - 1] : undefined
  if (numbered !== undefined) return numbered
  const beginning = choices.filter(({ title }) => title.toLowerCase().startsWith(said))
  return beginning.length === 1 ? beginning[0] : undefined
}

type Read = { readonly value: unknown } | { readonly problem: string }

const numberIn = ({ maximum, minimum, type }: Table, typed: string): Read => {
  const value = Number(typed)
  if (typed.trim() === "" || !Number.isFinite(value)) return { problem: "A number is needed." }
  if (type === "integer" && !Number.isInteger(value)) return { problem: "A whole number is needed." }
  if (typeof minimum === "number" && value < minimum) return { problem: `It must be at least ${minimum}.` }
  if (typeof maximum === "number" && value > maximum) return { problem: `It must be at most ${maximum}.` }
  return { value }
}

const matches = (pattern: unknown, text: string): boolean => {
  if (typeof pattern !== "string") return true
  try {
    return new RegExp(pattern, "u").test(text)
  } catch {
    // The agent judges by a pattern that only it can read.
    return true
  }
}

const textIn = ({ maxLength, minLength, pattern }: Table, typed: string): Read => {
  const { length } = Array.from(typed)
  if (typeof minLength === "number" && length < minLength) {
    return { problem: `It needs at least ${minLength} characters.` }
  }
  if (typeof maxLength === "number" && length > maxLength) {
    return { problem: `It has more than ${maxLength} characters.` }
  }
  return matches(pattern, typed) ? { value: typed } : { problem: `It must match ${oneLine(String(pattern))}.` }
}

const listIn = ({ items, maxItems, minItems }: Table, typed: string): Read => {
  const words = typed.split(",").map((word) => word.trim()).filter((word) => word !== "")
  const choices = Predicate.isObject(items) ? choicesOf(items as Table) : undefined
  const found = words.map((word) => choices === undefined ? { value: word } : choiceOf(choices, word))
  const odd = words.find((_, at) => found[at] === undefined)
  if (odd !== undefined) return { problem: `${oneLine(odd)} is none of the choices.` }
  if (typeof minItems === "number" && found.length < minItems) return { problem: `It needs at least ${minItems}.` }
  if (typeof maxItems === "number" && found.length > maxItems) return { problem: `It may have at most ${maxItems}.` }
  return { value: found.map((one) => one?.value) }
}

/** What a typed line means for a field. */
export const fieldIn = (field: Table, typed: string): Read => {
  if (field["type"] === "array") return listIn(field, typed)
  const choices = choicesOf(field)
  if (choices !== undefined) {
    const found = choiceOf(choices, typed)
    return found === undefined ? { problem: `One of: ${choices.map(({ title }) => oneLine(title)).join(", ")}` } : found
  }
  return field["type"] === "number" || field["type"] === "integer" ? numberIn(field, typed) : textIn(field, typed)
}

const defaultText = (value: unknown): string =>
  value === undefined || value === null ? "" : Array.isArray(value) ? value.join(", ") : String(value)

const itemChoices = (field: Table): ReadonlyArray<Choice> | undefined =>
  field["type"] === "array"
    ? Predicate.isObject(field["items"]) ? choicesOf(field["items"] as Table) : undefined
    : choicesOf(field)

const menuOf = (field: Table, styles: TextStyles): string =>
  (itemChoices(field) ?? []).map(({ title }, at) => `  ${styles.bold(String(at + 1))}  ${oneLine(title)}\n`).join("")

const labelOf = (name: string, field: Table, isOnly: boolean, isNeeded: boolean): string => {
  const title = oneLine(typeof field["title"] === "string" ? field["title"] : name)
  const given = defaultText(field["default"])
  const many = field["type"] === "array" ? "several, with commas" : undefined
  const hint = [
    itemChoices(field) === undefined ? undefined : "number or text",
    many,
    given !== "" ? `Enter: ${oneLine(given)}` : isNeeded ? undefined : "Enter: none"
  ].filter((part) => part !== undefined)
  return `${isOnly ? "answer" : title}${hint.length === 0 ? "" : ` (${hint.join("; ")})`}: `
}

/** Asks until each field has a value that fits. The end of input declines. */
export const ask = Effect.fnUntraced(function*(
  { message, requestedSchema = {} }: FormRequest,
  editor: LineEditor,
  styles: TextStyles
): Effect.fn.Return<FormAnswer> {
  const properties = Predicate.isObject(requestedSchema["properties"]) ? requestedSchema["properties"] : {}
  const fields = Object.entries(properties).filter((entry): entry is [string, Table] => Predicate.isObject(entry[1]))
  const required = Array.isArray(requestedSchema["required"]) ? requestedSchema["required"] : []
  let shown = `${styles.yellow("?")} ${styles.bold(plain(message))}\n`
  if (fields.length === 0) {
    const answer = yield* editor.ask(shown, "[y/n] ")
    return /^y(es)?$/i.test(answer?.trim() ?? "") ? { action: "accept", content: {} } : { action: "decline" }
  }
  const content: Record<string, unknown> = {}
  for (const [name, field] of fields) {
    const isNeeded = required.includes(name)
    const about = fields.length > 1 && typeof field["description"] === "string"
      ? `  ${oneLine(field["description"])}\n`
      : ""
    shown += styles.dim(about) + menuOf(field, styles)
    while (true) {
      const typed = yield* editor.ask(shown, labelOf(name, field, fields.length === 1, isNeeded))
      if (typed === undefined) return { action: "decline" }
      const isEmpty = typed.trim() === ""
      if (isEmpty && field["default"] !== undefined) content[name] = field["default"]
      if (isEmpty && (field["default"] !== undefined || !isNeeded)) break
      const found: Read = isEmpty ? { problem: "An answer is needed." } : fieldIn(field, typed)
      if ("value" in found) {
        content[name] = found.value
        break
      }
      shown = styles.yellow(`  ${found.problem}\n`)
    }
    shown = ""
  }
  return { action: "accept", content }
})
