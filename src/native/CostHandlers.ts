import { Clock, DateTime, Effect } from "effect"
import { Hosts } from "../session/Hosts.ts"
import { caller } from "./Access.ts"
import { Costs } from "./CostContracts.ts"
import { faulty } from "./Faulty.ts"
import { instant } from "./Instant.ts"
import { records, summed } from "./Records.ts"
import { Residents } from "./Residents.ts"

export const layer = Costs.toLayer(Effect.gen(function*() {
  const residents = yield* Residents
  const hosts = yield* Hosts
  const all = records(hosts)

  return Costs.of({
    "cost/query": Effect.fnUntraced(function*({ agent, ...asked }) {
      const [from, to] = [yield* instant("from", asked.from), yield* instant("to", asked.to)]
      const today = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis)).slice(0, 10)
      const counted = (yield* all).filter((session) =>
        (typeof agent !== "string" || session.agent === agent) &&
        (typeof from !== "string" || session.updatedAt >= from) && (typeof to !== "string" || session.updatedAt < to)
      )
      const costOf = ({ usage }: typeof counted[number]) => usage?.cost ?? 0
      const me = yield* caller
      const days = (yield* Effect.forEach([hosts.chat, hosts.acp], ({ store }) =>
        store.costs.costs({
          ...(typeof agent === "string" ? { agent } : {}),
          ...(typeof from === "string" ? { from: from.slice(0, 10) } : {}),
          ...(typeof to === "string" ? { to: to.slice(0, 10) } : {})
        }))).flat().filter((one) => me.mayUseAgent(one.agent))
      const since = (day: string) => days.reduce((total, one) => one.day >= day ? total + one.cost : total, 0)
      return {
        session_cost_usd: counted.reduce(
          (total, one) => residents.get(one.sessionId) === undefined ? total : total + costOf(one),
          0
        ),
        daily_cost_usd: since(today),
        monthly_cost_usd: since(today.slice(0, 7)),
        total_tokens: counted.reduce((total, { usage }) => total + (usage?.used ?? 0), 0),
        request_count: counted.reduce((total, { turns }) => total + turns, 0),
        by_model: summed(days, ({ model }) => model, ({ cost }) => cost),
        by_agent: summed(days, (one) => one.agent, ({ cost }) => cost)
      }
    }, faulty)
  })
}))
