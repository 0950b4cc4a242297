import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import * as Sqlite from "../../../src/store/Sqlite.ts"
import { temporaryFolder } from "../../support/TemporaryFolder.ts"

const store = (file: string) =>
  SessionStore.layerSql("The test store", "durable").pipe(
    Layer.provide(Layer.orDie(Sqlite.layer(file))),
    Layer.orDie
  )

const inStore = <A, E>(file: string, use: (policy: SessionStore["Service"]["policy"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(SessionStore, ({ policy }) => use(policy)).pipe(Effect.provide(store(file), { local: true }))

const withFile = <A, E, R>(use: (file: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(temporaryFolder, (folder) => use(join(folder, "sessions.db")))

describe("max_actions_per_hour", () => {
  it.effect("counts the calls of an agent over processes, for one hour", () =>
    withFile(Effect.fnUntraced(function*(file) {
      const act = (agent: string, limit = 2) => inStore(file, (policy) => policy.countAction(agent, limit))
      const count = (agent: string) => inStore(file, (policy) => policy.actions(agent))
      assert.deepStrictEqual([yield* act("main"), yield* act("main"), yield* act("main"), yield* act("other")], [
        true,
        true,
        false,
        true
      ])
      assert.deepStrictEqual([yield* count("main"), yield* count("other"), yield* count("nobody")], [2, 1, 0])
      yield* TestClock.adjust("59 minutes")
      assert.deepStrictEqual([yield* count("main"), yield* act("main"), yield* act("main", 3)], [2, false, true])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([yield* count("main"), yield* count("other")], [1, 0])
      assert.strictEqual(yield* act("other", 0), false)
    })))

  it.effect("holds for calls that are decided at the same time", () =>
    withFile((file) =>
      inStore(
        file,
        Effect.fnUntraced(function*(policy) {
          const answers = yield* Effect.all(Array.from({ length: 10 }, () => policy.countAction("main", 3)), {
            concurrency: "unbounded"
          })
          assert.lengthOf(answers.filter(Boolean), 3)
        })
      )
    ))
})
