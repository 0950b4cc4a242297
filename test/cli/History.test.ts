import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as History from "../../src/cli/terminal/History.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"

describe("the history of the terminal client", () => {
  it.effect("is there in the next run, the newest first and each once, for its owner alone", () =>
    Effect.gen(function*() {
      const file = join(suiteFolder(), "data", "history")
      const first = History.make(file)
      for (const entry of ["one", "two\nlines", "one"]) yield* first.add(entry)
      expect(first.entries()).toEqual(["one", "two\nlines"])
      expect(History.make(file).entries()).toEqual(["one", "two\nlines"])
      chmodSync(file, 0o644)
      yield* History.make(file).add("three")
      expect(History.make(file).entries()).toEqual(["three", "one", "two\nlines"])
      expect(statSync(file).mode & 0o777).toBe(0o600)
    }))

  it.effect("keeps what looks like a key out of the file", () =>
    Effect.gen(function*() {
      const file = join(suiteFolder(), "history")
      const history = History.make(file)
      const key = `sk-ant-api03-${"Ab3dEf6hIj".repeat(9)}-AAAAAAAA`
      yield* history.add(`use ${key}`)
      yield* history.add("plain")
      expect(history.entries()[1]).toContain(key)
      expect(readFileSync(file, "utf8")).toBe("\"plain\"\n")
    }))

  it.effect("is bounded, and passes over what it cannot read", () =>
    Effect.gen(function*() {
      const file = join(suiteFolder(), "history")
      writeFileSync(file, "{broken\n" + Array.from({ length: 3000 }, (_, at) => `"${"x".repeat(300)}${at}"\n`).join(""))
      const history = History.make(file)
      expect(history.entries()).toHaveLength(1000)
      yield* history.add("new")
      expect(statSync(file).size).toBeLessThan(300_000)
      expect(History.make(file).entries()[0]).toBe("new")
      const nowhere = History.make(join(file, "history"))
      yield* nowhere.add("kept")
      expect(nowhere.entries()).toEqual(["kept"])
    }))
})
