import { Effect, Exit, Fiber } from "effect"
import type { ClientSide, Terminal } from "../tool/ClientSide.ts"
import { ToolFailed } from "../tool/Tool.ts"
import type { AcpConnectionState } from "./AcpConnection.ts"
import { TerminalCreate, TerminalKill, TerminalOutput, TerminalRelease, TerminalWaitForExit } from "./Client.ts"

/** `terminal/*` of a client that offers it (acp.md §1.2, §4 rule 24). */

const timeout = "10 seconds"

const failed = (what: string) => (cause: { readonly message: string }) =>
  new ToolFailed({ message: `The client's terminal ${what}${cause.message === "" ? "" : `: ${cause.message}`}.` })

export const make = ({ capabilities, peer }: AcpConnectionState, sessionId: string): ClientSide["openTerminal"] => {
  if (capabilities.terminal !== true) return undefined

  /** Nobody waits for a client that is gone or stuck. */
  const told = (request: Effect.Effect<unknown, unknown>) =>
    Effect.asVoid(Effect.forkDetach(Effect.ignore(Effect.timeout(request, timeout)), { startImmediately: true }))

  const release = (terminalId: string, isCut: boolean) => {
    const id = { sessionId, terminalId }
    const kill = isCut ? Effect.ignore(peer.request(TerminalKill, id)) : Effect.void
    return told(Effect.andThen(kill, peer.request(TerminalRelease, id)))
  }

  return ({ args, command, cwd, env, keep }) =>
    Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
      const variables = Object.entries(env).map(([name, value]) => ({ name, value }))
      const creating = yield* Effect.forkDetach(
        Effect.timeout(peer.request(TerminalCreate, { sessionId, command, args, cwd, env: variables, outputByteLimit: keep }), timeout),
        { startImmediately: true }
      )
      const { terminalId } = yield* restore(Fiber.join(creating)).pipe(
        // The client may make it although the turn is over.
        Effect.onInterrupt(() => told(Effect.flatMap(Fiber.join(creating), (late) => release(late.terminalId, true)))),
        Effect.mapError(failed("could not be opened"))
      )
      yield* Effect.addFinalizer((exit) => release(terminalId, Exit.hasInterrupts(exit)))
      const id = { sessionId, terminalId }
      return {
        terminalId,
        output: peer.request(TerminalOutput, id).pipe(
          Effect.map(({ output, truncated }) => ({ text: output, cut: truncated })),
          Effect.timeout(timeout),
          Effect.mapError(failed("did not show its output"))
        ),
        exited: peer.request(TerminalWaitForExit, id).pipe(
          Effect.map(({ exitCode, signal }) => ({ code: exitCode ?? null, signal: signal ?? null })),
          Effect.mapError(failed("was lost"))
        ),
        kill: Effect.ignore(Effect.timeout(peer.request(TerminalKill, id), timeout))
      } satisfies Terminal
    }))
}
