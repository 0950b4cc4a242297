import { Clock, DateTime, Effect, Layer } from "effect"
import { readdir, realpath, stat } from "node:fs/promises"
import { isAbsolute, join, normalize } from "node:path"
import * as Errors from "../protocol/Errors.ts"
import { caller, type Forbids, makeForbids, mayTouch } from "../access/Access.ts"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import { Doctor } from "../../session/doctor/Doctor.ts"
import { SessionManagers } from "../../session/lifecycle/SessionManager.ts"
import { CatalogueMethods, CostMethods } from "../protocol/DaemonContracts.ts"
import { mapRpcErrors } from "../protocol/Errors.ts"
import { ClientSessions, ownerOf } from "../session/ClientSessions.ts"
import { isTooDeep } from "../../rpc/Wire.ts"
import * as Files from "../../workspace/Files.ts"
import { instant } from "../protocol/Contract.ts"

const byName = new Intl.Collator("en", { sensitivity: "base" })

const codeOf = (error: unknown) => (error as { readonly code?: string }).code

/**
 * The entries of a folder, folders first; entries that vanish meanwhile and forbidden ones are left out. A link into a
 * forbidden folder is refused.
 */
export const list = Effect.fnUntraced(function*(path: string, hidden: boolean, forbids: Forbids) {
  if (!isAbsolute(path) || path.includes("\0") || path.split(/[/\\]/).includes("..")) {
    return yield* Errors.badPath(`path: ${JSON.stringify(path)} is not an absolute path without ".."`)
  }
  const checked = (folder: string) => {
    const reason = forbids(folder)
    return reason === undefined ? Effect.succeed(folder) : Effect.fail(Errors.pathDenied(`path: ${reason}`))
  }
  const attempt = <A>(run: () => Promise<A>) =>
    Effect.tryPromise({
      try: run,
      catch: (error) =>
        codeOf(error) === "EACCES"
          ? Errors.pathDenied(`${path} cannot be read`)
          : Errors.pathMissing(`${path} is not there or no folder`)
    })
  // Checked before the path is looked up: a forbidden path does not say whether it exists.
  yield* checked(normalize(path))
  const folder = yield* Effect.flatMap(attempt(() => realpath(path)), checked)
  // By descriptor: a command may put a link in the place of the folder that was checked.
  const entries = yield* attempt(() =>
    Files.inside(folder, async (base) =>
      await Promise.all(
        (await readdir(base)).filter((name) => hidden || !name.startsWith(".")).map(async (name) => {
          const full = join(path, name)
          const real = await realpath(join(base, name)).catch(() => undefined)
          if (real === undefined || forbids(real) !== undefined) return undefined
          const found = await stat(join(base, name)).catch(() => undefined)
          return found && {
            name,
            full_path: full,
            is_dir: found.isDirectory(),
            is_hidden: name.startsWith("."),
            size: found.size,
            mtime: Math.floor(found.mtimeMs / 1000)
          }
        })
      ))
  )
  const there = entries.filter((entry) => entry !== undefined)
  return {
    entries: there.sort((a, b) => Number(b.is_dir) - Number(a.is_dir) || byName.compare(a.name, b.name)),
    cwd: path
  }
})

const mostSessions = 100_000

/** The stored sessions of both modes that the caller may see. */
const records = ({ acp, chat }: SessionManagers["Service"]) =>
  Effect.gen(function*() {
    const me = yield* caller
    const found = yield* Effect.forEach([chat, acp], ({ store }) => store.overview({ limit: mostSessions }))
    return found.flat().filter((record) => mayTouch(me, ownerOf(record)))
  })

/** Sums by a key, where there is something to sum. */
const summed = <A>(items: ReadonlyArray<A>, key: (item: A) => string, amount: (item: A) => number) => {
  const sums: Record<string, number> = {}
  for (const item of items) sums[key(item)] = (sums[key(item)] ?? 0) + amount(item)
  return sums
}

