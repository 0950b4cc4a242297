import { Effect, Predicate, Schema } from "effect"
import type { ToolContext, ToolFailed } from "../tool/Tool.ts"
import * as Form from "./Form.ts"
import * as Protocol from "./Protocol.ts"

/** Questions of a server to the user, asked on behalf of the call that it is working on. */

interface Answer {
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

const mostChoices = 8
const agree = new Map([["Accept", {}], ["Decline", undefined]])

/** A form of no or one field with few values is a plain choice, which every client can ask for. */
const asChoice = (schema: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> | undefined => {
  const properties = Object.entries(Predicate.isObject(schema["properties"]) ? schema["properties"] : {})
  const [first, ...more] = properties
  if (first === undefined) return agree
  const choices = more.length === 0 ? choicesOf(first[1]) : undefined
  if (choices === undefined || choices.size === 0 || choices.size > mostChoices) return undefined
  return new Map([
    ...Array.from(choices, ([title, value]) => [title, { [first[0]]: value }] as const),
    ["Decline", undefined] as const
  ])
}

/** Nobody who answers, or who can, means no. */
export const answer = Effect.fnUntraced(
  function*(server: string, params: unknown, { askUser }: Pick<ToolContext, "askUser">): Effect.fn.Return<
    Answer,
    ToolFailed | Schema.SchemaError
  > {
    const { message, mode = "form", requestedSchema = {} } = yield* readElicit(params)
    if (mode !== "form") return { action: "decline" }
    const question = `${server} (MCP server) asks: ${message}`
    const choices = asChoice(requestedSchema)
    if (choices === undefined) {
      const form = Form.of(requestedSchema)
      return form === undefined
        ? { action: "decline" }
        : { action: "accept", content: JSON.parse(yield* askUser(question, [], form)) as unknown }
    }
    const content = choices.get(yield* askUser(question, Array.from(choices.keys())))
    return content === undefined ? { action: "decline" } : { action: "accept", content }
  }
)
