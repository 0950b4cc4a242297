import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { makeFolder } from "../platform/MakeFolder.ts"
import { loadSqlite } from "../platform/NodeSqlite.ts"

export const memory = ":memory:"

/** SQLite waits synchronously, which would stop every session of this process; `StoreGuard` waits instead. */
const busyTimeout = 0

/** Bytes that are kept for the deletions of a full disk: those write to the log before they free anything. */
const reserveSize = 512 * 1024

/** `read`: nothing can be written, since the disk is full or the file is not writable. */
type Access = "write" | "read"

/** What a database needs before it is used: its format. Runs at each opening; throws where the file is not ours. */
export type Preparation = (db: DatabaseSync, access: Access) => void

/** Which file it is; of one that is read without locks also its state. */
interface FileState {
  readonly file: string
  readonly content: string
}

interface Opened {
  readonly db: DatabaseSync
  readonly access: Access
  /** Read without locks, on a disk where SQLite cannot keep its own files: valid only while nobody writes. */
  readonly isFrozen: boolean
  readonly state: FileState | undefined
  /** Why it is not open for writing. */
  readonly fault: unknown
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

const stateOf = (filename: string): FileState | undefined => {
  const found = statSync(filename, { throwIfNoEntry: false })
  return found && {
    file: `${found.dev}:${found.ino}`,
    content: `${found.size}:${found.mtimeMs}:${sizeOf(`${filename}-wal`)}`
  }
}

/** SQLite's result code, the extended one, else the code of the system call. */
export const codeOf = (cause: unknown): number | string => {
  if (typeof cause !== "object" || cause === null) return ""
  if ("errcode" in cause && typeof cause.errcode === "number") return cause.errcode
  return "code" in cause ? String(cause.code) : ""
}

/** SQLITE_IOERR_SHMSIZE: no room for the index of the log, which is a file as well. */
const noRoomForIndex = 4874

export const isFull = (cause: unknown): boolean => {
  const code = codeOf(cause)
  return code === "ENOSPC" || code === "EDQUOT" || code === noRoomForIndex ||
    (typeof code === "number" && (code & 0xff) === 13)
}

const primary = (cause: unknown): number | string => {
  const code = codeOf(cause)
  return typeof code === "number" ? code & 0xff : code
}

export const isUnwritable = (cause: unknown): boolean =>
  [8, 14, "EACCES", "EPERM", "EROFS"].includes(primary(cause)) || isFull(cause)

/** The connection may be of no use any more: I/O errors, damage, files that cannot be opened. */
const isSuspicious = (cause: unknown): boolean => [10, 11, 14, 26].includes(Number(primary(cause)))

/**
 * SQLite gives its `-wal` and `-shm` files the mode of the database, so the database is created private. What is there and is no file is
 * not opened: a pipe would never answer.
 */
const createPrivate = (filename: string) => {
  const found = statSync(filename, { throwIfNoEntry: false })
  if (found !== undefined && !found.isFile()) {
    throw Object.assign(new Error(`${filename} is not a file`), { code: found.isDirectory() ? "EISDIR" : "ENOTFILE" })
  }
  makeFolder(dirname(filename), 0o700)
  closeSync(openSync(filename, "a", 0o600))
}

/**
 * One database file, which may be removed, moved, replaced, filled up or become writable while this process runs. It is
 * looked at before each operation and opened anew where it is another file. See docs/sessions.md#store.
 */
export class DatabaseFile {
  readonly filename: string
  private opened: Opened | undefined
  private fallback: { readonly db: DatabaseSync; readonly fault: unknown } | undefined
  private prepare: Preparation = () => {}
  private move: (from: DatabaseSync, to: DatabaseSync) => void = () => {}
  private isStarted = false
  private isSuspect = false
  private wasReplaced = false
  private current = 0

  constructor(filename: string) {
    this.filename = filename
  }

  get db(): DatabaseSync {
    if (this.fallback !== undefined) return this.fallback.db
    this.opened ??= this.open()
    return this.opened.db
  }

  /** Counts the openings: statements that were prepared before belong to another connection. */
  get generation(): number {
    return this.current
  }

  /** Why nothing outlives the process, where that is so. */
  get memoryFault(): unknown {
    return this.fallback?.fault
  }

  /** Another file took the place of the one that was open, so that sessions of this process may be missing in it. */
  get isReplaced(): boolean {
    return this.wasReplaced
  }

  /** Why writing fails, where the file could be opened for reading only. */
  get writeFault(): unknown {
    return this.opened?.access === "read" ? this.opened.fault : undefined
  }

  /** Opens the file, with the preparation that each later opening gets, too. */
  start(prepare: Preparation): void {
    this.prepare = prepare
    this.isStarted = true
    if (this.opened === undefined) this.opened = this.open()
    else prepare(this.opened.db, this.opened.access)
  }

  /** Goes on in memory until the file can be opened; then `move` writes what there is by then into it. */
  fallBack(fault: unknown, move: (from: DatabaseSync, to: DatabaseSync) => void): void {
    const db = this.connect(memory)
    this.prepare(db, "write")
    this.fallback = { db, fault }
    this.move = move
    this.current++
  }

  /** Before an operation. Answers with what happened where the file is another one; throws where it cannot be opened. */
  look(): "replaced" | "saved" | undefined {
    if (this.filename === memory || !this.isStarted) return undefined
    if (this.fallback !== undefined) return this.fallback.db.isTransaction ? undefined : this.leaveMemory(this.fallback)
    if (this.opened === undefined) {
      this.opened = this.open()
      return undefined
    }
    if (this.opened.db.isTransaction) return undefined
    const now = stateOf(this.filename)
    const { isFrozen, state } = this.opened
    const isSame = now?.file === state?.file
    if (isSame && !this.isSuspect && (!isFrozen || now?.content === state?.content)) return undefined
    this.release()
    this.wasReplaced ||= !isSame
    this.opened = this.open()
    return isSame ? undefined : "replaced"
  }

