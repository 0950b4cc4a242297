/**
 * Input schemas of servers as every provider takes them. Providers refuse a whole request for one property that they do
 * not like: https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use,
 * https://platform.openai.com/docs/guides/function-calling.
 */

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const types = new Set(["string", "number", "integer", "boolean", "object", "array", "null"])

/** Deeper schemas and references are any value. */
const maxDepth = 12

/** Where arguments have to be renamed on their way back. */
interface Renames {
  /** By the name that the model uses. */
  readonly properties: Map<string, { readonly name: string; readonly renames: Renames }>
  items: Renames | undefined
}

const none = (): Renames => ({ properties: new Map(), items: undefined })

const legal = (name: string): boolean => /^[a-zA-Z0-9_-]{1,64}$/.test(name)

/** A name that every provider takes, and that no other property has. */
const legalName = (name: string, taken: ReadonlySet<string>): string => {
  const plain = name.replace(/[^a-zA-Z0-9_-]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 64) || "property"
  let free = plain
  for (let next = 2; taken.has(free); next++) free = `${plain.slice(0, 60)}_${next}`
  return free
}

const typeOf = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
    ? "array"
    : typeof value === "number"
    ? "number"
    : typeof value === "boolean"
    ? "boolean"
    : typeof value === "object"
    ? "object"
    : "string"

const counts = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"] as const
const numbers = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] as const
const texts = ["title", "description", "format"] as const
const unions = ["anyOf", "oneOf", "allOf"] as const

const isPattern = (value: unknown): value is string => {
  if (typeof value !== "string") return false
  try {
    return new RegExp(value, "u") instanceof RegExp
  } catch {
    return false
  }
}

/** Limits in the spelling of draft 4, where a boolean made `minimum` an exclusive one. */
const limits = (schema: Json): Json => {
  const found: Record<string, unknown> = {}
  for (const key of numbers) {
    if (typeof schema[key] === "number" && Number.isFinite(schema[key])) found[key] = schema[key]
  }
  for (const [inclusive, exclusive] of [["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"]] as const) {
    if (schema[exclusive] !== true || !(inclusive in found)) continue
    found[exclusive] = found[inclusive]
    delete found[inclusive]
  }
  for (const key of counts) {
    const value = schema[key]
    if (typeof value === "number" && Number.isInteger(value) && value >= 0) found[key] = value
  }
  return found
}

class Repair {
  private readonly root: Json

  constructor(root: Json) {
    this.root = root
  }

  /** The part of the schema that a local reference names. */
  private resolve(reference: unknown): unknown {
    if (typeof reference !== "string" || !reference.startsWith("#/")) return reference === "#" ? this.root : undefined
    let found: unknown = this.root
    for (const part of reference.slice(2).split("/")) {
      const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")
      found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined
    }
    return found
  }

  schema(given: unknown, renames: Renames, depth: number): Json {
    if (!isObject(given)) return { type: "string" }
    if (depth > maxDepth) return { type: "object" }
    if (given["$ref"] !== undefined) {
      const { $ref, ...rest } = given
      const target = this.resolve($ref)
      return this.schema(isObject(target) ? { ...target, ...rest } : { type: "object", ...rest }, renames, depth + 1)
    }
    const made: Record<string, unknown> = { ...limits(given) }
    for (const key of texts) if (typeof given[key] === "string") made[key] = given[key]
    if (isPattern(given["pattern"])) made["pattern"] = given["pattern"]
    if (Array.isArray(given["enum"]) && given["enum"].length > 0) made["enum"] = given["enum"]
    if ("const" in given) made["enum"] = [given["const"]]
    if ("default" in given) made["default"] = given["default"]
    for (const key of unions) {
      const options = given[key]
      if (Array.isArray(options) && options.length > 0) {
        made[key] = options.map((option) => this.schema(option, renames, depth + 1))
      }
    }
    const kinds = this.kinds(given, made)
    if (kinds.length > 1) made["anyOf"] = kinds.map((type) => ({ type, ...this.inside(type, given, renames, depth) }))
    else if (kinds[0] !== undefined) {
      Object.assign(made, { type: kinds[0] }, this.inside(kinds[0], given, renames, depth))
    }
    return made
  }

  /** What the values may be: as the schema says, or as the rest of it tells. */
  private kinds(given: Json, made: Json): ReadonlyArray<string> {
    const named = (Array.isArray(given["type"]) ? given["type"] : [given["type"]]).filter((type): type is string =>
      typeof type === "string" && types.has(type)
    )
    if (named.length > 1) {
      const real = named.filter((type) => type !== "null")
      return "anyOf" in made ? real.slice(0, 1) : real
    }
    if (named.length === 1) return named
    if (isObject(given["properties"])) return ["object"]
    if ("items" in given) return ["array"]
    if (Array.isArray(made["enum"])) return [typeOf(made["enum"][0])]
    return unions.some((key) => key in made) ? [] : ["string"]
  }

  private inside(type: string, given: Json, renames: Renames, depth: number): Json {
    if (type === "array") {
      const items = Array.isArray(given["items"]) ? given["items"][0] : given["items"]
      renames.items ??= none()
      return { items: this.schema(items, renames.items, depth + 1) }
    }
    return type === "object" ? this.properties(given, renames, depth) : {}
  }

  private properties(given: Json, renames: Renames, depth: number): Json {
    if (!isObject(given["properties"])) return {}
    const names = Object.keys(given["properties"])
    const taken = new Set(names.filter(legal))
    const own = new Map<string, string>()
    for (const name of names) {
      const sent = legal(name) ? name : legalName(name, taken)
      taken.add(sent)
      own.set(name, sent)
    }
    const properties = Object.fromEntries(
      Object.entries(given["properties"]).map(([name, schema]) => {
        const inner = none()
        const sent = own.get(name) ?? name
        const made = this.schema(schema, inner, depth + 1)
        if (sent !== name || inner.properties.size > 0 || inner.items !== undefined) {
          renames.properties.set(sent, { name, renames: inner })
        }
        return [sent, made]
      })
    )
    const required = (Array.isArray(given["required"]) ? given["required"] : []).flatMap((name) =>
      typeof name === "string" ? own.get(name) ?? [] : []
    )
    return { properties, ...(required.length === 0 ? {} : { required: [...new Set(required)] }) }
  }
}

const restored = (value: unknown, { items, properties }: Renames): unknown => {
  if (Array.isArray(value)) return items === undefined ? value : value.map((one) => restored(one, items))
  if (!isObject(value) || properties.size === 0) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const known = properties.get(key)
      return known === undefined ? [key, one] : [known.name, restored(one, known.renames)]
    })
  )
}

/** A schema that every provider takes, and the way back to the names that the server knows. */
export interface SendableSchema {
  readonly schema: Json
  readonly restore: (parameters: Json) => Json
}

/** `undefined` for a schema of something else than an object: the arguments of a call are one. */
export const sendableSchema = (given: unknown): SendableSchema | undefined => {
  const root = isObject(given) ? given : {}
  const { type } = root
  const isOther = typeof type === "string" && type !== "object"
  const isNoObject = Array.isArray(type) && !type.includes("object")
  if (isOther || isNoObject) return undefined
  const renames = none()
  const schema = new Repair(root).schema({ ...root, type: "object" }, renames, 0)
  return {
    schema: { properties: {}, ...schema },
    restore: (parameters) => restored(parameters, renames) as Json
  }
}
