import { Effect } from "effect"
import { canonical } from "../session/lifecycle/Folders.ts"
import type { DialectName } from "./AcpConnection.ts"

/**
 * A `cwd` that means "no folder in particular": ZeroClaw's clients send `.`, or the install root itself. The agent's own folder is
 * used instead (spec §3).
 */
export const placeholderCwd = Effect.fnUntraced(
  function*(dialect: DialectName, installRoot: string, cwd: string | undefined) {
    if (dialect === "acp" || cwd === undefined) return cwd
    if (cwd === ".") return undefined
    return (yield* canonical(cwd)) === (yield* canonical(installRoot)) ? undefined : cwd
  }
)
