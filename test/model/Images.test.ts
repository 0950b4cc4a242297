import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Prompt } from "effect/ai"
import * as Attachments from "../../src/workspace/Attachments.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { asked } from "./Asked.ts"
import { type Answer, event, type Json, pieces, Server, status } from "./Server.ts"

const png = (width: number, height: number, size = 64) => {
  const bytes = Buffer.alloc(size)
  bytes.write("\x89PNG\r\n\x1a\n", 0, "latin1")
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

const says = event({ choices: [{ index: 0, delta: { content: "ok" }, finish_reason: "stop" }] }) + "data: [DONE]\n\n"
const begins = event({ type: "message_start", message: {} })
const speaks = begins + event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "ok" } }) +
  event({ type: "message_delta", delta: { stop_reason: "end_turn" } }) + event({ type: "message_stop" })

const kinds = {
  "openai-compatible": { ok: pieces(says), path: "/v1" },
  "anthropic": { ok: pieces(speaks), path: "" }
}
type Kind = keyof typeof kinds

/** The newest request after this prompt, and what people were told. */
const sent = Effect.fnUntraced(function*(kind: Kind, prompt: Prompt.RawInput, answers: ReadonlyArray<Answer> = []) {
  const notices: Array<string> = []
  const server = yield* Server.make(...answers, kinds[kind].ok)
  const toml = `[providers.p]\nkind = "${kind}"\nbase_url = "${server.url}${
    kinds[kind].path
  }"\napi_key = "k"\nvision = true\n`
  const { fault } = yield* asked({
    toml,
    model: "p/m",
    prompt,
    wishes: { thoughtLevel: "default", onNotice: (text) => Effect.sync(() => void notices.push(text)) }
  })
  assert.isUndefined(fault)
  return {
    messages: server.seen.at(-1)!.body["messages"] as ReadonlyArray<Json>,
    notices,
    requests: server.seen.length
  }
})

const stored = Effect.fnUntraced(function*(bytes: Buffer, filename: string, mimeType: string) {
  const { path } = yield* Attachments.store(yield* temporaryFolder, bytes, { filename, mimeType })
  return path
})

const withImage = Effect.fnUntraced(function*(bytes: Buffer, mimeType = "image/png") {
  const path = yield* stored(bytes, "a.png", mimeType)
  return [{
    role: "user" as const,
    content: [
      { type: "file" as const, mediaType: mimeType, data: pathToFileURL(path).href },
      { type: "text" as const, text: "look" }
    ]
  }]
})

const imagesOf = (messages: ReadonlyArray<Json>) =>
  JSON.stringify(messages).match(/data:image\/[a-z]+;base64|"media_type":"image\/[a-z]+"/g) ?? []

for (const kind of Object.keys(kinds) as ReadonlyArray<Kind>) {
  describe(`An image for a provider of kind ${kind}`, () => {
    it.live(
      "is sent as what its bytes are",
      Effect.fnUntraced(function*() {
        const { messages, notices } = yield* sent(kind, yield* withImage(png(10, 10), "image/jpeg"))
        assert.lengthOf(imagesOf(messages), 1)
        assert.include(imagesOf(messages)[0], "image/png")
        assert.deepStrictEqual(notices, [])
      })
    )

    for (
      const [what, bytes] of [
        ["too large", png(10, 10, 5_300_000)],
        ["too wide", png(9000, 10)],
        ["none", Buffer.from("this is no image, whatever its name says it were")],
        ["empty", Buffer.alloc(0)]
      ] as const
    ) {
      it.live(
        `that is ${what} is left out with a notice, and the prompt is sent`,
        Effect.fnUntraced(function*() {
          const { messages, notices } = yield* sent(kind, yield* withImage(bytes))
          assert.deepStrictEqual(imagesOf(messages), [])
          assert.lengthOf(notices, 1)
          assert.include(JSON.stringify(messages), "look")
        })
      )
    }

    for (
      const [what, number, given, kept] of [
        ["more than a hundred", 101, png(10, 10), 100],
        ["more than 13.5 MiB", 6, png(10, 10, 3_000_000), 4],
        ["more than twenty long ones", 21, png(2001, 10), 0],
        ["twenty long ones", 20, png(2001, 10), 20]
      ] as const
    ) {
      it.live(
        `among ${what} is left out with one notice for all, the newest last`,
        Effect.fnUntraced(function*() {
          const [message] = yield* withImage(given)
          const [image, text] = message!.content
          const content = [...Array.from({ length: number }, () => ({ ...image! })), text!]
          const { messages, notices } = yield* sent(kind, [{ role: "user", content } as never])
          assert.lengthOf(imagesOf(messages), kept)
          assert.lengthOf(notices, kept === number ? 0 : 1)
        })
      )
    }

    it.live(
      "that the provider refuses is left out of the next request, with a notice",
      Effect.fnUntraced(function*() {
        const refusal = status(400, { error: { message: "Could not process image" } })
        const { messages, notices, requests } = yield* sent(kind, yield* withImage(png(10, 10)), [refusal])
        assert.strictEqual(requests, 2)
        assert.deepStrictEqual(imagesOf(messages), [])
        assert.lengthOf(notices, 1)
      })
    )

    it.live(
      "of a tool's result reaches the model",
      Effect.fnUntraced(function*() {
        const path = yield* stored(png(10, 10), "a.png", "image/png")
        const { messages } = yield* sent(kind, [
          { role: "user", content: "show" },
          { role: "assistant", content: [{ type: "tool-call", id: "a", name: "shot", params: {} }] },
          {
            role: "tool",
            content: [{ type: "tool-result", id: "a", name: "shot", isFailure: false, result: `[IMAGE:${path}]` }]
          }
        ])
        assert.lengthOf(imagesOf(messages), 1)
      })
    )
  })
}
