import { Tool } from "effect/ai"

export interface ToolDeclaration {
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly parameters: object
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const isNull = (schema: unknown) => isObject(schema) && schema["type"] === "null"

/** Removes `null` from optional properties: shorter, and some providers do not know unions. */
const withoutNull = (schema: unknown): unknown => {
  if (!isObject(schema) || !Array.isArray(schema["anyOf"])) return schema
  const { anyOf, ...rest } = schema
  const [one, ...more] = (anyOf as ReadonlyArray<unknown>).filter((part) => !isNull(part))
  if (!isObject(one)) return schema
  return more.length === 0 ? { ...one, ...rest } : { anyOf: [one, ...more], ...rest }
}

const isLimit = (key: string, value: unknown) =>
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER) || (key === "minimum" && value === Number.MIN_SAFE_INTEGER)

const simple = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(simple)
  if (!isObject(schema)) return schema
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (isLimit(key, value) || (key === "additionalProperties" && value === true)) return []
      if (key !== "properties" || !isObject(value)) return [[key, simple(value)]]
      return [[
        key,
        Object.fromEntries(
          Object.entries(value).map(([name, one]) => [name, simple(required.includes(name) ? one : withoutNull(one))])
        )
      ]]
    })
  )
}

const notAtTheTop: ReadonlySet<string> = new Set(["$schema", "allOf", "anyOf", "enum", "not", "oneOf"])

/** Providers require a plain object at the top. */
const parametersOf = (schema: Json): object => {
  const plain = Object.fromEntries(Object.entries(schema).filter(([key]) => !notAtTheTop.has(key)))
  return { type: "object", properties: {}, ...simple(plain) as Json }
}

const known = new WeakMap<Tool.Any, ToolDeclaration>()

/** The declaration of a tool for providers. */
export const declarationOf = (tool: Tool.Any): ToolDeclaration => {
  const found = known.get(tool)
  if (found !== undefined) return found
  const made = {
    name: tool.name,
    description: Tool.getDescription(tool) ?? "",
    parameters: parametersOf(Tool.getJsonSchema(tool))
  }
  known.set(tool, made)
  return made
}
