import { type Duration, Effect, Schedule } from "effect"
import { SqlError } from "effect/sql"
import { openingFault } from "./Sqlite.ts"
import { codeOf, type DatabaseFile } from "./DatabaseFile.ts"
import { StoreFailed } from "./SessionRecords.ts"

const full = (file: string) => `The disk is full: ${file} could not be written. Free some space and try again.`
const readonly = (file: string) => `${file} cannot be written. Make the file and its folder writable for this user.`
const damaged = (file: string) =>
  `${file} is damaged or not a database. Restore it from a backup, or move it away to start afresh.`
const locked = (file: string) => `${file} is locked by another program. Close that program, or wait and try again.`
const descriptors = (file: string) =>
  `${file} cannot be opened: too many files are open. Raise the limit (ulimit -n), or close sessions.`
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
  // No room for the index of the log.
  4874: full,
  ENOTFILE: (file) => `${file} is not a file, but a pipe, a socket or a device. Move it away.`,
  EMFILE: descriptors,
  ENFILE: descriptors,
  EISDIR: (file) => `${file} is a folder where a database file should be. Move it away.`,
  ENOTDIR: throughFile,
  EEXIST: throughFile,
  ENOENT: (file) => `${file} cannot be created: a folder on its path cannot be made.`
}

/** A fault of the database: `message` names the file, `shown` does not. */
export const failed = (file: string, sentence: (file: string) => string, cause: unknown): StoreFailed => {
  const shown = sentence("the database")
  return new StoreFailed({ message: sentence(file), shown: `${shown.charAt(0).toUpperCase()}${shown.slice(1)}`, cause })
}

/** `unwritable`: why the file could be opened for reading only, which says more than that it is. */
const storageFault = (file: string) => (error: SqlError.SqlError, unwritable: unknown): StoreFailed => {
  const own = codeOf(error.reason.cause)
  const code = (Number(own) & 0xff) === 8 && unwritable !== undefined ? codeOf(unwritable) : own
  const sentence = sentences[code] ?? sentences[Number(code) & 0xff] ??
    (() => "Session storage failed; the log says why.")
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

/** Cause of a failure of the database itself. */
const causeOf = (error: unknown) => SqlError.isSqlError(error) ? error.reason.cause : undefined

const news = {
  replaced: (file: string) =>
    `${file} was removed, moved or replaced while it was open. It was opened anew; sessions that are not in it do not go on.`,
  saved: (file: string) => `${file} can be opened now, and the sessions that were kept in memory are in it.`
}

export interface GuardOptions {
  readonly duration?: Duration.Input
  /** The effect deletes: on a full disk it may use what is reserved for that. */
  readonly frees?: boolean
}

/**
 * Turns every SQL failure into a `StoreFailed` that names `file`, also those `effect/sql` raises as defects. Before the effect the file is
 * looked at: another one that took its place is opened. While another process holds the write lock, the whole effect is tried again, and
 * so it is where the file becomes writable or room is made on a full disk: it must not have written anything by then.
 */
export const guard = (
  file: string,
  database: DatabaseFile,
  { duration = usual, frees = false }: GuardOptions = {}
): StoreGuard => {
  const fault = storageFault(file)
  const schedule = patience(duration)
  const looked = Effect.suspend((): Effect.Effect<void, SqlError.SqlError | StoreFailed> => {
    try {
      const happened = database.look()
      return happened === undefined ? Effect.void : Effect.logWarning(news[happened](file))
    } catch (cause) {
      return Effect.fail(openingFault(cause))
    }
  })
  return <A, E, R>(self: Effect.Effect<A, E | SqlError.SqlError, R>) => {
    const tried = Effect.andThen(
      looked,
      Effect.catchDefect(
        self,
        (defect) => SqlError.isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)
      )
    )
    const mended = (attempt: number): typeof tried =>
      Effect.catchIf(
        tried,
        (error) => database.mend(causeOf(error), frees, attempt),
        () => Effect.tap(mended(attempt + 1), () => Effect.sync(() => frees ? database.giveBack() : undefined))
      )
    const whole = mended(0)
    return whole.pipe(
      Effect.catchIf(isBusy, () => Effect.retry(whole, { while: isBusy, schedule })),
      Effect.mapError((error) =>
        SqlError.isSqlError(error)
          ? fault(error, database.writeFault)
          : error as Exclude<E, SqlError.SqlError> | StoreFailed
      )
    )
  }
}