const doctorPatience = "20 seconds"

const severityOf = { ok: "ok", warn: "warn", fail: "error" } as const

const layerCatalogue = CatalogueMethods.toLayer(Effect.gen(function*() {
  const settings = yield* Settings
  const live = yield* LiveSettings
  const clientSessions = yield* ClientSessions
  const managers = yield* SessionManagers
  const doctor = yield* Doctor
  const forbids = makeForbids(settings, live)

  const usable = Effect.gen(function*() {
    const me = yield* caller
    return Array.from((yield* live.current).agents.values()).filter(({ alias }) => me.mayUseAgent(alias))
  })

  const all = records(managers)

  /** A sandbox probe blocks the event loop, so concurrent and closely following requests share one result. */
  const examined = yield* Effect.cachedWithTTL(
    Effect.timeoutOption(doctor.run, doctorPatience),
    "5 seconds"
  )

  return CatalogueMethods.of({
    "agents/list": () =>
      Effect.map(
        usable,
        (found) => ({ agents: found.map(({ alias, enabled }) => ({ alias, enabled, channels: [] })) })
      ),

    "agents/status": () =>
      mapRpcErrors(Effect.gen(function*() {
        const stored = summed(yield* all, ({ agent }) => agent, () => 1)
        const me = yield* caller
        const own = clientSessions.all().filter(({ owner }) => mayTouch(me, owner))
        const live = summed(own, ({ session }) => session.record().agent, () => 1)
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

    "doctor/run": Effect.fnUntraced(function*() {
      const findings = yield* examined
      const results = (findings._tag === "Some" ? findings.value : []).map(({ detail, name, remedy, status }) => ({
        severity: severityOf[status],
        category: name,
        message: remedy === undefined ? detail : `${detail} (${remedy})`
      }))
      const count = (severity: string) => results.filter((result) => result.severity === severity).length
      const summary = { ok: count("ok"), warnings: count("warn"), errors: count("error") }
      return { results, summary, ...(findings._tag === "Some" ? {} : { timed_out_phase: "doctor" }) }
    }),

    "fs/list_dir": ({ path, show_hidden }) =>
      Effect.flatMap(caller, (me) => list(path, show_hidden ?? false, forbids(me))),

    "locales/list": () => Effect.succeed({ locales: [{ code: "en", label: "English" }] }),

    // The daemon's own words are English and no catalogue: whatever a client asks for it has to bring itself.
    "locales/fetch": ({ catalog, locale }) => Effect.succeed({ locale, catalogs: [], skipped: catalog ?? [] })
  })
}))

const largest = 1024 * 1024

/** What the whole organisation costs, as another program wrote it down; `null` where none did. */
const org = Effect.fnUntraced(function*(dataDir: string) {
  const name = "org_cost.json"
  const folder = yield* Effect.promise(() => realpath(dataDir).catch(() => dataDir))
  const found = yield* Effect.result(Files.read(join(folder, name), largest))
  if (found._tag === "Failure") {
    return found.failure.reason === "missing" ? null : yield* Errors.unavailable(`${name}: ${found.failure.detail}`)
  }
  const value = yield* Effect.try({
    try: () => JSON.parse(found.success.bytes.toString("utf8")) as unknown,
    catch: () => Errors.disabled(`${name} is not JSON`, "malformed")
  })
  return isTooDeep(value) ? yield* Errors.disabled(`${name} is nested too deeply`, "malformed") : value
})

const layerCosts = CostMethods.toLayer(Effect.gen(function*() {
  const settings = yield* Settings
  const clientSessions = yield* ClientSessions
  const managers = yield* SessionManagers
  const all = records(managers)

  return CostMethods.of({
    /** The costs of the caller's own sessions; the operator sees those of all. See docs/users.md#ownership. */
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
    }, mapRpcErrors),

    "cost/org": () => org(settings.dataDir)
  })
}))

export const layer = Layer.merge(layerCatalogue, layerCosts)
