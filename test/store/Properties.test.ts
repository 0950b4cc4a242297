import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { TranscriptEntry } from "../../src/domain/SessionEvent.ts"
import * as TranscriptPages from "../../src/native/session/TranscriptPages.ts"
import * as SessionCatalog from "../../src/store/SessionCatalog.ts"
import { readEntry } from "../../src/store/Transcripts.ts"
import { filledLine, integer, line } from "../support/Arbitraries.ts"

const encodeEntry = Schema.encodeSync(Schema.fromJsonString(TranscriptEntry))
/** What is undefined is not written. */
const written = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const succeeds = <A, E>(effect: Effect.Effect<A, E>) => Result.getOrUndefined(Effect.runSync(Effect.result(effect)))
const instant = Arbitrary.map(integer, (ms) => new Date(Math.abs(ms) % 4e12).toISOString())
const before = Arbitrary.map(integer, (n) => Math.abs(n) + 1)

describe("Properties of stored entries", () => {
  it.prop("every entry of a running turn is read as it was written", [TranscriptEntry], ([entry]) => {
    assert.deepStrictEqual(readEntry({ entry: encodeEntry(entry), running: true }), written(entry))
  })

  it.prop("no entry of a turn that is over is pending", [TranscriptEntry], ([entry]) => {
    const read = readEntry({ entry: encodeEntry(entry), running: false })
    const open = ["pending", "in_progress"]
    if (read?._tag === "ToolCall") assert.notInclude(open, read.call.status)
    else if (read?._tag === "Compaction") assert.notInclude(open, read.compaction.status)
    else assert.deepStrictEqual(read, written(entry))
  })
})

describe("Properties of cursors", () => {
  it.prop("a cursor of sessions comes back, and with anything behind it is none of ours", {
    updatedAt: instant,
    sessionId: filledLine,
    ending: line
  }, ({ ending, sessionId, updatedAt }) => {
    const text = SessionCatalog.encode({ updatedAt, sessionId })
    assert.deepStrictEqual(succeeds(SessionCatalog.decode(text)), { updatedAt, sessionId })
    if (ending !== "") assert.isUndefined(succeeds(SessionCatalog.decode(`${text}${ending}`)))
  })

  it.prop("a cursor of messages comes back for its session alone", {
    session: line,
    other: line,
    before
  }, ({ before, other, session }) => {
    const text = TranscriptPages.encodeCursor(session, before)
    assert.strictEqual(succeeds(TranscriptPages.decodeCursor(text, session)), before)
    if (other !== session) assert.isUndefined(succeeds(TranscriptPages.decodeCursor(text, other)))
  })

  it.prop("any other text is no cursor", [line], ([text]) => {
    assert.isUndefined(succeeds(SessionCatalog.decode(text)))
    assert.isUndefined(succeeds(TranscriptPages.decodeCursor(text, text)))
  })
})
