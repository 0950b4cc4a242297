import { Effect } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import { Doctor } from "../../session/doctor/Doctor.ts"
import { SessionManagers } from "../../session/lifecycle/SessionManager.ts"
import { caller, mayTouch } from "../access/Access.ts"
import { CatalogueMethods } from "../protocol/DaemonContracts.ts"
import { faulty } from "../protocol/Faulty.ts"
import * as Listing from "../files/DirectoryListing.ts"
import * as Places from "../access/FolderAccess.ts"
import { records, summed } from "../session/Records.ts"
import { ClientSessions } from "../session/ClientSessions.ts"

const doctorPatience = "20 seconds"

const severityOf = { ok: "ok", warn: "warn", fail: "error" } as const

export const layer = CatalogueMethods.toLayer(Effect.gen(function*() {
  const settings = yield* Settings
  const live = yield* LiveSettings
  const clientSessions = yield* ClientSessions
  const managers = yield* SessionManagers
  const doctor = yield* Doctor
  const forbids = Places.make(settings, live)

  const usable = Effect.gen(function*() {
    const me = yield* caller
    return Array.from((yield* live.current).agents.values()).filter(({ alias }) => me.mayUseAgent(alias))
  })

  const all = records(managers)

  /** Trying out a sandbox keeps everybody waiting, so those who ask at the same time, or soon after, get the same answer. */
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
      faulty(Effect.gen(function*() {
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
      Effect.flatMap(caller, (me) => Listing.list(path, show_hidden ?? false, forbids(me))),

    "locales/list": () => Effect.succeed({ locales: [{ code: "en", label: "English" }] }),

    // The daemon's own words are English and no catalogue: whatever a client asks for it has to bring itself.
    "locales/fetch": ({ catalog, locale }) => Effect.succeed({ locale, catalogs: [], skipped: catalog ?? [] })
  })
}))
