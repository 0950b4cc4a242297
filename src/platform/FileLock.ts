import { Duration, Effect, Schedule, Schema } from "effect"
import { closeSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { makeFolder } from "./MakeFolder.ts"
import { loadSqlite } from "./NodeSqlite.ts"

/** Another process has held the lock for as long as we were ready to wait, or its file cannot be made. */
export class FileLocked extends Schema.TaggedError<FileLocked>()("FileLocked", {
  file: Schema.String,
  reason: Schema.Literals(["held", "unusable"]),
  cause: Schema.Defect()
}) {
  override get message() {
    return this.reason === "held"
      ? `${this.file} is held by another process; try again when it is done`
      : `${this.file} cannot be locked: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

const isBusy = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "errcode" in error && Number(error.errcode) % 256 === 5

const patience = (wait: Duration.Input) =>
  Schedule.min([Schedule.exponential("2 millis"), Schedule.spaced("50 millis")]).pipe(Schedule.upTo({ duration: wait }))

/**
 * Excludes every other holder of `file`, in this process and in others, until the scope ends. The file stays empty: it
 * is an SQLite database without content: Node.js has no other lock that the system releases when a process is killed.
 */
export const acquire = (file: string, wait: Duration.Input = "10 seconds") =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        makeFolder(dirname(file), 0o700)
        closeSync(openSync(file, "a", 0o600))
        const { DatabaseSync } = loadSqlite()
        const db = new DatabaseSync(file, { timeout: 0 })
        try {
          db.exec("BEGIN EXCLUSIVE")
          return db
        } catch (error) {
          db.close()
          throw error
        }
      },
      catch: (cause) => new FileLocked({ file, reason: isBusy(cause) ? "held" : "unusable", cause })
    }).pipe(Effect.retry({ while: ({ reason }) => reason === "held", schedule: patience(wait) })),
    (db) => Effect.sync(() => db.close())
  )

/** Runs with the lock. */
export const within = (file: string, wait?: Duration.Input) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.andThen(acquire(file, wait), effect))
