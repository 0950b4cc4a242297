import { assert, describe, it } from "@effect/vitest"
import { Context, SchemaAST } from "effect"
import { readFileSync } from "node:fs"
import { RequiredGrant } from "../../src/native/protocol/Contract.ts"
import { Native, results } from "../../src/native/protocol/Native.ts"

const page = readFileSync(new URL("../../docs/native-rpc.md", import.meta.url), "utf8")

/** What the daemon sends by itself, and what cancels a request: words with a slash that are no methods. */
const sent = ["session/update", "events/event", "logs/event", "subscription/lagged", "elicitation/create"]

const quoted = (text: string): ReadonlyArray<string> => Array.from(text.matchAll(/`([^`]+)`/g), ([, word = ""]) => word)

/** Rows of the tables of methods: the method, its params, its result, its grant; and the words of the section around it. */
const rows = page.split(/^## /m).flatMap((section) =>
  section.split("\n").flatMap((line) => {
    const [, first = "", params = "", result = "", grant] = line.split("|").map((cell) => cell.trim())
    const [name] = quoted(first)
    return name === undefined || grant === undefined || grant === ""
      ? []
      : [{ name, params, result, grant, words: new Set(quoted(section)) }]
  })
)

/** `name`, and `name?` where it can be missing: also from one of several forms of a result. */
const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (SchemaAST.isObjects(ast)) {
    return ast.propertySignatures.map(({ name, type }) => `${String(name)}${SchemaAST.isOptional(type) ? "?" : ""}`)
  }
  if (!SchemaAST.isUnion(ast)) return []
  const forms = ast.types.map(fieldsOf)
  const names = new Set(forms.flat().map((field) => field.replace("?", "")))
  return Array.from(names, (name) => forms.every((fields) => fields.includes(name)) ? name : `${name}?`)
}

/** The names of all fields, of structures inside as well; the forms of a union inside are not looked into. */
const namesIn = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (SchemaAST.isObjects(ast)) {
    return [
      ...ast.propertySignatures.flatMap(({ name, type }) => [String(name), ...namesIn(type)]),
      ...ast.indexSignatures.flatMap(({ type }) => namesIn(type))
    ]
  }
  if (SchemaAST.isArrays(ast)) return ast.rest.flatMap(namesIn)
  // Something or null.
  if (SchemaAST.isUnion(ast) && ast.types.some(SchemaAST.isNull)) return ast.types.flatMap(namesIn)
  return []
}

/** Fields that are sent in both spellings are described in one. */
const isTwin = (name: string, all: ReadonlyArray<string>) =>
  all.some((one) =>
    one.includes("_") && one.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) === name
  )

describe("the reference of the native protocol", () => {
  it("has each method once, and no other", () => {
    assert.deepStrictEqual(rows.map(({ name }) => name).sort(), Array.from(Native.requests.keys()).sort())
    const known = new Set([...Native.requests.keys(), ...sent])
    const methods = quoted(page).filter((word) => /^[a-z]+\/[a-z_/-]+$/.test(word))
    assert.deepStrictEqual(methods.filter((word) => !known.has(word)), [])
  })

  it.each(Array.from(Native.requests))("says what %s takes, and which grant it needs", (name, rpc) => {
    const row = rows.find((one) => one.name === name)
    assert.deepStrictEqual(quoted(row?.params ?? "").toSorted(), fieldsOf(rpc.payloadSchema.ast).toSorted())
    assert.strictEqual(row?.grant.split(";")[0], Context.get(rpc.annotations, RequiredGrant) ?? "none")
  })

  it.each(Array.from(results))("says what %s answers with", (name, { ast }) => {
    const row = rows.find((one) => one.name === name)
    const all = fieldsOf(ast)
    const fields = all.filter((field) => !isTwin(field, all))
    const words = quoted(row?.result ?? "")
    assert.deepStrictEqual(fields.filter((field) => !words.includes(field)), [])
    const names = namesIn(ast)
    const known = new Set([...names, ...fields.map((field) => field.replace("?", ""))])
    assert.deepStrictEqual(words.filter((word) => !known.has(word.replace("?", ""))), [])
    const described = (field: string) => row?.words.has(field) === true || row?.words.has(`${field}?`) === true
    assert.deepStrictEqual(names.filter((field) => !isTwin(field, names) && !described(field)), [])
  })
})
