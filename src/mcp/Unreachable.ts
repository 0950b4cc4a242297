import { Schema } from "effect"

/** A server that cannot be used now; `reason` is a sentence without its subject, for people. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", { reason: Schema.String }) {}

/** The reason where we ended the connection ourselves. */
export const stopped = "it was stopped"
