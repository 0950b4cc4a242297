import { Deferred, Effect, Exit, Option, type Scope, Stream } from "effect"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import * as Lines from "../../rpc/Lines.ts"
import { fromStreams, type Transport } from "../../rpc/Transport.ts"
import { type Failure, failure } from "../Failure.ts"
import { oneLine } from "../terminal/Text.ts"

export interface AgentProcess {
  /** Lines that cannot be JSON-RPC never get here. */
  readonly transport: Transport
  /** "exit code 3" or "signal SIGKILL", when the process has ended and `tail` is complete. */
  readonly ended: Effect.Effect<string>
  /** The last lines of stderr, safe for a terminal. */
  readonly tail: () => string
}

interface AgentProcessOptions {
  readonly command: ReadonlyArray<string>
  readonly maxFrame: number
  /** A line on stdout that is no message. */
  readonly onJunk: (line: string) => void
  /** A line on stderr, safe for a terminal. */
  readonly onStderr: (line: string) => void
}

const tailLines = 10
const endOfInputPatience = "2 seconds"
const termPatience = "1 second"
/** Processes that it started may hold its stderr open for longer. */
const stderrPatience = "200 millis"

const spawned = (command: ReadonlyArray<string>) =>
  Effect.callback<ChildProcessWithoutNullStreams, Failure>((resume) => {
    const [program = "", ...args] = command
    const failed = (cause: unknown) => {
      const code = cause instanceof Error && "code" in cause ? cause.code : undefined
      const why = code === "ENOENT"
        ? "there is no such program"
        : cause instanceof Error
        ? cause.message
        : String(cause)
      resume(Effect.fail(failure(`cannot start the agent ${JSON.stringify(program)}: ${oneLine(why)}`)))
    }
    try {
      // A group of its own: Ctrl-C in the terminal is for this client to answer, and no grandchild outlives a kill.
      const child = spawn(program, args, { stdio: "pipe", windowsHide: true, detached: process.platform !== "win32" })
      child.once("error", failed)
      child.once("spawn", () => resume(Effect.succeed(child)))
    } catch (cause) {
      failed(cause)
    }
  })

const kill = (child: ChildProcessWithoutNullStreams, signal: "SIGTERM" | "SIGKILL") =>
  Effect.sync(() => {
    try {
      if (process.platform === "win32" || child.pid === undefined) child.kill(signal)
      else process.kill(-child.pid, signal)
    } catch {
      // Gone in the meantime.
    }
  })

const stop = (child: ChildProcessWithoutNullStreams, ended: Effect.Effect<string>) =>
  Effect.gen(function*() {
    child.stdin.end()
    child.stdout.resume()
    if (Option.isSome(yield* Effect.timeoutOption(Effect.interruptible(ended), endOfInputPatience))) return
    yield* kill(child, "SIGTERM")
    if (Option.isSome(yield* Effect.timeoutOption(Effect.interruptible(ended), termPatience))) return
    yield* kill(child, "SIGKILL")
    yield* ended
  })

/** Starts an agent on stdio. At the end: end of input, two seconds, SIGTERM, one second, SIGKILL. */
export const start = Effect.fnUntraced(
  function*(options: AgentProcessOptions): Effect.fn.Return<AgentProcess, Failure, Scope.Scope> {
    const ended = Deferred.makeUnsafe<string>()
    const child = yield* Effect.acquireRelease(
      Effect.tap(spawned(options.command), (child) =>
        Effect.sync(() => {
          child.on("error", () => {})
          child.stdin.on("error", () => {})
          child.once("exit", (code, signal) =>
            Deferred.doneUnsafe(ended, Exit.succeed(signal === null ? `exit code ${code}` : `signal ${signal}`)))
        })),
      (child) => stop(child, Deferred.await(ended))
    )

    const tail: Array<string> = []
    const stderr = Lines.make(64 * 1024)
    const said = (lines: ReadonlyArray<string | typeof Lines.TooLong>) => {
      for (const line of lines) {
        if (line === Lines.TooLong) continue
        tail.push(oneLine(line))
        if (tail.length > tailLines) tail.shift()
        options.onStderr(oneLine(line))
      }
    }
    const stderrEnded = Deferred.makeUnsafe<void>()
    child.stderr.on("data", (chunk: Buffer) => said(stderr.push(chunk)))
    child.stderr.on("end", () => {
      said(stderr.end())
      Deferred.doneUnsafe(stderrEnded, Exit.void)
    })

    const stdout = Lines.make(options.maxFrame)
    const messages = (lines: ReadonlyArray<string | typeof Lines.TooLong>): ReadonlyArray<Uint8Array> =>
      lines.flatMap((line) => {
        if (line !== Lines.TooLong && line.startsWith("{")) return [Buffer.from(`${line}\n`)]
        options.onJunk(line === Lines.TooLong ? `a line longer than ${options.maxFrame} bytes` : line)
        return []
      })
    const transport = fromStreams(child.stdout, child.stdin)

    return {
      transport: {
        ...transport,
        input: Stream.concat(
          Stream.flatMap(transport.input, (chunk) => Stream.fromIterable(messages(stdout.push(chunk)))),
          Stream.suspend(() => Stream.fromIterable(messages(stdout.end())))
        )
      },
      ended: Effect.tap(Deferred.await(ended), Effect.timeoutOption(Deferred.await(stderrEnded), stderrPatience)),
      tail: () => tail.join("\n")
    }
  }
)
