import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Models } from "../../src/model/Models.ts"
import { type Machine, machine } from "../app/Configured.ts"

const models = Effect.fnUntraced(function*(options: Machine) {
  const { layer } = yield* machine(options)
  return yield* Models.pipe(Effect.provide(yield* Layer.build(Layer.provide(Models.layer, layer))))
})

describe("models", () => {
  it.effect("without a reference are the first this build can talk to, keys or not", Effect.fnUntraced(function*() {
    const found = yield* models({ env: { ANTHROPIC_API_KEY: "sk-ant-1", OPENAI_API_KEY: "sk-1" } })
    const model = yield* found.get(undefined)
    assert.deepInclude(model, { id: "offline/builtin", provider: "offline" })
    assert.isAbove(model.contextWindow, 0)
  }))

  it.effect("are the same for the same reference, under any alias of their kind", Effect.fnUntraced(function*() {
    const found = yield* models({ toml: "[providers.rules]\nkind = \"offline\"\ncontext_window = 5000" })
    const model = yield* found.get("rules/any/thing")
    assert.deepInclude(model, { id: "rules/any/thing", provider: "rules", contextWindow: 5000 })
    assert.strictEqual(yield* found.get("rules/any/thing"), model)
  }))

  it.effect("say why there is none", Effect.fnUntraced(function*() {
    const found = yield* models({})
    const why = (reference: string) => Effect.flip(found.get(reference))
    assert.deepInclude(yield* why("foo/bar"), {
      reason: "unknown_provider",
      message: "There is no provider \"foo\"; the providers are anthropic, openai, offline"
    })
    assert.deepInclude(yield* why("anthropic/claude"), {
      reason: "unsupported_kind",
      message: "This build cannot talk to provider \"anthropic\" of kind anthropic; it supports offline"
    })
    assert.deepInclude(yield* why("sonnet"), { reason: "bad_reference" })
    assert.deepInclude(yield* why("offline/"), { reason: "bad_reference" })
  }))
})
