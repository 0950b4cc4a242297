import { type BothSpellings, camelCase } from "./Contract.ts"

/** Field names in two spellings: `session_id` and `sessionId` are read alike, and some results have both. See docs/native-rpc.md#framing-and-limits. */

export type Params = Record<string, unknown>

export const isRecord = (u: unknown): u is Params => typeof u === "object" && u !== null && !Array.isArray(u)

const snakeOf = (key: string) => key.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Structures of the protocol inside other structures; everything else belongs to the client and is left alone. */
const nested = new Set(["attachments", "client_capabilities", "files", "overrides"])

/** The snake_case name wins where both are there. */
export const canonical = (params: Params): Params => {
  const out: Params = {}
  for (const [key, value] of Object.entries(params)) {
    const name = snakeOf(key)
    if (name !== key && Object.hasOwn(params, name)) continue
    out[name] = !nested.has(name) ? value : Array.isArray(value) ?
      value.map((item) => isRecord(item) ? canonical(item) : item)
      : isRecord(value)
      ? canonical(value)
      : value
  }
  return out
}

/** Adds every key once more in camelCase. */
export const twins = <A extends object>(object: A): BothSpellings<A> =>
  ({
    ...object,
    ...Object.fromEntries(Object.entries(object).map(([key, value]) => [camelCase(key), value as unknown]))
  }) as BothSpellings<A>
