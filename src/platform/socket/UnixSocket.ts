import { Deferred, Effect, Exit, FiberSet } from "effect"
import { chmodSync, lstatSync, renameSync, rmSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { dirname, join } from "node:path"
import { fromStreams, type Transport } from "../../rpc/Transport.ts"
import * as Wire from "../../rpc/Wire.ts"
import { EndpointRefused, isPipe, tooLong } from "./Endpoint.ts"
import * as Ownership from "./Ownership.ts"

interface ListenOptions {
  /** Taken before. */
  readonly endpoint: string
  readonly maxConnections: number
  /** Every user of the machine may connect; otherwise only the daemon's own. */
  readonly isShared?: boolean
  /** Runs when the scope closes: no new connection is accepted, and open ones are closed after it. */
  readonly drain: Effect.Effect<void>
}

const maxNotices = 16
const linger = "1 second"

/** Writes the pending text, then end of file. A client that has not read it within 1 s is disconnected. */
const farewell = (socket: Socket) =>
  Effect.callback<void>((resume) => {
    if (socket.destroyed) return resume(Effect.void)
    socket.on("close", () => resume(Effect.void))
    if (socket.readableEnded) return socket.destroySoon()
    // With unread input the system would reset the connection, and what we said last would be lost.
    socket.resume().end()
    socket.on("end", () => socket.destroySoon())
  }).pipe(Effect.timeoutOption(linger), Effect.ensuring(Effect.sync(() => socket.destroy())))

const transient = new Set(["EMFILE", "ENFILE", "ECONNABORTED", "EINTR", "ENOBUFS", "ENOMEM"])

/**
 * Bound under another name and then renamed: the socket is never visible before its mode is set, and Node.js, which
 * removes the path it has bound, never removes what another daemon put in our place.
 */
const bind = (server: Server, path: string, mode: number) =>
  Effect.callback<{ readonly dev: number; readonly ino: number }, EndpointRefused>((resume) => {
    const first = isPipe(path) ? path : join(dirname(path), `.${process.pid}`)
    const failed = (cause: NodeJS.ErrnoException) =>
      resume(Effect.fail(
        new EndpointRefused(
          cause.code === "EADDRINUSE"
            ? { reason: "in_use", message: `address in use: another program serves ${path}; stop it first` }
            : { reason: "failed", message: `${path} cannot be served: ${cause.message}` }
        )
      ))
    if (first !== path) rmSync(first, { force: true })
    server.once("error", failed).listen(first, () => {
      server.off("error", failed)
      if (first === path) return resume(Effect.succeed({ dev: 0, ino: 0 }))
      try {
        chmodSync(first, mode)
        renameSync(first, path)
        const { dev, ino } = lstatSync(path)
        resume(Effect.succeed({ dev, ino }))
      } catch (cause) {
        failed(cause as NodeJS.ErrnoException)
      }
    })
  })

const unlinkOwn = (path: string, bound: { readonly dev: number; readonly ino: number }) => {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.dev === bound.dev && found.ino === bound.ino) rmSync(path, { force: true })
}

/**
 * Makes this process the only one that may listen there, until the scope ends. `isOwnFolder`: the folder is Postern's
 * own and is made private.
 */
export const take = Effect.fnUntraced(function*(endpoint: string, isOwnFolder: boolean) {
  if (isPipe(endpoint)) return
  const refused = tooLong(endpoint) ?? tooLong(join(dirname(endpoint), `.${process.pid}`))
  if (refused) return yield* refused
  yield* Ownership.take(endpoint, isOwnFolder)
})

/** Serves connections until the scope ends. The result waits for a failure of the listener. */
export const listen = Effect.fnUntraced(function*(
  { drain, endpoint, isShared = false, maxConnections }: ListenOptions,
  serve: (transport: Transport, socket: Socket) => Effect.Effect<void>
) {
  const named = !isPipe(endpoint)
  const connections = yield* FiberSet.make<void>()
  const run = yield* FiberSet.runtime(connections)()
  yield* Effect.addFinalizer(() => drain)
  const failed = Deferred.makeUnsafe<never, EndpointRefused>()
  let open = 0
  let notices = 0
  let refusing = false

  const connection = (socket: Socket) =>
    Effect.suspend(() => serve(fromStreams(socket, socket), socket)).pipe(
      Effect.ensuring(farewell(socket)),
      Effect.ensuring(Effect.sync(() => {
        open--
        refusing = false
      }))
    )

  const full = new Wire.RpcFault({
    code: -32004,
    message: `The daemon serves ${maxConnections} connections, which is its limit`,
    data: { reason: "connection_limit", limit: maxConnections }
  })
  const refuse = (socket: Socket) =>
    Effect.suspend(() => {
      socket.write(Wire.failure("null", full))
      return farewell(socket)
    }).pipe(Effect.ensuring(Effect.sync(() => notices--)))

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {})
    if (open < maxConnections) {
      open++
      return void run(connection(socket))
    }
    if (!refusing) {
      run(Effect.logWarning(`connections are refused: ${maxConnections} are open (rpc.max_local_connections)`))
    }
    refusing = true
    if (notices >= maxNotices) return void socket.destroy()
    notices++
    run(refuse(socket))
  })
  const bound = yield* Effect.acquireRelease(
    bind(server, endpoint, isShared ? 0o666 : 0o600),
    (bound) =>
      Effect.sync(() => {
        server.close()
        if (named) unlinkOwn(endpoint, bound)
      })
  )
  server.on("error", (cause: NodeJS.ErrnoException) => {
    if (transient.has(cause.code ?? "")) {
      return void run(Effect.logWarning(`a connection could not be accepted: ${cause.message}`))
    }
    Deferred.doneUnsafe(
      failed,
      Exit.fail(new EndpointRefused({ reason: "failed", message: `${endpoint} failed: ${cause.message}` }))
    )
  })
  return { bound, failed: Deferred.await(failed) }
})
