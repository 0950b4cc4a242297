import { Cause, Effect, Exit, Fiber } from "effect"
import { unlessSilent } from "../../rpc/Progress.ts"
import type { ClientSide, Terminal } from "../../tool/ClientSide.ts"
import { ToolFailed } from "../../tool/Tool.ts"
import type { AcpConnectionState } from "../AcpConnection.ts"
import {
  TerminalCreate,
  TerminalKill,
  TerminalOutput,
  TerminalRelease,
  TerminalWaitForExit
} from "../protocol/ClientMethods.ts"

/** `terminal/*` of a client that offers it. See docs/agent-client-protocol.md#commands-in-terminals. */

const timeout = "10 seconds"

/** A client that is gone or stuck does not keep a turn from ending. */
const releaseTimeout = "500 millis"

const failed = (what: string) => (cause: { readonly message: string }) =>
  new ToolFailed({ message: `The client's terminal ${what}${cause.message === "" ? "" : `: ${cause.message}`}.` })

export const make = ({ capabilities, peer }: AcpConnectionState, sessionId: string): ClientSide["openTerminal"] => {
  if (capabilities.terminal !== true) return undefined

  /** Sends kill and release at once; requests that a stuck client does not answer are withdrawn. */
  const release = (terminalId: string, isCut: boolean) => {
    const id = { sessionId, terminalId }
    const requests = isCut
      ? [peer.request(TerminalKill, id), peer.request(TerminalRelease, id)]
      : [peer.request(TerminalRelease, id)]
    const all = Effect.forEach(requests, (request) => Effect.ignore(request), {
      concurrency: "unbounded",
      discard: true
    })
    return Effect.timeoutOption(Effect.interruptible(all), releaseTimeout)
  }

  return ({ args, command, cwd, env, keep }) =>
    Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
      const variables = Object.entries(env).map(([name, value]) => ({ name, value }))
      const creating = yield* Effect.forkDetach(
        Effect.timeout(
          peer.request(TerminalCreate, { sessionId, command, args, cwd, env: variables, outputByteLimit: keep }),
          timeout
        ),
        { startImmediately: true }
      )
      const { terminalId } = yield* restore(Fiber.join(creating)).pipe(
        // The client may create it after the turn is over.
        Effect.onInterrupt(() =>
          Effect.forkDetach(
            Effect.ignore(Effect.flatMap(Fiber.join(creating), (late) => release(late.terminalId, true)))
          )
        ),
        Effect.mapError(failed("could not be opened"))
      )
      yield* Effect.addFinalizer((exit) => release(terminalId, Exit.hasInterrupts(exit)))
      const id = { sessionId, terminalId }
      return {
        terminalId,
        output: peer.request(TerminalOutput, id).pipe(
          Effect.map(({ output, truncated }) => ({ text: output, cut: truncated })),
          unlessSilent(peer.progress, timeout, () => Effect.fail(new Cause.TimeoutError())),
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
