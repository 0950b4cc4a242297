import type { Writable } from "node:stream"
import { Effect, Fiber, Result, Scope } from "effect"
import { Sandbox } from "../sandbox/Sandbox.ts"
import * as Lines from "../rpc/Lines.ts"
import * as CallConfinement from "../tool/CallConfinement.ts"
import { Processes, type ProcessExit } from "../sandbox/process/Processes.ts"
import {
  make as makeConnection,
  maxMessage,
  type McpConnection,
  type McpListener,
  stopped,
  Unreachable
} from "./McpConnection.ts"
import { beginning } from "../domain/Cut.ts"

/** Bytes that a server may leave unread before it counts as stuck. */
const maxUnread = 8 * 1024 * 1024

/** Characters of the end of its standard error, for the reason of a failure. */
const keptErrors = 8192

/** The line that says why a program failed, of all that it printed. */
const failureLine = (printed: string): string => {
  const lines = printed.split("\n").map((line) => line.trim()).filter((line) => line !== "")
  const found = lines.find((line) => /error|fatal|cannot|denied/i.test(line) && line.includes(":"))
  return beginning(found ?? lines.slice(-3).join(" "), 300)
}

/** Time for a server to end by itself once its input has ended; then it is killed. */
const grace = "2 seconds"

const reasonOf = ({ attribution, code, signal }: ProcessExit, errors: string): string => {
  if (attribution?.kind === "not-found") {
    return `${attribution.note}; a program that only the sandbox hides needs its folder in readable`
  }
  const printed = failureLine(errors)
  const how = attribution !== undefined && attribution.kind !== "ordinary"
    ? attribution.note
    : code === null
    ? `it was ended by ${signal ?? "the system"}`
    : `it ended with exit code ${code}`
  return printed === "" ? how : `${how}: ${printed}`
}

/**
 * A server as a confined child process that speaks over its standard input and output, one message a line; other lines
 * are dropped. When the scope closes, its input ends at once and the process within 2 s. See
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio.
 */
export const make = Effect.gen(function*() {
  const processes = yield* Processes
  const sandbox = yield* Sandbox
  // A session that closes does not wait for its servers to end.
  const endings = yield* Effect.scope

  return Effect.fnUntraced(function*(
    argv: readonly [string, ...ReadonlyArray<string>],
    where: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
    held: CallConfinement.ConfinementInput,
    listener: McpListener
  ): Effect.fn.Return<McpConnection, Unreachable, Scope.Scope> {
    const own = yield* Scope.fork(endings)
    let bye: Effect.Effect<void> = Effect.void
    // Postern does not wait for servers when it exits.
    yield* Effect.addFinalizer((exit) =>
      Effect.forkIn(Effect.andThen(Effect.suspend(() => bye), Scope.close(own, exit)), endings)
    )
    const confined = yield* CallConfinement.make(sandbox, held).confine(argv, where).pipe(
      Scope.provide(own),
      Effect.mapError(({ message }) => new Unreachable({ reason: message }))
    )
    const lines = Lines.make(maxMessage)
    let errors = ""
    let stdin: Writable | undefined
    // Messages from before the process has started.
    let early = ""
    const connection: McpConnection = yield* makeConnection(
      { send: (message) => Effect.sync(() => write(message)) },
      listener
    )
    const write = (message: string) => {
      if (stdin === undefined) early += `${message}\n`
      if (stdin?.writable !== true) return
      if (stdin.writableLength > maxUnread) return connection.close("it does not read what it is sent")
      stdin.write(`${message}\n`)
    }
    const take = (line: string | typeof Lines.TooLong) =>
      line === Lines.TooLong
        ? connection.fail(`it answered with more than ${maxMessage} bytes`)
        : connection.receive(line)

    const run = processes.run({
      ...confined,
      timeout: "36500 days",
      grace: "3 seconds",
      onInput: (input) => {
        stdin = input.on("error", () => undefined)
        stdin.write(early)
      },
      onOutput: (chunk, from) => {
        listener.printed?.()
        if (from === "stdout") {
          lines.push(chunk).forEach(take)
          if (lines.unfinished() !== undefined) connection.arriving()
        } else errors = (errors + chunk.toString("utf8")).slice(-keptErrors)
      }
    })
    const running = yield* Effect.forkIn(
      Effect.tap(Effect.result(run), (ended) =>
        Effect.sync(() =>
          connection.close(
            Result.isSuccess(ended)
              ? reasonOf(ended.success, errors)
              : `${ended.failure.program} cannot be started (${ended.failure.message})`
          )
        )),
      own,
      { startImmediately: true }
    )
    bye = Effect.asVoid(Effect.timeoutOption(Fiber.await(running), grace))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        stdin?.end()
        connection.close(stopped)
      })
    )
    return connection
  })
})
