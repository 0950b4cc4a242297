import { Schema } from "effect"
import type { ConfigInvalid } from "../load/ConfigFile.ts"

/** A change, or a path, that is not possible; nothing was written. `message` is one line. */
export class ConfigRefused extends Schema.TaggedError<ConfigRefused>()("ConfigRefused", {
  /** `forbidden`: the caller may not write there. The others are about what was asked. */
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
  /** Which entry of several it is about, counted from 0. */
  index: Schema.optionalKey(Schema.Int),
  /** Which name of an alias it is about, where it is not the path. */
  alias: Schema.optionalKey(Schema.Literals(["key", "from", "to"])),
  /** Where the configuration would not be valid. */
  path: Schema.optionalKey(Schema.Array(Schema.String))
}) {}

/** The file or its lock could not be used; the file is as it was. */
export class ConfigFailed extends Schema.TaggedError<ConfigFailed>()("ConfigFailed", { message: Schema.String }) {}

export type ReadFault = ConfigRefused | ConfigInvalid
export type WriteFault = ReadFault | ConfigFailed
