import { DateTime, Effect, Option } from "effect"
import type { RpcFault } from "../../rpc/Wire.ts"
import * as Errors from "./Errors.ts"

/** A date, or a date and time, as a parameter names it; without a zone it is UTC. ISO 8601 in UTC, as everything is stored. */
export const instant = (
  field: string,
  text: string | null | undefined
): Effect.Effect<string | undefined, RpcFault> => {
  if (text === undefined || text === null) return Effect.undefined
  const found = /^\d{4}-\d{2}-\d{2}/.test(text.trim()) ? DateTime.make(text.trim()) : Option.none()
  return Option.match(found, {
    onNone: () =>
      Effect.fail(Errors.invalid(`${field}: a date, or a date and time such as 2026-03-01T00:00:00Z`, field)),
    onSome: (date) => Effect.succeed(DateTime.formatIso(date))
  })
}
