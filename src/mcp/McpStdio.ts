import type { Writable } from "node:stream"
import { Effect, Fiber, Result, Scope } from "effect"
import { Sandbox } from "../sandbox/Sandbox.ts"
import * as Lines from "../rpc/Lines.ts"
import * as Confining from "../tool/CallConfinement.ts"
import { Processes, type ProcessExit } from "../sandbox/process/Processes.ts"
import * as Link from "./Link.ts"
import { stopped, Unreachable } from "./Unreachable.ts"

/** Bytes that a server may leave unread before it counts as stuck. */
const maxUnread = 8 * 1024 * 1024

/** The end of what it printed, for the reason of a failure. */
const keptErrors = 8192

/** Of all that a program prints as it fails, what says why. */
const telling = (printed: string): string => {
  const lines = printed.split("\n").map((line) => line.trim()).filter((line) => line !== "")
  const found = lines.find((line) => /error|fatal|cannot|denied/i.test(line) && line.includes(":"))
  return (found ?? lines.slice(-3).join(" ")).slice(0, 300)
}

/** Time for a server to end by itself once its input has ended; then it is told to. */
const grace = "2 seconds"

const reasonOf = ({ attribution, code, signal }: ProcessExit, errors: string): string => {
  if (attribution?.kind === "not-found") {
    return `${attribution.note}; a program that only the sandbox hides needs its folder in readable`
  }
  const printed = telling(errors)
  const how = attribution !== undefined && attribution.kind !== "ordinary"
    ? attribution.note
    : code === null
    ? `it was ended by ${signal ?? "the system"}`
    : `it ended with exit code ${code}`
  return printed === "" ? how : `${how}: ${printed}`
}

/**
 * A server as a confined child process that speaks over its standard input and output, one message a line; whatever else it prints is
 * dropped. When the scope closes its input ends at once, and the process 2 s later at the latest.
 */
export const make = Effect.gen(function*() {
  const processes = yield* Processes
  const sandbox = yield* Sandbox
  // Sessions do not wait for servers that take their time to end.
  const endings = yield* Effect.scope

  return Effect.fnUntraced(function*(
    argv: readonly [string, ...ReadonlyArray<string>],
    where: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
    held: Confining.ConfinementInput,
    listener: Link.Listener
  ): Effect.fn.Return<Link.Link, Unreachable, Scope.Scope> {
    const own = yield* Scope.fork(endings)
    let bye: Effect.Effect<void> = Effect.void
    // When Postern itself ends, nothing is waited for.
    yield* Effect.addFinalizer((exit) =>
      Effect.forkIn(Effect.andThen(Effect.suspend(() => bye), Scope.close(own, exit)), endings)
    )
    const confined = yield* Confining.make(sandbox, held).confine(argv, where).pipe(
      Scope.provide(own),
      Effect.mapError(({ message }) => new Unreachable({ reason: message }))
    )
    const lines = Lines.make(Link.maxMessage)
    let errors = ""
    let stdin: Writable | undefined
    // What is said before the process is there.
    let early = ""
    const link: Link.Link = yield* Link.make({ send: (message) => Effect.sync(() => write(message)) }, listener)
    const write = (message: string) => {
      if (stdin === undefined) early += `${message}\n`
      if (stdin?.writable !== true) return
      if (stdin.writableLength > maxUnread) return link.close("it does not read what it is sent")
      stdin.write(`${message}\n`)
    }
    const take = (line: string | typeof Lines.TooLong) =>
      line === Lines.TooLong ? link.fail(`it answered with more than ${Link.maxMessage} bytes`) : link.receive(line)

    const run = processes.run({
      ...confined,
      timeout: "36500 days",
      onInput: (input) => {
        stdin = input.on("error", () => undefined)
        stdin.write(early)
      },
      onOutput: (chunk, from) => {
        if (from === "stdout") lines.push(chunk).forEach(take)
        else errors = (errors + chunk.toString("utf8")).slice(-keptErrors)
      }
    })
    const running = yield* Effect.forkIn(
      Effect.tap(Effect.result(run), (ended) =>
        Effect.sync(() =>
          link.close(
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
        link.close(stopped)
      })
    )
    return link
  })
})
