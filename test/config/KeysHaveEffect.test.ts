import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { SchemaAST } from "effect"
import { ConfigTable } from "../../src/config/schema/Schema.ts"

/** The names of all keys that the file may have, however deep. */
const keysOf = (ast: SchemaAST.AST, seen = new Set<SchemaAST.AST>()): ReadonlyArray<string> => {
  if (seen.has(ast)) return []
  seen.add(ast)
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap((type) => keysOf(type, seen))
  if (!SchemaAST.isObjects(ast)) return []
  return [
    ...ast.propertySignatures.flatMap(({ name, type }) => [String(name), ...keysOf(type, seen)]),
    ...ast.indexSignatures.flatMap(({ type }) => keysOf(type, seen))
  ]
}

const source = join(import.meta.dirname, "..", "..", "src")

/** Everything but the schema itself and its guide. */
const code = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.startsWith(join("config", "schema")))
  .map((file) => readFileSync(join(source, file), "utf8"))
  .join("\n")

const camelCase = (key: string) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

describe("A key of the configuration", () => {
  for (const key of new Set(keysOf(ConfigTable.ast))) {
    it(`${key} is read somewhere, be it to say that it has no effect`, () => {
      assert.isTrue([key, camelCase(key)].some((name) => new RegExp(`\\b${name}\\b`).test(code)))
    })
  }
})
