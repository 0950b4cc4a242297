import { assert, describe, it } from "@effect/vitest"
import { Context, SchemaAST } from "effect"
import { readFileSync } from "node:fs"
import { Needs } from "../../src/native/protocol/Contract.ts"
import { Native } from "../../src/native/protocol/Native.ts"

const page = readFileSync(new URL("../../docs/native-rpc.md", import.meta.url), "utf8")

/** What the daemon sends by itself, and what cancels a request: words with a slash that are no methods. */
const sent = ["session/update", "events/event", "logs/event", "subscription/lagged", "elicitation/create"]

const quoted = (text: string): ReadonlyArray<string> => Array.from(text.matchAll(/`([^`]+)`/g), ([, word = ""]) => word)

/** Rows of the tables of methods: the method, its params, its grant. */
const rows = page.split("\n").flatMap((line) => {
  const [, first = "", params = "", , grant] = line.split("|").map((cell) => cell.trim())
  const [name] = quoted(first)
  return name === undefined || grant === undefined || grant === "" ? [] : [{ name, params, grant }]
})

/** `name`, and `name?` where it need not be sent. */
const paramsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isObjects(ast)
    ? ast.propertySignatures.map(({ name, type }) => `${String(name)}${SchemaAST.isOptional(type) ? "?" : ""}`)
    : []

describe("the reference of the native protocol", () => {
  it("has each method once, and no other", () => {
    assert.deepStrictEqual(rows.map(({ name }) => name).sort(), Array.from(Native.requests.keys()).sort())
    const known = new Set([...Native.requests.keys(), ...sent])
    const methods = quoted(page).filter((word) => /^[a-z]+\/[a-z_/-]+$/.test(word))
    assert.deepStrictEqual(methods.filter((word) => !known.has(word)), [])
  })

  it.each(Array.from(Native.requests))("says what %s takes, and which grant it needs", (name, rpc) => {
    const row = rows.find((one) => one.name === name)
    assert.deepStrictEqual(quoted(row?.params ?? "").toSorted(), paramsOf(rpc.payloadSchema.ast).toSorted())
    assert.strictEqual(row?.grant.split(";")[0], Context.get(rpc.annotations, Needs) ?? "none")
  })
})
