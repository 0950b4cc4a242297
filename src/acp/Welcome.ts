import { Effect } from "effect"
import { all } from "../session/commands/CommandNames.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import type { AcpConnectionState } from "./AcpConnection.ts"
import * as Updates from "./Updates.ts"

/**
 * What a client is told of a session besides its conversation: after the result of `session/new`, `load` and `resume`, never before
 * (acp.md §4 rules 1 and 7). Skills are looked for in the meantime, so that no answer waits for them.
 */
export const send = (connection: AcpConnectionState, session: Session): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { notify } = Updates.make(connection, session)
    const { usage } = session.record()
    const commands = yield* all(session.workspace)
    if (connection.attached.get(session.sessionId)?.session !== session) return
    if (usage !== null) yield* notify(Updates.usageUpdate(usage))
    yield* notify({
      sessionUpdate: "available_commands_update",
      availableCommands: commands.map(({ description, hint, name }) => ({
        name,
        description,
        ...(hint === undefined ? {} : { input: { hint } })
      }))
    })
  }).pipe(Effect.delay("5 millis"))
