import { Effect } from "effect"
import type { ResponseUsage } from "../../model/ResponseParts.ts"
import type { Provider } from "../../config/Providers.ts"
import type { TokenCounts } from "../../domain/SessionEvent.ts"
import { type DayCost, SessionStore } from "../../store/SessionStore.ts"
import type { Configured } from "../lifecycle/Agents.ts"
import { TurnFailed } from "../turn/TurnEnd.ts"

/** What an agent may cost a day, over all its sessions and restarts. See docs/policy.md#allowance */
export interface Budget {
  /** In US cents: spent today, and the limit. A cost that cannot be read counts as infinite. */
  readonly cost: Effect.Effect<{ readonly spent: number; readonly limit: number | undefined }>
  /** Before each request to a model; fails where the limit is reached. */
  readonly check: Effect.Effect<void, TurnFailed>
  /** After each answer of a model with prices. */
  readonly spend: (spent: Omit<DayCost, "day" | "agent" | "requests">) => Effect.Effect<void>
}

const perMillion = 1_000_000

/** In US dollars; `undefined` where no prices are known. */
export const costOf = (
  { inputTokens, outputTokens }: ResponseUsage,
  prices: Provider["prices"]
): number | undefined => {
  if (prices === undefined) return undefined
  const [read, written] = [inputTokens.cacheRead ?? 0, inputTokens.cacheWrite ?? 0]
  const plain = inputTokens.uncached ?? Math.max(0, (inputTokens.total ?? 0) - read - written)
  const { input = 0, output = 0, cache_read = input, cache_write = input } = prices
  return (plain * input + read * cache_read + written * cache_write + (outputTokens.total ?? 0) * output) / perMillion
}

/** `undefined` where the provider gave no figures, which some say with zeros. */
export const countsOf = ({ inputTokens, outputTokens }: ResponseUsage): TokenCounts | undefined => {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return undefined
  if (inputTokens.total + outputTokens.total === 0) return undefined
  const { cacheRead, cacheWrite } = inputTokens
  return {
    input: inputTokens.total,
    output: outputTokens.total,
    ...(cacheRead === undefined ? {} : { cachedRead: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cachedWrite: cacheWrite }),
    ...(outputTokens.reasoning === undefined ? {} : { thought: outputTokens.reasoning })
  }
}

export const tokensOf = ({ inputTokens, outputTokens }: ResponseUsage): number =>
  (inputTokens.total ?? 0) + (outputTokens.total ?? 0)

const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`

export const make = Effect.fnUntraced(function*(configured: () => Configured, owner: string | null) {
  const { costs } = yield* SessionStore
  const { alias: agent } = configured().agent
  const limit = () => configured().risk?.maxCostPerDayCents
  const today = Effect.suspend(() =>
    limit() === undefined ?
      Effect.succeed(0) :
      Effect.catch(
        costs.today(agent),
        ({ message }) => Effect.as(Effect.logWarning(`the cost of today cannot be known: ${message}`), Infinity)
      )
  )

  const check = Effect.gen(function*() {
    const spent = yield* today
    const most = limit()
    if (most === undefined || spent < most) return
    const { riskProfile } = configured().agent
    const what = Number.isFinite(spent)
      ? `agent ${agent} has cost ${dollars(spent)} today, and its limit is ${dollars(most)} a day`
      : `what agent ${agent} has cost today cannot be known, and it has a limit of ${dollars(most)} a day`
    return yield* new TurnFailed({
      message:
        `${what} (risk_profiles.${riskProfile}.max_cost_per_day_cents). Raise it, or prompt again after midnight UTC`,
      reason: "cost_limit"
    })
  })

  return {
    cost: Effect.map(today, (spent) => ({ spent, limit: limit() })),
    check,
    spend: (spent) =>
      Effect.uninterruptible(
        Effect.catch(costs.spend({ agent, owner, ...spent }), ({ message }) =>
          Effect.logWarning(`the cost of an answer could not be recorded: ${message}`))
      )
  } satisfies Budget
})
