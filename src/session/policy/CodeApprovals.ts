import { Clock, Effect } from "effect"
import type { ProcessSettings } from "../../config/Settings.ts"
import type { OtpSettings } from "../../config/Snapshot.ts"
import { needsCode } from "../../domain/CodeGates.ts"
import type { StoppableCall } from "../../domain/EmergencyStop.ts"
import type { EmergencyStop } from "../../security/EmergencyStop.ts"
import * as OneTimeCodes from "../../security/OneTimeCodes.ts"

/** That somebody gave a one-time code for a session, which counts for a while. See docs/one-time-codes.md#approvals. */
export interface CodeApprovals {
  readonly needed: (call: StoppableCall) => "ask" | "none-enrolled" | undefined
  readonly codes: OneTimeCodes.OneTimeCodes
  readonly settings: () => OtpSettings
  /** A right code was given: calls of the session need none for the time that is configured. */
  readonly approved: Effect.Effect<void>
}

/** The approval of one session, which belongs to one principal. It is kept in memory alone, and an emergency stop ends it. */
export const make = Effect.fnUntraced(function*(
  folders: Pick<ProcessSettings, "configDir" | "dataDir">,
  settings: () => OtpSettings,
  stop: EmergencyStop
) {
  const clock = yield* Clock.Clock
  const codes = OneTimeCodes.make(folders)
  let approval: { readonly at: number; readonly stopped: string | undefined } | undefined

  const counts = (): boolean => {
    if (approval === undefined) return false
    const age = clock.currentTimeMillisUnsafe() - approval.at
    if (age >= 0 && age < settings().cacheSecs * 1000 && stop.state().updatedAt === approval.stopped) return true
    approval = undefined
    return false
  }

  return {
    codes,
    settings,
    needed: (call) => {
      const { gates } = settings()
      if (!gates.enabled || !needsCode(gates, call) || counts()) return undefined
      return codes.isEnrolled() ? "ask" : "none-enrolled"
    },
    approved: Effect.sync(() => {
      approval = { at: clock.currentTimeMillisUnsafe(), stopped: stop.state().updatedAt }
    })
  } satisfies CodeApprovals
})
