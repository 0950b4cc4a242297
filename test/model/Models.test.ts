import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Models } from "../../src/model/Models.ts"
import { type Machine, machine } from "../support/Configured.ts"

const models = Effect.fnUntraced(function*(options: Machine) {
  const { layer } = yield* machine(options)
  return yield* Models.pipe(Effect.provide(yield* Layer.build(Layer.provide(Models.layer, layer))))
})

describe("models", () => {
  it.effect(
    "without a reference are those whose key is at hand, else the offline one",
    Effect.fnUntraced(function*() {
      const usual = (env: Record<string, string>) => Effect.flatMap(models({ env }), (found) => found.get(undefined))
      assert.deepInclude(yield* usual({}), { id: "offline/builtin", provider: "offline" })
      assert.deepInclude(yield* usual({ OPENAI_API_KEY: "sk-1" }), {
        id: "openai/gpt-5.2",
        provider: "openai",
        contextWindow: 128_000
      })
      const both = yield* usual({ ANTHROPIC_API_KEY: "sk-ant-1", OPENAI_API_KEY: "sk-1" })
      assert.deepInclude(both, { id: "anthropic/claude-sonnet-4.6", provider: "anthropic", contextWindow: 200_000 })
    })
  )

  it.effect(
    "are the same for the same reference, under any alias of their kind",
    Effect.fnUntraced(function*() {
      const found = yield* models({ toml: "[providers.rules]\nkind = \"offline\"\ncontext_window = 5000" })
      const model = yield* found.get("rules/any/thing")
      assert.deepInclude(model, { id: "rules/any/thing", provider: "rules", contextWindow: 5000 })
      assert.strictEqual(yield* found.get("rules/any/thing"), model)
    })
  )

  it.effect(
    "say why there is none",
    Effect.fnUntraced(function*() {
      const found = yield* models({})
      const why = (reference: string) => Effect.flip(found.get(reference))
      assert.deepInclude(yield* why("foo/bar"), {
        reason: "unknown_provider",
        message: "There is no provider \"foo\"; the providers are anthropic, openai, offline"
      })
      assert.deepInclude(yield* why("anthropic/claude"), {
        reason: "no_key",
        message: "Provider \"anthropic\" has no key: set ANTHROPIC_API_KEY"
      })
      assert.deepInclude(yield* why("sonnet"), { reason: "bad_reference" })
      assert.deepInclude(yield* why("offline/"), { reason: "bad_reference" })
    })
  )

  it.effect(
    "want the key that was promised, and none where a server of one's own needs none",
    Effect.fnUntraced(function*() {
      const found = yield* models({
        toml: `
[providers.router]
kind = "openai-compatible"
base_url = "https://openrouter.ai/api/v1"
api_key_env = "OPENROUTER_API_KEY"
[providers.nowhere]
kind = "openai-compatible"
[providers.ollama]
kind = "openai-compatible"
base_url = "http://127.0.0.1:11434"
[providers.proxy]
kind = "anthropic"
headers = { Authorization = "Bearer 1" }`
      })
      const why = (reference: string) => Effect.map(Effect.flip(found.get(reference)), ({ message }) => message)
      assert.strictEqual(yield* why("router/x/y"), "Provider \"router\" has no key: set OPENROUTER_API_KEY")
      assert.include(yield* why("nowhere/x"), "set api_key_env")
      assert.strictEqual((yield* found.get("ollama/qwen3:8b")).id, "ollama/qwen3:8b")
      assert.strictEqual((yield* found.get("proxy/claude-sonnet-4.6")).provider, "proxy")
    })
  )

  it.effect(
    "carry the prices of their provider",
    Effect.fnUntraced(function*() {
      const found = yield* models({
        toml: "[providers.o]\nkind = \"offline\"\nprices = { input = 3, output = 15, cache_read = 0.3 }"
      })
      assert.deepStrictEqual((yield* found.get("o/x")).prices, { input: 3, output: 15, cache_read: 0.3 })
    })
  )
})
