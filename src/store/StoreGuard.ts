import { type Duration, Effect, Schedule } from "effect"
import { SqlError } from "effect/sql"
import { StoreFailed } from "./SessionRecords.ts"

const full = (file: string) => `The disk is full: ${file} could not be written. Free some space and try again.`
const readonly = (file: string) => `${file} cannot be written. Make the file and its folder writable for this user.`
const damaged = (file: string) =>
  `${file} is damaged or not a database. Restore it from a backup, or move it away to start afresh.`
const locked = (file: string) => `${file} is locked by another program. Close that program, or wait and try again.`
const throughFile = (file: string) => `${file} cannot be created: a part of its path is a file, not a folder.`

/** By SQLite's primary result code, else by the code of the system call. */
const sentences: Record<string, (file: string) => string> = {
  5: locked,
  6: locked,
  8: readonly,
  10: (file) => `The disk failed while ${file} was read or written. Check the disk, then try again.`,
  11: damaged,
  13: full,
  14: (file) => `${file} cannot be opened. Check that its folder exists and is writable for this user.`,
  26: damaged,
  EACCES: readonly,
  EPERM: readonly,
  EROFS: readonly,
  ENOSPC: full,
  EDQUOT: full,
  EISDIR: (file) => `${file} is a folder where a database file should be. Move it away.`,
  ENOTDIR: throughFile,
  EEXIST: throughFile,
  ENOENT: (file) => `${file} cannot be created: a folder on its path cannot be made.`
}

const codeOf = (cause: unknown): string => {
  if (typeof cause !== "object" || cause === null) return ""
  if ("errcode" in cause && typeof cause.errcode === "number") return String(cause.errcode & 0xff)
  return "code" in cause ? String(cause.code) : ""
}

/** A fault of the database: `message` names the file, `shown` does not. */
export const failed = (file: string, sentence: (file: string) => string, cause: unknown): StoreFailed => {
  const shown = sentence("the database")
  return new StoreFailed({ message: sentence(file), shown: `${shown.charAt(0).toUpperCase()}${shown.slice(1)}`, cause })
}

const storageFault = (file: string) => (error: SqlError.SqlError): StoreFailed => {
  const sentence = sentences[codeOf(error.reason.cause)] ?? (() => "Session storage failed; the log says why.")
  return failed(file, sentence, error)
}

export type StoreGuard = <A, E, R>(
  self: Effect.Effect<A, E | SqlError.SqlError, R>
) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | StoreFailed, R>

/**
 * Another process that writes is waited for, at first in small steps: most transactions take less than a millisecond.
 */
const patience = (duration: Duration.Input) =>
  Schedule.min([Schedule.exponential("2 millis"), Schedule.spaced("100 millis")]).pipe(Schedule.upTo({ duration }))

/** How long a read waits for another process that writes: a client waits for the answer. */
const usual = "5 seconds"
/** How long a write waits: its data would be lost otherwise. */
export const long = "20 seconds"

const isBusy = (error: unknown) => SqlError.isSqlError(error) && error.reason._tag === "LockTimeoutError"

/**
 * Turns every SQL failure into a `StoreFailed` that names `file`, also those `effect/sql` raises as defects. While
 * another process holds the write lock, the whole effect is tried again: it must not have written anything by then.
 */
export const guard = (file: string, duration: Duration.Input = usual): StoreGuard => {
  const fault = storageFault(file)
  const schedule = patience(duration)
  return <A, E, R>(self: Effect.Effect<A, E | SqlError.SqlError, R>) => {
    const tried = Effect.catchDefect(
      self,
      (defect) => SqlError.isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)
    )
    return tried.pipe(
      Effect.catchIf(isBusy, () => Effect.retry(tried, { while: isBusy, schedule })),
      Effect.mapError((error) => SqlError.isSqlError(error) ? fault(error) : error as Exclude<E, SqlError.SqlError>)
    )
  }
}
