import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { decodeCall, make, optional } from "../../src/tool/Tool.ts"

const needs = { capabilities: ["ro"], network: "none", reads: [], writes: [], urls: [] } as const

const shared = {
  description: "",
  kind: "read",
  capabilities: ["ro"],
  needs: () => needs,
  preview: () => Effect.die("not asked"),
  run: () => Effect.die("not asked")
} as const

const tool = make({
  ...shared,
  name: "read",
  parameters: Schema.Struct({
    path: Schema.String,
    offset: optional(Schema.Int, "a line"),
    paths: optional(Schema.Array(Schema.String), "more")
  })
})

const decoded = (given: unknown) =>
  Effect.map(
    decodeCall(new Map([["read", tool]]), "read", given),
    Result.match({ onSuccess: ({ parameters }) => parameters, onFailure: ({ code }) => code })
  )

describe("Arguments of a call", () => {
  const cases: ReadonlyArray<readonly [string, unknown, unknown]> = [
    ["as they are", { path: "1" }, { path: "1" }],
    ["encoded twice", "{\"path\":\"a\"}", { path: "a" }],
    ["with a number as text", { path: "a", offset: "1" }, { path: "a", offset: 1 }],
    ["with null as text", { path: "a", offset: "null" }, { path: "a", offset: null }],
    ["with a list as text", { path: "a", paths: "[\"b\",\"c\"]" }, { path: "a", paths: ["b", "c"] }],
    ["with a text that looks like another value", { path: "[1]" }, { path: "[1]" }],
    ["that are a list as text", "[1]", "BAD_ARGUMENTS"],
    ["that are null", null, "BAD_ARGUMENTS"],
    ["that are no JSON", "{'path': 'a'}", "BAD_ARGUMENTS"],
    ["with a word for a number", { path: "a", offset: "one" }, "BAD_ARGUMENTS"],
    ["with a list for a text", { path: ["a"] }, "BAD_ARGUMENTS"]
  ]
  for (const [what, given, expected] of cases) {
    it.effect(
      `${what} are ${expected === "BAD_ARGUMENTS" ? "refused" : "read"}`,
      Effect.fnUntraced(function*() {
        assert.deepStrictEqual<unknown>(yield* decoded(given), expected)
      })
    )
  }

  it.effect(
    "that are null are none where the tool needs none",
    Effect.fnUntraced(function*() {
      const free = make({ ...shared, name: "free", parameters: Schema.Struct({}) })
      const call = yield* decodeCall(new Map([["free", free]]), "free", null)
      assert.isTrue(Result.isSuccess(call))
    })
  )
})
