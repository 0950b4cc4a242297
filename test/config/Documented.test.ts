import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { SchemaAST } from "effect"
import { ConfigTable } from "../../src/config/schema/Schema.ts"

const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8")

/** First cells of the tables of keys. */
const documented = page.slice(page.indexOf("\n## Keys")).split("\n").flatMap((line) => {
  const [, key] = /^\| `([a-z_.<>]+)` \|/.exec(line) ?? []
  return key === undefined ? [] : [key]
})

/** Every key of the schema; `<*>` stands where users choose the name. */
const keysOf = (ast: SchemaAST.AST, path: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  if (!SchemaAST.isObjects(ast)) return [path.join(".")]
  const index = ast.indexSignatures[0]?.type
  if (index !== undefined) return SchemaAST.isUnknown(index) ? [path.join(".")] : keysOf(index, [...path, "<*>"])
  return ast.propertySignatures.flatMap(({ name, type }) => keysOf(type, [...path, String(name)]))
}

describe("docs/configuration.md", () => {
  it("describes each key of the schema once, and no other", () => {
    assert.deepStrictEqual(
      documented.map((key) => key.replace(/<[a-z]+>/g, "<*>")).sort(),
      Array.from(new Set(keysOf(ConfigTable.ast).map((key) => key.replace(/^autonomy\..*/, "autonomy.<*>")))).sort()
    )
  })
})
