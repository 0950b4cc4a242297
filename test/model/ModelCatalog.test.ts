import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Result } from "effect"
import { ModelCatalog } from "../../src/model/ModelCatalog.ts"
import { type Machine, machine } from "../support/Configured.ts"
import { Server, signal, status } from "./Server.ts"

const catalog = Effect.fnUntraced(function*(options: Machine) {
  const { layer } = yield* machine(options)
  return yield* ModelCatalog.pipe(Effect.provide(yield* Layer.build(Layer.provide(ModelCatalog.layer, layer))))
})

/** Begins to ask, and waits until there are more models. */
const refreshed = Effect.fnUntraced(function*(found: ModelCatalog["Service"]) {
  const changed = signal()
  yield* found.onChange(Effect.asVoid(Deferred.succeed(changed, undefined)))
  yield* found.refresh
  yield* Deferred.await(changed)
})

describe("The models there are to choose from", () => {
  it.live(
    "are those of enabled agents, the usual one and those of the configuration, as far as they can be asked",
    Effect.fnUntraced(function*() {
      const found = yield* catalog({
        env: { ANTHROPIC_API_KEY: "sk-ant-1" },
        toml: `
[agents.a]
model = "local/one"
[agents.b]
enabled = false
model = "local/never"
[agents.c]
model = "keyless/two"
[providers.local]
kind = "openai-compatible"
base_url = "http://127.0.0.1:9"
models = ["one", "three"]
[providers.keyless]
kind = "openai-compatible"
base_url = "https://example.com/v1"
api_key_env = "NOT_SET"
models = ["four"]`
      })
      assert.deepStrictEqual(found.references(), ["local/one", "anthropic/claude-sonnet-4.6", "local/three"])
      assert.isTrue(Result.isFailure(found.provider("keyless/two")))
      assert.isTrue(Result.isSuccess(found.provider("local/unlisted")))
    })
  )

  it.live(
    "grow by what the providers list, each asked once and in its own way",
    Effect.fnUntraced(function*() {
      const chat = yield* Server.make(status(200, { object: "list", data: [{ id: "one" }, { id: "two" }] }))
      const claude = yield* Server.make(
        status(200, { data: [{ type: "model", id: "claude-x", display_name: "X" }], has_more: false })
      )
      const other = yield* Server.make(status(404, { error: "no such thing" }))
      const found = yield* catalog({
        env: { OPENAI_API_KEY: "sk-only-in-the-environment" },
        toml: `
[agents.a]
model = "chat/one"
[providers.chat]
kind = "openai-compatible"
base_url = "${chat.url}"
[providers.claude]
kind = "anthropic"
base_url = "${claude.url}"
api_key = "sk-ant-1"
[providers.other]
kind = "openai-compatible"
base_url = "${other.url}/api"`
      })
      yield* refreshed(found)
      yield* found.refresh
      assert.deepStrictEqual(found.references(), ["chat/one", "openai/gpt-5.2", "chat/two", "claude/claude-x"])
      assert.deepStrictEqual(
        [chat, claude, other].map(({ seen }) => seen.map(({ method, path }) => `${method} ${path}`)),
        [
          ["GET /v1/models"],
          ["GET /v1/models?limit=300"],
          ["GET /api/models"]
        ]
      )
      assert.strictEqual(claude.seen[0]?.headers["x-api-key"], "sk-ant-1")
    })
  )
})