  /**
   * After an operation failed. True where it may be tried again: the file can be written now, the log has made room, or, for
   * one that `frees` space, the reserve has.
   */
  mend(cause: unknown, frees: boolean, attempt: number): boolean {
    if (this.filename === memory || this.fallback !== undefined || this.opened === undefined) return false
    if (isSuspicious(cause)) this.isSuspect = true
    if (this.opened.access === "read") {
      if (attempt > 0 || !isUnwritable(cause)) return false
      if (frees) this.dropReserve()
      return this.openForWriting()
    }
    if (!isFull(cause)) return false
    if (attempt === 0 && this.truncateLog()) return true
    return attempt < 2 && frees && this.dropReserve()
  }

  /** After a deletion on a full disk: gives the space back to the disk, and the reserve where there is enough. */
  giveBack(): void {
    if (this.opened?.access !== "write" || this.filename === memory) return
    try {
      this.opened.db.exec("PRAGMA incremental_vacuum")
      this.truncateLog()
      this.keepReserve()
    } catch {
      // The deletion itself is done.
    }
  }

  /** Fills the reserve where there is room for it. */
  keepReserve(): void {
    if (this.filename === memory || this.fallback !== undefined || this.opened?.access !== "write") return
    const path = this.reserve
    if (sizeOf(path) >= reserveSize) return
    try {
      const { bavail, bsize } = statfsSync(dirname(path))
      if (bavail * bsize < 2 * reserveSize) return
      const descriptor = openSync(path, "w", 0o600)
      try {
        // No zeros: a file system may store those as nothing.
        writeSync(descriptor, Buffer.alloc(reserveSize, "reserve "))
      } finally {
        closeSync(descriptor)
      }
    } catch {
      rmSync(path, { force: true })
    }
  }

  close(): void {
    this.fallback?.db.close()
    this.fallback = undefined
    this.release()
  }

  private get reserve(): string {
    return `${this.filename}-reserve`
  }

  private release(): void {
    const before = this.opened
    this.opened = undefined
    this.isSuspect = false
    try {
      before?.db.close()
    } catch {
      // Nobody can use it any more.
    }
  }

  private connect(filename: string | URL, readOnly = false): DatabaseSync {
    const { DatabaseSync } = loadSqlite()
    const db = new DatabaseSync(filename, { timeout: busyTimeout, readOnly })
    try {
      db.exec("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
      return db
    } catch (cause) {
      db.close()
      throw cause
    }
  }

  private prepared(db: DatabaseSync, access: Access, fault: unknown, isFrozen = false): Opened {
    try {
      this.prepare(db, access)
    } catch (cause) {
      db.close()
      throw cause
    }
    this.current++
    return { db, access, isFrozen, fault, state: this.filename === memory ? undefined : stateOf(this.filename) }
  }

  private openWritable(): Opened {
    const isNew = this.filename !== memory && statSync(this.filename, { throwIfNoEntry: false }) === undefined
    if (this.filename !== memory) createPrivate(this.filename)
    const opened = this.prepared(this.connect(this.filename), "write", undefined)
    if (isNew) {
      this.opened = opened
      this.keepReserve()
    }
    return opened
  }

  /** SQLite keeps an index beside the log. Where there is no room for it and no log, the file alone is complete. */
  private openReadable(fault: unknown): Opened {
    if (sizeOf(`${this.filename}-wal`) > 0) {
      try {
        return this.prepared(this.connect(this.filename, true), "read", fault)
      } catch {
        throw fault
      }
    }
    const url = pathToFileURL(this.filename)
    url.search = "?immutable=1"
    return this.prepared(this.connect(url, true), "read", fault, true)
  }

  private open(): Opened {
    try {
      return this.openWritable()
    } catch (fault) {
      if (this.filename === memory || !isUnwritable(fault) || sizeOf(this.filename) === 0) throw fault
      try {
        return this.openReadable(fault)
      } catch (unreadable) {
        // The index of a log that was left behind needs room, too.
        if (!isFull(fault) || !this.dropReserve()) throw unreadable
        return this.openWritable()
      }
    }
  }

  private openForWriting(): boolean {
    const before = this.opened
    try {
      this.opened = this.openWritable()
      before?.db.close()
      return true
    } catch {
      this.opened = before
      return false
    }
  }

  private leaveMemory(held: { readonly db: DatabaseSync }): "saved" | undefined {
    let opened: Opened
    try {
      opened = this.openWritable()
    } catch {
      return undefined
    }
    try {
      this.move(held.db, opened.db)
    } catch {
      opened.db.close()
      return undefined
    }
    this.opened = opened
    this.fallback = undefined
    held.db.close()
    return "saved"
  }

  /** Writes the log into the database, which may make room for a longer one. */
  private truncateLog(): boolean {
    const before = sizeOf(`${this.filename}-wal`)
    try {
      this.opened?.db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch {
      // What follows sees what came of it.
    }
    return sizeOf(`${this.filename}-wal`) < before
  }

  private dropReserve(): boolean {
    if (sizeOf(this.reserve) === 0) return false
    try {
      rmSync(this.reserve, { force: true })
      return true
    } catch {
      return false
    }
  }
}
