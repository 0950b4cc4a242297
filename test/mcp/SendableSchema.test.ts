import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import { sendableSchema } from "../../src/mcp/SendableSchema.ts"
import { either } from "../support/Arbitraries.ts"

type Json = Record<string, any>

const types = new Set(["string", "number", "integer", "boolean", "object", "array", "null"])

/** The first thing that a strict provider refuses in a schema. */
const problem = (schema: Json, at = "$"): string | undefined => {
  if ("$ref" in schema || "$schema" in schema || "definitions" in schema) return `${at}: a reference`
  if (schema["type"] === undefined && !["anyOf", "oneOf", "allOf"].some((key) => key in schema)) return `${at}: no type`
  if (schema["type"] !== undefined && !types.has(schema["type"])) return `${at}: type ${schema["type"]}`
  if (schema["type"] === "array" && typeof schema["items"] !== "object") return `${at}: no items`
  for (const key of ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"]) {
    if (key in schema && typeof schema[key] !== "number") return `${at}: ${key}`
  }
  if ("enum" in schema && (!Array.isArray(schema["enum"]) || schema["enum"].length === 0)) return `${at}: enum`
  if ("required" in schema) {
    if (!Array.isArray(schema["required"])) return `${at}: required`
    const missing = schema["required"].find((name: string) => !Object.hasOwn(schema["properties"] ?? {}, name))
    if (missing !== undefined) return `${at}: required ${missing}`
  }
  for (const [name, inner] of Object.entries<Json>(schema["properties"] ?? {})) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return `${at}: the name ${name}`
    const found = problem(inner, `${at}.${name}`)
    if (found !== undefined) return found
  }
  for (const inner of [schema["items"], ...schema["anyOf"] ?? [], ...schema["oneOf"] ?? [], ...schema["allOf"] ?? []]) {
    const found = inner === undefined ? undefined : problem(inner, `${at}[]`)
    if (found !== undefined) return found
  }
  return undefined
}

const made = (schema: unknown) => {
  const found = sendableSchema(schema)
  if (found === undefined) throw new Error("left out")
  assert.isUndefined(problem(found.schema), JSON.stringify(found.schema))
  return found
}

const properties = (properties: Json, more: Json = {}) => ({ type: "object", properties, ...more })

describe("The input schema of a tool of a server", () => {
  it("has names that providers take, and its arguments go back under the server's names", () => {
    const long = "x".repeat(70)
    const { restore, schema } = made(properties({
      "$.xgafv": { type: "string" },
      [long]: { type: "string" },
      "_xgafv": { type: "string" },
      "list of": { type: "array", items: properties({ "a.b": { type: "integer" } }) }
    }, { required: ["$.xgafv", "list of", "gone"] }))
    const names = Object.keys(schema["properties"] as Json)
    assert.strictEqual(new Set(names).size, 4)
    assert.deepStrictEqual(schema["required"], [names[0], names[3]])
    assert.deepStrictEqual(
      restore({ [names[0]!]: "1", [names[1]!]: "2", _xgafv: "3", [names[3]!]: [{ a_b: 4 }], other: 5 }),
      { "$.xgafv": "1", [long]: "2", _xgafv: "3", "list of": [{ "a.b": 4 }], other: 5 }
    )
  })

  const repaired: ReadonlyArray<readonly [string, Json, Json]> = [
    [
      "required that is null",
      properties({ a: { type: "string" } }, { required: null }),
      properties({ a: { type: "string" } })
    ],
    [
      "an array without items",
      properties({ a: { type: "array" } }),
      properties({ a: { type: "array", items: { type: "string" } } })
    ],
    [
      "an exclusive limit of draft 4",
      properties({ a: { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false } }),
      properties({ a: { type: "number", exclusiveMinimum: 1, maximum: 9 } })
    ],
    ["no type at the top", { properties: { a: { type: "string" } } }, properties({ a: { type: "string" } })],
    [
      "no type of a property",
      properties({ a: { description: "x" } }),
      properties({ a: { type: "string", description: "x" } })
    ],
    [
      "a type that may be null",
      properties({ a: { type: ["integer", "null"] } }),
      properties({ a: { type: "integer" } })
    ],
    ["an unknown type", properties({ a: { type: "date" } }), properties({ a: { type: "string" } })],
    ["a property that is true", properties({ a: true }), properties({ a: { type: "string" } })],
    ["an empty enum", properties({ a: { type: "string", enum: [] } }), properties({ a: { type: "string" } })],
    [
      "a pattern that is none",
      properties({ a: { type: "string", pattern: "(" } }),
      properties({ a: { type: "string" } })
    ],
    [
      "references",
      { ...properties({ a: { $ref: "#/definitions/b" } }), definitions: { b: { type: "integer", minimum: 1 } } },
      properties({ a: { type: "integer", minimum: 1 } })
    ],
    ["nothing", {}, properties({})]
  ]
  for (const [what, given, expected] of repaired) {
    it(`with ${what} is repaired`, () => assert.deepStrictEqual<unknown>(made(given).schema, expected))
  }

  it("that refers to itself ends", () => {
    made({ ...properties({ a: { $ref: "#" } }) })
  })

  it("of something else than an object is left out", () => {
    assert.isUndefined(sendableSchema({ type: "array", items: {} }))
    assert.isUndefined(sendableSchema({ type: "string" }))
  })

  const leaf = either<any>(...[
    true,
    null,
    7,
    "x",
    [],
    {},
    { type: "array" },
    { type: ["string", "null"] },
    { $ref: "#/x" },
    { $ref: "https://x" },
    { enum: [1] },
    { const: null },
    { type: "number", exclusiveMinimum: true, minimum: 1 },
    { anyOf: [] },
    { items: [{}] }
  ].map((one) => Arbitrary.Constant(one)))
  const name = either(
    ...["a", "$.x", "b c", "é", "", "x".repeat(70), "__proto__"].map((one) => Arbitrary.Constant(one))
  )
  const node = (inner: Arbitrary.Arbitrary<any>): Arbitrary.Arbitrary<any> =>
    Arbitrary.map(
      Arbitrary.all({ entries: Arbitrary.array(Arbitrary.all([name, inner] as const), { maxLength: 3 }), inner }),
      ({ entries, inner }) => ({
        properties: Object.fromEntries(entries),
        required: entries.map(([name]) => name).concat("z"),
        items: inner,
        anyOf: [inner]
      })
    )

  it.prop("whatever it is, is one that providers take", { schema: node(either(leaf, node(leaf))) }, ({ schema }) => {
    made(schema)
  }, { arbitrary: { runs: 1000 } })
})
