import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { layoutOf, lineOf } from "../../src/config/toml/TomlLayout.ts"

const source = `# agents.main.model is mentioned here
agents.side.model = "a/b"

[ agents . "main" ]   # the main one
enabled = true
model = """
workspace = 'inside a string'
"""
'workspace' = "x"

[acp] # says """
default_agent = "it's '''main"

[[list.of]]
item = 1
`

const cases: ReadonlyArray<readonly [path: ReadonlyArray<string>, line: number | undefined]> = [
  [["agents", "side", "model"], 2],
  [["agents", "main"], 4],
  [["agents", "main", "model"], 6],
  [["agents", "main", "workspace"], 9],
  [["agents", "main", "absent"], 4],
  [["agents", "other"], undefined],
  [["acp", "default_agent"], 12],
  [["acp"], 11],
  [["list", "of", "item"], 15],
  [["nothing"], undefined]
]

describe("the line of a key", () => {
  test.each(cases)("%j is on line %s", async (path, line) => {
    expect(lineOf(await Effect.runPromise(layoutOf(source)), path)).toBe(line)
  })

  test("is unknown in a text that is not TOML", async () => {
    expect(lineOf(await Effect.runPromise(layoutOf("[acp\n")), ["acp"])).toBeUndefined()
  })
})
