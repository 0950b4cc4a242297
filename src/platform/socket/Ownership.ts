import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  writeFileSync
} from "node:fs"
import { Effect } from "effect"
import { connect } from "node:net"
import { dirname } from "node:path"
import * as FileLock from "../FileLock.ts"
import { makeFolder } from "../MakeFolder.ts"
import { EndpointRefused } from "./Endpoint.ts"

/**
 * `<socket>.pid`: the process that has the socket's lock, for the message that another one gives up with. It says
 * nothing by itself: who reads it has found the lock held, and only the holder of the lock writes or removes it.
 */
const fileOf = (socket: string): string => `${socket}.pid`

export const remove = (socket: string): void => rmSync(fileOf(socket), { force: true })

/** A new file in any case: what lies there, be it a link, is removed and not written to. */
export const write = (socket: string): void => {
  remove(socket)
  writeFileSync(fileOf(socket), `${process.pid}\n`, { flag: "wx", mode: 0o600 })
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

const contents = (file: string): string => {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { nlink, uid } = fstatSync(descriptor)
    return nlink === 1 && uid === (process.geteuid?.() ?? uid) ? readFileSync(descriptor, "utf8") : ""
  } finally {
    closeSync(descriptor)
  }
}

/** The id of a process that runs, as a file of this user's own says; `undefined` where there is none such. */
export const read = (socket: string): number | undefined => {
  try {
    const [, digits] = /^([1-9]\d{0,9})\n$/.exec(contents(fileOf(socket))) ?? []
    return digits !== undefined && isRunning(Number(digits)) ? Number(digits) : undefined
  } catch {
    return undefined
  }
}

const refuse = (reason: EndpointRefused["reason"], message: string) => new EndpointRefused({ reason, message })

const statOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })

const othersMayWrite = 0o022
const sticky = 0o1000

/** A user who can write to the folder could replace the socket. */
const checkFolder = (folder: string, isOwn: boolean): EndpointRefused | undefined => {
  makeFolder(folder, 0o700)
  const { mode, uid } = lstatSync(folder)
  const self = process.geteuid?.()
  if (self === undefined) return undefined
  if (isOwn && uid === self) chmodSync(folder, 0o700)
  else if (uid !== self && uid !== 0) {
    return refuse("folder", `${folder} belongs to another user; set POSTERN_SOCKET to a path of your own`)
  } else if ((mode & othersMayWrite) !== 0 && (mode & sticky) === 0) {
    return refuse("folder", `other users can write to ${folder}; make it private (chmod 700), or set POSTERN_SOCKET`)
  }
  return undefined
}

/** A lock is only as good as its file: ours, plain, and named once. */
const checkLock = (file: string): EndpointRefused | undefined => {
  const found = statOf(file)
  if (found === undefined) return undefined
  const plain = found.isFile() && found.nlink === 1 && (found.mode & 0o077) === 0 &&
    found.uid === (process.geteuid?.() ?? found.uid)
  return plain ? undefined : refuse("lock", `${file} is not a private file of this user; remove it and start again`)
}

/** Only daemons take the lock. A daemon that has just taken it may not have written its process id yet. */
const heldBy = (socket: string): string => {
  const pid = read(socket)
  return pid === undefined
    ? `another daemon is running and serves ${socket}; stop it first`
    : `the daemon with process id ${pid} is running and serves ${socket}; stop it with: kill ${pid}`
}

/** Whether a process answers there. */
const probe = (path: string) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(path)
    const done = (answered: boolean) => {
      socket.destroy()
      resume(Effect.succeed(answered))
    }
    socket.on("connect", () => done(true)).on("error", () => done(false))
    return Effect.sync(() => socket.destroy())
  })

/** Removes what the last daemon left; a socket that answers is kept even when the lock is free. */
const checkSocket = Effect.fnUntraced(function*(path: string) {
  const found = statOf(path)
  if (found === undefined) return
  if (!found.isSocket()) {
    return yield* refuse("not_a_socket", `${path} is there and is not a socket; move it away, or set POSTERN_SOCKET`)
  }
  if (yield* probe(path)) {
    const what = `another program answers at ${path}, and no daemon has its lock`
    return yield* refuse("in_use", `address in use: ${what}; stop that program, or set POSTERN_SOCKET`)
  }
})

/**
 * Makes this process the only owner of a socket path until the scope ends (docs/native-rpc.md#socket). `isOwn`: the
 * folder is Postern's, so that it may be made private.
 */
export const take = Effect.fnUntraced(function*(path: string, isOwn: boolean) {
  const checked = Effect.fnUntraced(function*(check: () => EndpointRefused | void) {
    const found = yield* Effect.try({
      try: check,
      catch: (cause) =>
        refuse("folder", `${dirname(path)} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`)
    })
    if (found) return yield* found
  })
  const lock = `${path}.lock`
  yield* checked(() => checkFolder(dirname(path), isOwn))
  yield* checked(() => checkLock(lock))
  yield* FileLock.acquire(lock, 0).pipe(
    Effect.mapError((locked) =>
      locked.reason === "held" ? refuse("in_use", `address in use: ${heldBy(path)}`) : refuse("lock", locked.message)
    )
  )
  yield* checked(() => remove(path))
  yield* checkSocket(path)
  yield* Effect.acquireRelease(
    checked(() => write(path)),
    () => Effect.ignore(checked(() => remove(path)))
  )
})
