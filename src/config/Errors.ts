import { Schema } from "effect"

/** File or environment are broken (docs/configuration.md#errors). `message` is one line with the place and what is allowed there. */
export class ConfigInvalid extends Schema.TaggedError<ConfigInvalid>()("ConfigInvalid", {
  message: Schema.String,
  /** What is wrong, without the place, and the keys that lead there. */
  problem: Schema.optionalKey(Schema.String),
  path: Schema.optionalKey(Schema.Array(Schema.String))
}) {}

/** A change, or a path, that is not possible; nothing was written. `message` is one line. */
export class ConfigRefused extends Schema.TaggedError<ConfigRefused>()("ConfigRefused", {
  /** `forbidden`: the caller may not write there. The others are about the request itself. */
  reason: Schema.Literals([
    "unknown",
    "invalid",
    "forbidden",
    "reserved",
    "exists",
    "missing",
    "unsafe",
    "conflict",
    "large"
  ]),
  message: Schema.String,
  /** Which of several entries it is about, counted from 0. */
  index: Schema.optionalKey(Schema.Int),
  /** Which name of an alias it is about, where it is not the path. */
  alias: Schema.optionalKey(Schema.Literals(["key", "from", "to"])),
  /** Where the configuration would not be valid. */
  path: Schema.optionalKey(Schema.Array(Schema.String))
}) {}

/** The file or its lock could not be used; the file is as it was. */
export class ConfigFailed extends Schema.TaggedError<ConfigFailed>()("ConfigFailed", { message: Schema.String }) {}

export type ConfigReadError = ConfigRefused | ConfigInvalid
export type ConfigWriteError = ConfigReadError | ConfigFailed
