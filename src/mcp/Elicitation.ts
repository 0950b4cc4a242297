import { Effect, Predicate, Schema } from "effect"
import type { ToolContext, ToolFailed } from "../tool/Tool.ts"
import * as Protocol from "./Protocol.ts"

/** Questions of a server to the user, asked on behalf of the call that it is working on: docs/mcp.md#forms. */

interface ElicitResult {
  readonly action: "accept" | "decline" | "cancel"
  readonly content?: unknown
}

const readElicit = Schema.decodeUnknownEffect(Protocol.Elicit)

/** The values that a property may take, with their titles, where there are only so many. */
const choicesOf = (property: unknown): ReadonlyMap<string, unknown> | undefined => {
  if (!Predicate.isObject(property)) return undefined
  const { enum: values, enumNames, oneOf, type } = property as Readonly<Record<string, unknown>>
  if (type === "boolean") return new Map<string, unknown>([["Yes", true], ["No", false]])
  if (Array.isArray(oneOf)) {
    const options = oneOf.filter(Predicate.isObject) as ReadonlyArray<Readonly<Record<string, unknown>>>
    return new Map(options.map(({ const: value, title }) => [String(title ?? value), value]))
  }
  return Array.isArray(values)
    ? new Map(
      values.map((value, index) => [String(Array.isArray(enumNames) ? enumNames[index] ?? value : value), value])
    )
    : undefined
}

const maxChoices = 8
const agree = new Map([["Accept", {}], ["Decline", undefined]])

/** A form of no or one field with few values is a plain choice, which every client can ask for. */
const asChoice = (schema: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> | undefined => {
  const properties = Object.entries(Predicate.isObject(schema["properties"]) ? schema["properties"] : {})
  const [first, ...more] = properties
  if (first === undefined) return agree
  const choices = more.length === 0 ? choicesOf(first[1]) : undefined
  if (choices === undefined || choices.size === 0 || choices.size > maxChoices) return undefined
  return new Map([
    ...Array.from(choices, ([title, value]) => [title, { [first[0]]: value }] as const),
    ["Decline", undefined] as const
  ])
}

/**
 * A form is the schema with the keys that ACP's forms have and no others:
 * https://agentclientprotocol.com/protocol/v1/elicitation.
 */
type Fields = Readonly<Record<string, unknown>>

const commonKeys = ["type", "title", "description", "default"]
const numericKeys = [...commonKeys, "minimum", "maximum"]

const keysOfType: Readonly<Record<string, ReadonlyArray<string> | undefined>> = {
  string: [...commonKeys, "minLength", "maxLength", "pattern", "enum", "oneOf"],
  number: numericKeys,
  integer: numericKeys,
  boolean: commonKeys,
  array: [...commonKeys, "minItems", "maxItems", "items"]
}

const formats: ReadonlyArray<unknown> = ["email", "uri", "date", "date-time"]

const pick = (fields: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))

/** Older servers send the titles of values as `enumNames`. */
const withTitles = ({ enum: values, enumNames, ...fields }: Fields): Fields =>
  !Array.isArray(values) || !Array.isArray(enumNames)
    ? (values === undefined ? fields : { ...fields, enum: values })
    : {
      ...fields,
      oneOf: values.map((value, index) => ({ const: value as unknown, title: String(enumNames[index] ?? value) }))
    }

const fieldOf = (fields: unknown): Fields | undefined => {
  if (!Predicate.isObject(fields)) return undefined
  const known = fields as Fields
  const names = keysOfType[String(known["type"])]
  if (names === undefined) return undefined
  return {
    ...pick(withTitles(known), names),
    ...(formats.includes(known["format"]) ? { format: known["format"] } : {})
  }
}

/** Nothing where a required field has a type that no form has. */
export const formOf = (schema: Fields): Fields | undefined => {
  const given = Object.entries(Predicate.isObject(schema["properties"]) ? schema["properties"] : {})
  const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  const properties = new Map(given.flatMap(([name, fields]) => {
    const found = fieldOf(fields)
    return found === undefined ? [] : [[name, found] as const]
  }))
  if (!required.every((name) => typeof name === "string" && properties.has(name))) return undefined
  return {
    type: "object",
    ...pick(schema, ["title", "description"]),
    properties: Object.fromEntries(properties),
    required
  }
}

/** Asks the user. Fails without an answer. */
export const answer = Effect.fnUntraced(
  function*(server: string, params: unknown, { askUser }: Pick<ToolContext, "askUser">): Effect.fn.Return<
    ElicitResult,
    ToolFailed | Schema.SchemaError
  > {
    const { message, mode = "form", requestedSchema = {} } = yield* readElicit(params)
    if (mode !== "form") return { action: "decline" }
    const question = `${server} (MCP server) asks: ${message}`
    const choices = asChoice(requestedSchema)
    if (choices === undefined) {
      const form = formOf(requestedSchema)
      return form === undefined
        ? { action: "decline" }
        : { action: "accept", content: JSON.parse(yield* askUser(question, [], { form })) as unknown }
    }
    const content = choices.get(yield* askUser(question, Array.from(choices.keys())))
    return content === undefined ? { action: "decline" } : { action: "accept", content }
  }
)
