import { Effect, Stream } from "effect"
import { type AnyEvent, makeParser } from "effect/encoding/Sse"
import { maxMessage } from "./Link.ts"
import { Unreachable } from "./Unreachable.ts"

/** HTTP as MCP's transports need it: an answer that may never end, and ends with the scope. */

const causeOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return "unknown cause"
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message
}

const unreachable = (error: unknown) => new Unreachable({ reason: `it cannot be reached (${causeOf(error)})` })

/** Redirects are not followed: the headers may hold keys that are for this address only. */
export const open = Effect.fnUntraced(function*(url: string, init: Omit<RequestInit, "signal" | "redirect">) {
  const controller = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  return yield* Effect.tryPromise({
    try: () => fetch(url, { ...init, signal: controller.signal, redirect: "manual" }),
    catch: unreachable
  })
})

const pieces = (response: Response): Stream.Stream<string, Unreachable> => {
  const { body } = response
  return body === null
    ? Stream.empty
    : Stream.decodeText(Stream.fromReadableStream({ evaluate: () => body, onError: unreachable }))
}

const tooLong = new Unreachable({ reason: `it answered with more than ${maxMessage} bytes` })

/** The whole body, up to a limit. */
export const text = Effect.fnUntraced(function*(response: Response) {
  let all = ""
  yield* Stream.runForEach(pieces(response), (piece) => {
    all += piece
    return all.length > maxMessage ? Effect.fail(tooLong) : Effect.void
  })
  return all
})

/** Each event as it comes, until the server ends the stream. */
export const events = Effect.fnUntraced(function*(response: Response, onEvent: (event: AnyEvent) => void) {
  const parser = makeParser(onEvent, { maxEventSize: maxMessage })
  yield* Stream.runForEach(
    pieces(response),
    (piece) => parser.feed(piece) === undefined ? Effect.void : Effect.fail(tooLong)
  )
})

export const isStream = (response: Response): boolean =>
  /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")

/** What a refusal means for a person who set the server up. */
export const refusal = (response: Response, body: string): string => {
  const { status } = response
  if (status === 401 || status === 403) {
    return `it wants credentials (HTTP ${status}): give them as headers where the server is set up; signing in with OAuth is not supported`
  }
  if (status >= 300 && status < 400) {
    return `it redirects to ${response.headers.get("location") ?? "another address"}, and redirects are not followed`
  }
  const said = body.trim().replace(/\s+/g, " ").slice(0, 200)
  return `it answered with HTTP ${status}${said === "" ? "" : `: ${said}`}`
}
