import { Effect, Option, Schema } from "effect"
import { BadCursor } from "../../store/SessionStore.ts"

/** Where a page of a session's messages begins: older ones stand before that index. */
const Position = Schema.fromJsonString(Schema.Tuple([
  Schema.String,
  Schema.Int.check(Schema.isGreaterThan(0))
]))
const decodePosition = Schema.decodeUnknownOption(Position)

export const encode = (sessionId: string, before: number): string =>
  Buffer.from(JSON.stringify([sessionId, before])).toString("base64url")

/** Takes only what `encode` can have made for this session. */
export const decode = (cursor: string, sessionId: string): Effect.Effect<number, BadCursor> => {
  const position = decodePosition(Buffer.from(cursor, "base64url").toString())
  if (Option.isSome(position) && encode(sessionId, position.value[1]) === cursor) {
    return Effect.succeed(position.value[1])
  }
  return Effect.fail(new BadCursor({ cursor }))
}
