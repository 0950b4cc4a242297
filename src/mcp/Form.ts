import { Predicate } from "effect"

/** Forms of MCP servers as clients of ACP take them: the same schema, and not a key more (acp.md §2.4). */

type Fields = Readonly<Record<string, unknown>>

const common = ["type", "title", "description", "default"]
const numeric = [...common, "minimum", "maximum"]

const keys: Readonly<Record<string, ReadonlyArray<string> | undefined>> = {
  string: [...common, "minLength", "maxLength", "pattern", "enum", "oneOf"],
  number: numeric,
  integer: numeric,
  boolean: common,
  array: [...common, "minItems", "maxItems", "items"]
}

const formats: ReadonlyArray<unknown> = ["email", "uri", "date", "date-time"]

const pick = (fields: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))

/** Titles of values used to be a list of their own. */
const titled = ({ enum: values, enumNames, ...fields }: Fields): Fields =>
  !Array.isArray(values) || !Array.isArray(enumNames)
    ? (values === undefined ? fields : { ...fields, enum: values })
    : {
      ...fields,
      oneOf: values.map((value, index) => ({ const: value as unknown, title: String(enumNames[index] ?? value) }))
    }

const property = (fields: unknown): Fields | undefined => {
  if (!Predicate.isObject(fields)) return undefined
  const known = fields as Fields
  const names = keys[String(known["type"])]
  if (names === undefined) return undefined
  return { ...pick(titled(known), names), ...(formats.includes(known["format"]) ? { format: known["format"] } : {}) }
}

/** Nothing where a field that must be filled in is of a kind that no form has. */
export const of = (schema: Fields): Fields | undefined => {
  const given = Object.entries(Predicate.isObject(schema["properties"]) ? schema["properties"] : {})
  const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  const properties = new Map(given.flatMap(([name, fields]) => {
    const found = property(fields)
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
