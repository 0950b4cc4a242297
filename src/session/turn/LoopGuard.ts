import type { CallResult } from "../context/History.ts"
import type { ModelCall } from "./ModelAnswer.ts"

/** One call and its result, by which progress is told from a loop. */
interface Seen {
  readonly key: string
  readonly name: string
  /** Call and result: another result of the same call is progress. */
  readonly mark: string
  readonly result: string
  readonly isFailure: boolean
}

type LoopVerdict =
  | { readonly _tag: "Run" }
  /** The call is not run; the model reads why. */
  | { readonly _tag: "Block"; readonly why: string }
  /** The turn ends. */
  | { readonly _tag: "Break"; readonly why: string }

/** Watches the calls of one turn: warns, then blocks, then ends the turn. See docs/sessions.md#loop-detection */
export interface LoopGuard {
  readonly before: (call: ModelCall) => LoopVerdict
  /** Records the result and returns a warning for the model, if there is one. */
  readonly after: (call: ModelCall, result: CallResult) => string | undefined
}

const window = 20

/** How many of a kind are too many: from `warn` on a warning, at `block` the call is not run, at `end` the turn ends. */
const limits = {
  same: { warn: 3, block: 4, end: 5 },
  alternating: { warn: 4, block: 5, end: 6 },
  failing: { warn: 5, block: 6, end: 7 }
}

export const keyOf = ({ name, params }: Pick<ModelCall, "name" | "params">): string =>
  `${name} ${JSON.stringify(params)}`

const trailing = (seen: ReadonlyArray<Seen>, holds: (one: Seen, index: number) => boolean): number => {
  let count = 0
  while (count < seen.length && holds(seen[seen.length - 1 - count]!, seen.length - 1 - count)) count++
  return count
}

interface Pattern {
  readonly count: number
  readonly limit: { readonly warn: number; readonly block: number; readonly end: number }
  readonly what: string
}

const patterns = (seen: ReadonlyArray<Seen>): ReadonlyArray<Pattern> => {
  const last = seen.at(-1)
  if (last === undefined) return []
  const same = trailing(seen, ({ mark }) => mark === last.mark)
  const pair = same > 1
    ? 0
    : trailing(seen, ({ mark }, index) => index + 2 >= seen.length || mark === seen[index + 2]!.mark)
  const failing = last.isFailure
    ? trailing(seen, ({ name, result }) => name === last.name && result === last.result)
    : 0
  return [
    {
      count: same,
      limit: limits.same,
      what: `${last.name} was called ${same} times in a row with the same arguments and the same result`
    },
    {
      count: Math.floor(pair / 2),
      limit: limits.alternating,
      what: `the same two calls took turns ${Math.floor(pair / 2)} times`
    },
    { count: failing, limit: limits.failing, what: `${last.name} failed ${failing} times in a row in the same way` }
  ]
}

export const make = (): LoopGuard => {
  let seen: ReadonlyArray<Seen> = []

  /** The call with the result it had last time. */
  const expected = (call: ModelCall): Seen => {
    const key = keyOf(call)
    const known = seen.findLast((one) => one.key === key) ?? seen.at(-1)
    const result = known?.result ?? ""
    return {
      key,
      name: call.name,
      mark: `${key}\n${result}`,
      result,
      isFailure: known?.isFailure === true && known.name === call.name
    }
  }

  const note = (one: Seen) => {
    seen = [...seen, one].slice(-window)
  }

  return {
    before: (call) => {
      const next = expected(call)
      const found = patterns([...seen, next])
      const ended = found.find(({ count, limit }) => count >= limit.end)
      if (ended) return { _tag: "Break", why: ended.what }
      const blocked = found.find(({ count, limit }) => count >= limit.block)
      if (blocked === undefined) return { _tag: "Run" }
      note(next)
      return {
        _tag: "Block",
        why: `This call was not run: ${blocked.what}. Try another way, or tell the user what is in the way.`
      }
    },
    after: (call, { isFailure, text }) => {
      const key = keyOf(call)
      note({ key, name: call.name, mark: `${key}\n${text}`, result: text, isFailure })
      const warned = patterns(seen).find(({ count, limit }) => count >= limit.warn)
      return warned && `[Note: ${warned.what}. Repeating it will not help.]`
    }
  }
}
