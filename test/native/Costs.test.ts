import { symlinkSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { promise, served } from "../support/ServedDaemon.ts"

describe("What the organisation costs", () => {
  it.live("is what its file has, and null without one", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served()
      const client = yield* greet()
      let id = 0
      const org = promise(() => {
        client.send({ id: ++id, method: "cost/org" })
        return client.answer(id)
      })
      const path = join(folder, "data", "org_cost.json")
      assert.isNull((yield* org).result)
      for (const value of [{ monthly_cost_usd: 12.5, teams: [{ name: "Zoë" }] }, [1, null], "text", 7]) {
        writeFileSync(path, JSON.stringify(value))
        assert.deepStrictEqual((yield* org).result as unknown, value)
      }
      for (
        const [text, reason] of [
          ["{", "malformed"],
          ["", "malformed"],
          [Buffer.from([0xff, 0x00]), "malformed"],
          ["[".repeat(100_000) + "]".repeat(100_000), "malformed"],
          [JSON.stringify("x".repeat(2 * 1024 * 1024)), "store_failed"]
        ] as const
      ) {
        writeFileSync(path, text)
        const { error } = yield* org
        assert.deepStrictEqual([error?.code, error?.data?.["reason"]], [-32603, reason])
      }
      unlinkSync(path)
      writeFileSync(join(folder, "secret.json"), `{"key":"hidden words"}`)
      symlinkSync(join(folder, "secret.json"), path)
      assert.strictEqual((yield* org).error?.code, -32603)
      assert.notInclude(JSON.stringify(client.messages), "hidden words")
    }))
})
