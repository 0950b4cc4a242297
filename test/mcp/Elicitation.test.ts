import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Elicitation from "../../src/mcp/Elicitation.ts"
import { ToolFailed } from "../../src/tool/Tool.ts"

/** What is asked, and how a user who always takes this answer comes out. */
const asked = (schema: object, reply: string | undefined, more: object = {}) => {
  const questions: Array<
    { readonly question: string; readonly choices: ReadonlyArray<string>; readonly form: unknown }
  > = []
  const askUser = (question: string, choices: ReadonlyArray<string>, { form }: { readonly form?: unknown } = {}) => {
    questions.push({ question, choices, form })
    return reply === undefined ? Effect.fail(new ToolFailed({ message: "nobody" })) : Effect.succeed(reply)
  }
  return Effect.map(
    Elicitation.answer("git", { message: "Sure?", requestedSchema: schema, ...more }, { askUser }),
    (answer) => ({ answer, questions })
  )
}

const yesOrNo = { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] }

describe("A question of an MCP server", () => {
  it.effect(
    "is a choice when it has one field with few values, and names the server",
    Effect.fnUntraced(function*() {
      const { answer, questions } = yield* asked(yesOrNo, "No")
      assert.deepStrictEqual(questions, [{
        question: "git (MCP server) asks: Sure?",
        choices: ["Yes", "No", "Decline"],
        form: undefined
      }])
      assert.deepStrictEqual(answer, { action: "accept", content: { sure: false } })
      assert.deepStrictEqual((yield* asked(yesOrNo, "Decline")).answer, { action: "decline" })
      const titled = {
        properties: {
          hero: { type: "string", oneOf: [{ const: "h-1", title: "Ada" }, { const: "h-2", title: "Bob" }] }
        }
      }
      assert.deepStrictEqual((yield* asked(titled, "Bob")).answer, { action: "accept", content: { hero: "h-2" } })
      assert.deepStrictEqual((yield* asked({ type: "object", properties: {} }, "Accept")).answer, {
        action: "accept",
        content: {}
      })
    })
  )

  it.effect(
    "is a form when it has several fields",
    Effect.fnUntraced(function*() {
      const schema = {
        type: "object",
        properties: { name: { type: "string" }, age: { type: "integer" } },
        required: ["name"]
      }
      const { answer, questions } = yield* asked(schema, "{\"name\":\"Ada\"}")
      assert.deepStrictEqual(questions[0]!.form, schema)
      assert.deepStrictEqual(answer, { action: "accept", content: { name: "Ada" } })
    })
  )

  it.effect(
    "is declined without asking when it leads to a web page",
    Effect.fnUntraced(function*() {
      const { answer, questions } = yield* asked(yesOrNo, "Yes", { mode: "url" })
      assert.deepStrictEqual([answer, questions], [{ action: "decline" }, []])
    })
  )
})

describe("The form of an MCP server", () => {
  it("keeps the keys that ACP forms have and drops the others", () => {
    const schema = {
      $schema: "x",
      title: "T",
      type: "object",
      additionalProperties: false,
      properties: {
        a: { type: "string", format: "email", minLength: 2, examples: ["x"] },
        b: { type: "string", format: "hostname", enum: ["x", "y"], enumNames: ["X", "Y"] },
        c: { type: "object", properties: {} }
      },
      required: ["a"]
    }
    assert.deepStrictEqual(Elicitation.formOf(schema), {
      type: "object",
      title: "T",
      required: ["a"],
      properties: {
        a: { type: "string", format: "email", minLength: 2 },
        b: { type: "string", oneOf: [{ const: "x", title: "X" }, { const: "y", title: "Y" }] }
      }
    })
  })

  it("does not exist when a required field has a type that no form has", () =>
    assert.isUndefined(Elicitation.formOf({ properties: { c: { type: "object" } }, required: ["c"] })))
})
