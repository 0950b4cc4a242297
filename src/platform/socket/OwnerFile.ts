import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"

/**
 * `<socket>.pid`: the process that has the socket's lock, for the message that another one gives up with. It says nothing by itself: who
 * reads it has found the lock held, and only the holder of the lock writes or removes it.
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
