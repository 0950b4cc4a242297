import { Deferred, Duration, Effect, Option, Schema } from "effect"
import { Rpc } from "effect/rpc"
import { Initialize } from "../../acp/protocol/AgentMethods.ts"
import { version } from "../../domain/Version.ts"
import { type Far, type Link, Open } from "./AgentLink.ts"
import { failure } from "../Failure.ts"
import { cut, oneLine } from "../terminal/Text.ts"
import { inItsWords } from "./Reason.ts"

const AnyInitialize = Rpc.make("initialize", {
  payload: Initialize.payloadSchema,
  success: Open,
  error: Initialize.errorSchema
})

/** In s. Programs that are downloaded first take their time. */
const initializeTimeout = 30
const slowAfter = "3 seconds"

const clientCapabilities = {
  fs: { readTextFile: false, writeTextFile: false },
  terminal: false,
  session: { notices: {} }
}

/** What was started and may turn out to be an agent. */
export interface Candidate extends Far {
  /** How it was started, for messages. */
  readonly command: string
  /** Whether it is the agent of this installation. */
  readonly own: boolean
  /** What the agent wrote before it answered and that is no message. */
  readonly junk: Deferred.Deferred<string>
  /** It takes its time to answer `initialize`. */
  readonly onSlow: () => void
}

/** Agrees on the protocol, or says why what was started is no agent for this client. */
export const agree = Effect.fnUntraced(function*({ command, junk, onSlow, own, process }: Candidate, { ask }: Link) {
  const noAgent = (why: string) => failure(`${oneLine(command)} does not speak ACP: ${why}`, process.tail())
  const clientInfo = { name: "postern-client", title: "Postern", version }
  const strayed = Effect.flatMap(
    Deferred.await(junk),
    (line) => Effect.fail(noAgent(`it wrote ${JSON.stringify(cut(oneLine(line), 120))}`))
  )
  const answer = yield* Effect.forkScoped(Effect.delay(Effect.sync(onSlow), slowAfter)).pipe(
    Effect.andThen(ask(AnyInitialize, { protocolVersion: 1, clientInfo, clientCapabilities })),
    Effect.scoped,
    Effect.raceFirst(strayed),
    Effect.mapError((error) => own ? inItsWords(error) : error),
    Effect.timeoutOrElse({
      duration: Duration.seconds(initializeTimeout),
      orElse: () =>
        Effect.fail(
          failure(`${oneLine(command)} did not answer initialize within ${initializeTimeout} s`, process.tail())
        )
    })
  )
  const initialized = Option.getOrUndefined(Schema.decodeUnknownOption(Initialize.successSchema)(answer))
  if (initialized === undefined) return yield* noAgent("its answer to initialize has no protocol version")
  if (initialized.protocolVersion !== 1) {
    return yield* noAgent(`it wants protocol version ${initialized.protocolVersion}, this client has 1`)
  }
  return initialized
})
