import { Clock, DateTime, Effect } from "effect"
import { join } from "node:path"
import { type Agent, Settings } from "../app/Settings.ts"
import { Agents } from "../session/Agents.ts"
import { Hosts } from "../session/Hosts.ts"
import * as Files from "../workspace/Files.ts"
import * as Skills from "../workspace/Skills.ts"
import { caller, mayTouch } from "./Access.ts"
import { Catalogue } from "./CatalogueContracts.ts"
import * as Faults from "./Faults.ts"
import { faulty } from "./Faulty.ts"
import * as Listing from "./Listing.ts"
import { ownerOf, Residents } from "./Residents.ts"

const mostSessions = 100_000
const doctorPatience = "20 seconds"

const severityOf = { ok: "ok", warn: "warn", fail: "error" } as const

/** Sums by a key, where there is something to sum. */
const summed = <A>(items: ReadonlyArray<A>, key: (item: A) => string, amount: (item: A) => number) => {
  const sums: Record<string, number> = {}
  for (const item of items) sums[key(item)] = (sums[key(item)] ?? 0) + amount(item)
  return sums
}

export const layer = Catalogue.toLayer(Effect.gen(function*() {
  const settings = yield* Settings
  const agents = yield* Agents
  const residents = yield* Residents
  const hosts = yield* Hosts

  const bundlesOf = ({ alias, workspace }: Agent) => [
    { alias, directory: join(workspace, "skills") },
    { alias: "shared", directory: join(settings.configDir, "shared", "skills") }
  ]

  const usable = Effect.gen(function*() {
    const me = yield* caller
    return Array.from(settings.agents.values()).filter(({ alias }) => me.mayUseAgent(alias))
  })

  const agentOf = Effect.fnUntraced(function*(alias: string | null | undefined) {
    const me = yield* caller
    const agent = yield* agents.resolve(alias ?? undefined)
    return me.mayUseAgent(agent.alias)
      ? agent
      : yield* Faults.forbidden(`Principal "${me.id}" may not use agent "${agent.alias}"`, { agent: agent.alias })
  })

  /** The skills of one bundle, or of all that an agent has. */
  const skillsOf = Effect.fnUntraced(function*(alias: string | null | undefined, bundle: string | null | undefined) {
    const bundles = bundlesOf(yield* agentOf(alias)).filter((one) =>
      bundle === undefined || bundle === null || one.alias === bundle
    )
    const found = yield* Effect.forEach(
      bundles,
      (one) =>
        Effect.map(
          Skills.list({ skills: [one.directory] }),
          (skills) => skills.map((skill) => ({ bundle: one.alias, skill }))
        )
    )
    return found.flat()
  })

  const all = Effect.gen(function*() {
    const me = yield* caller
    const [chat, acp] = [
      yield* hosts.chat.store.overview({ limit: mostSessions }),
      yield* hosts.acp.store.overview({ limit: mostSessions })
    ]
    return [...chat, ...acp].filter((record) => mayTouch(me, ownerOf(record)))
  })

  return Catalogue.of({
    "agents/list": () =>
      Effect.map(
        usable,
        (found) => ({ agents: found.map(({ alias, enabled }) => ({ alias, enabled, channels: [] })) })
      ),

    "agents/status": () =>
      faulty(Effect.gen(function*() {
        const stored = summed(yield* all, ({ agent }) => agent, () => 1)
        const live = summed(residents.all(), ({ session }) => session.record().agent, () => 1)
        return {
          agents: (yield* usable).map(({ alias, enabled }) => ({
            alias,
            enabled,
            channels: [],
            live_sessions: live[alias] ?? 0,
            persisted_sessions: stored[alias] ?? 0
          }))
        }
      })),

    "skills/bundles": ({ agent }) =>
      faulty(
        Effect.map(
          agentOf(agent),
          (found) => ({ bundles: bundlesOf(found).map((bundle) => ({ ...bundle, include: [], exclude: [] })) })
        )
      ),

    "skills/list": ({ agent, bundle }) =>
      faulty(Effect.map(skillsOf(agent, bundle), (found) => ({
        skills: found.map(({ bundle, skill: { description, folder, name } }) => ({
          bundle,
          name,
          directory: folder,
          frontmatter: { name, description }
        }))
      }))),

    "skills/read": Effect.fnUntraced(function*({ agent, bundle, name }) {
      const found = (yield* skillsOf(agent, bundle)).find(({ skill }) => skill.name === name)
      if (found === undefined) {
        return yield* Faults.invalid(`there is no skill ${JSON.stringify(name)}`, "name", "not_found")
      }
      const { skill: { description, folder, path } } = found
      const { bytes } = yield* Effect.mapError(
        Files.read(path, 256 * 1024),
        ({ detail }) => Faults.invalid(detail, "name", "not_found")
      )
      return {
        bundle: found.bundle,
        name,
        directory: folder,
        frontmatter: { name, description },
        content: bytes.toString("utf8")
      }
    }, faulty),

    "cost/query": Effect.fnUntraced(function*({ agent, from, to }) {
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
    }, faulty),

    "doctor/run": Effect.fnUntraced(function*() {
      const { Doctor } = yield* Effect.promise(() => import("../app/Doctor.ts"))
      const findings = yield* Doctor.use(({ run }) => run).pipe(
        Effect.provide(Doctor.layer),
        Effect.provideService(Settings, settings),
        Effect.timeoutOption(doctorPatience)
      )
      const results = (findings._tag === "Some" ? findings.value : []).map(({ detail, name, remedy, status }) => ({
        severity: severityOf[status],
        category: name,
        message: remedy === undefined ? detail : `${detail} (${remedy})`
      }))
      const count = (severity: string) => results.filter((result) => result.severity === severity).length
      const summary = { ok: count("ok"), warnings: count("warn"), errors: count("error") }
      return { results, summary, ...(findings._tag === "Some" ? {} : { timed_out_phase: "doctor" }) }
    }),

    "fs/list_dir": ({ path, show_hidden }) => Listing.list(path, show_hidden ?? false)
  })
}))
