import { realpath } from "node:fs/promises"
import { join } from "node:path"
import { Clock, DateTime, Effect } from "effect"
import { Settings } from "../../config/Settings.ts"
import { isTooDeep } from "../../rpc/Depth.ts"
import { SessionManagers } from "../../session/lifecycle/SessionManager.ts"
import * as Files from "../../workspace/Files.ts"
import { caller } from "../access/Access.ts"
import { CostMethods } from "../protocol/DaemonContracts.ts"
import * as Faults from "../protocol/Errors.ts"
import { faulty } from "../protocol/Faulty.ts"
import { instant } from "../protocol/Instant.ts"
import { records, summed } from "../session/Records.ts"
import { ClientSessions, ownerOf } from "../session/ClientSessions.ts"

const largest = 1024 * 1024

/** What the whole organisation costs, as another program wrote it down; `null` where none did. */
const org = Effect.fnUntraced(function*(dataDir: string) {
  const name = "org_cost.json"
  const folder = yield* Effect.promise(() => realpath(dataDir).catch(() => dataDir))
  const found = yield* Effect.result(Files.read(join(folder, name), largest))
  if (found._tag === "Failure") {
    return found.failure.reason === "missing" ? null : yield* Faults.unavailable(`${name}: ${found.failure.detail}`)
  }
  const value = yield* Effect.try({
    try: () => JSON.parse(found.success.bytes.toString("utf8")) as unknown,
    catch: () => Faults.disabled(`${name} is not JSON`, "malformed")
  })
  return isTooDeep(value) ? yield* Faults.disabled(`${name} is nested too deeply`, "malformed") : value
})

export const layer = CostMethods.toLayer(Effect.gen(function*() {
  const settings = yield* Settings
  const clientSessions = yield* ClientSessions
  const managers = yield* SessionManagers
  const all = records(managers)

  return CostMethods.of({
    /** Of the caller's own sessions; the operator sees everybody's (zeroclaw §1.10). */
    "cost/query": Effect.fnUntraced(function*({ agent, ...asked }) {
      const [from, to] = [yield* instant("from", asked.from), yield* instant("to", asked.to)]
      const today = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis)).slice(0, 10)
      const counted = (yield* all).filter((session) =>
        (typeof agent !== "string" || session.agent === agent) &&
        (typeof from !== "string" || session.updatedAt >= from) && (typeof to !== "string" || session.updatedAt < to)
      )
      const costOf = ({ usage }: typeof counted[number]) => usage?.cost ?? 0
      const me = yield* caller
      const days = (yield* Effect.forEach([managers.chat, managers.acp], ({ store }) =>
        store.costs.costs({
          ...(me.admin ? {} : { owner: me.id }),
          ...(typeof agent === "string" ? { agent } : {}),
          ...(typeof from === "string" ? { from: from.slice(0, 10) } : {}),
          ...(typeof to === "string" ? { to: to.slice(0, 10) } : {})
        }))).flat()
      const since = (day: string) => days.reduce((total, one) => one.day >= day ? total + one.cost : total, 0)
      return {
        session_cost_usd: counted.reduce(
          (total, one) => clientSessions.get(one.sessionId)?.owner === ownerOf(one) ? total + costOf(one) : total,
          0
        ),
        daily_cost_usd: since(today),
        monthly_cost_usd: since(today.slice(0, 7)),
        total_tokens: counted.reduce((total, { usage }) => total + (usage?.used ?? 0), 0),
        request_count: counted.reduce((total, { turns }) => total + turns, 0),
        by_model: summed(days, ({ model }) => model, ({ cost }) => cost),
        by_agent: summed(days, (one) => one.agent, ({ cost }) => cost)
      }
    }, faulty),

    "cost/org": () => org(settings.dataDir)
  })
}))
