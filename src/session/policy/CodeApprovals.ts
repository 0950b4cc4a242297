import { Clock, Effect } from "effect"
import { existsSync } from "node:fs"
import type { ProcessSettings } from "../../config/Settings.ts"
import type { OtpSettings } from "../../config/Snapshot.ts"
import type { EmergencyStop } from "../../security/EmergencyStop.ts"
import { secretFile } from "../../security/SecretFile.ts"

/** That somebody gave a one-time code for a session, which counts for a while. See docs/one-time-codes.md#approvals. */
export interface CodeApprovals {
  /** Where the codes of this configuration are. */
  readonly folders: Pick<ProcessSettings, "configDir" | "dataDir">
  readonly settings: () => OtpSettings
  /** Whether somebody has given one, which still counts. */
  readonly counts: () => boolean
  readonly isEnrolled: () => boolean
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
  let approval: { readonly at: number; readonly stopped: string | undefined } | undefined

  return {
    folders,
    settings,
    isEnrolled: () => existsSync(secretFile(folders.configDir)),
    counts: () => {
      if (approval === undefined) return false
      const age = clock.currentTimeMillisUnsafe() - approval.at
      if (age >= 0 && age < settings().cacheSecs * 1000 && stop.state().updatedAt === approval.stopped) return true
      approval = undefined
      return false
    },
    approved: Effect.sync(() => {
      approval = { at: clock.currentTimeMillisUnsafe(), stopped: stop.state().updatedAt }
    })
  } satisfies CodeApprovals
})
