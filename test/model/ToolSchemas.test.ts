import { assert, describe, it } from "@effect/vitest"
import { type JsonSchema, Schema } from "effect"
import { Tool } from "effect/ai"
import { declarationOf } from "../../src/model/ToolSchemas.ts"

const parameters = (parameters: Schema.Constraint | JsonSchema.JsonSchema) =>
  declarationOf(Tool.dynamic("t", { parameters })).parameters

describe("A tool's parameters, as providers are told", () => {
  it("are an object with properties, also where there are none", () => {
    assert.deepStrictEqual<object>(parameters(Schema.Struct({})), { type: "object", properties: {} })
    assert.deepStrictEqual<object>(parameters({ type: "object" }), { type: "object", properties: {} })
  })

  it("have no null where they can be left out, and keep it where they cannot", () => {
    const nullable = { anyOf: [{ type: "string" }, { type: "null" }], description: "What" }
    assert.deepStrictEqual<object>(
      parameters({ type: "object", properties: { a: nullable, b: nullable }, required: ["b"] }),
      {
        type: "object",
        properties: { a: { type: "string", description: "What" }, b: nullable },
        required: ["b"]
      }
    )
    const either = { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] }
    assert.deepStrictEqual<object>(parameters({ type: "object", properties: { a: either } }), {
      type: "object",
      properties: { a: { anyOf: [{ type: "string" }, { type: "number" }] } }
    })
  })

  it("say nothing that goes without saying, at any depth", () => {
    const count = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
    const item = { type: "object", properties: { n: count }, additionalProperties: true }
    assert.deepStrictEqual<object>(
      parameters({ type: "object", properties: { list: { type: "array", items: item } }, additionalProperties: false }),
      {
        type: "object",
        properties: {
          list: { type: "array", items: { type: "object", properties: { n: { type: "integer", minimum: 1 } } } }
        },
        additionalProperties: false
      }
    )
  })

  it("choose between nothing at the top, where no provider takes a choice", () => {
    const choice = {
      type: "object",
      properties: { a: { type: "string" } },
      oneOf: [{ required: ["a"] }],
      not: { type: "null" }
    }
    assert.deepStrictEqual<object>(parameters(choice), { type: "object", properties: { a: { type: "string" } } })
  })
})
