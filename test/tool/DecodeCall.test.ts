import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
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
    decodeCall(new Map([["read", tool]]), "read", given, "/"),
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

  it.effect("that name a file by address or percent-encoded are the path they stand for", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryFolder
      for (const name of ["a b é.txt", "50%25.txt", "50%.txt", "x", "a\n[x y]", "'quoted'"]) {
        writeFileSync(join(cwd, name), "")
      }
      mkdirSync(join(cwd, "d"))
      const url = pathToFileURL(join(cwd, "a b é.txt")).href
      const cases: ReadonlyArray<readonly [string, string]> = [
        [url, join(cwd, "a b é.txt")],
        [`${url}#L10`, join(cwd, "a b é.txt")],
        [url.replace("file://", "FILE://localhost"), join(cwd, "a b é.txt")],
        ["file:///new%20one.txt", "/new one.txt"],
        ["a%20b%20%C3%A9.txt", "a b é.txt"],
        [`${cwd}/a%20b%20%c3%a9.txt`, `${cwd}/a b é.txt`],
        // A file of that very name.
        ["50%25.txt", "50%25.txt"],
        ["new%20one.txt", "new%20one.txt"],
        ["50%.txt", "50%.txt"],
        ["%FF.txt", "%FF.txt"],
        ["d/%2e%2e/x", "d/../x"],
        ["file://elsewhere/x", "file://elsewhere/x"],
        // As a listing has them.
        ["'a'$'\\n''[x y]'", "a\n[x y]"],
        ["'a b é.txt'", "a b é.txt"],
        ["'quoted'", "'quoted'"],
        ["'missing'", "'missing'"]
      ]
      for (const [path, expected] of cases) {
        const call = yield* decodeCall(new Map([["read", tool]]), "read", { path }, cwd)
        assert.deepStrictEqual<unknown>(Result.isSuccess(call) && call.success.parameters, { path: expected })
      }
    }))

  it.effect(
    "that are null are none where the tool needs none",
    Effect.fnUntraced(function*() {
      const free = make({ ...shared, name: "free", parameters: Schema.Struct({}) })
      const call = yield* decodeCall(new Map([["free", free]]), "free", null, "/")
      assert.isTrue(Result.isSuccess(call))
    })
  )
})
