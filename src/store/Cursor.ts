import { Effect, Option, Schema } from "effect"
import { BadCursor } from "./Stored.ts"

/** Where a page ended: pages are ordered by `updatedAt`, newest first, then by id. */
export interface Cursor {
  readonly updatedAt: string
  readonly sessionId: string
}

const isInstant = (text: string) => {
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString() === text
}

const Position = Schema.fromJsonString(Schema.Tuple([
  Schema.String.check(Schema.makeFilter(isInstant)),
  Schema.NonEmptyString
]))
const decodePosition = Schema.decodeUnknownOption(Position)

export const encode = (cursor: Cursor): string =>
  Buffer.from(JSON.stringify([cursor.updatedAt, cursor.sessionId])).toString("base64url")

/** Takes only what `encode` can have made. */
export const decode = (text: string): Effect.Effect<Cursor, BadCursor> => {
  const position = decodePosition(Buffer.from(text, "base64url").toString())
  if (Option.isSome(position)) {
    const cursor = { updatedAt: position.value[0], sessionId: position.value[1] }
    if (encode(cursor) === text) return Effect.succeed(cursor)
  }
  return Effect.fail(new BadCursor({ cursor: text }))
}
