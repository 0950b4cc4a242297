import { basename, dirname, join } from "node:path"
import * as Fs from "node:fs"
import { Effect, Schema } from "effect"

class FileNotReplaced extends Schema.TaggedError<FileNotReplaced>()("FileNotReplaced", {
  file: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.file} cannot be written: ${this.problem}`
  }
}

/** Another process changed the file in the meantime. */
export class FileChanged extends Schema.TaggedError<FileChanged>()("FileChanged", { file: Schema.String }) {
  override get message() {
    return `${this.file} was changed meanwhile; try again`
  }
}

const sync = (path: string) => {
  const handle = Fs.openSync(path, "r")
  try {
    Fs.fsyncSync(handle)
  } finally {
    Fs.closeSync(handle)
  }
}

/** Milliseconds; no write takes that long, so an older draft is of a process that was killed. */
const stale = 60_000

/** A draft has everything that the file has, secrets too. */
const removeStale = (file: string) => {
  const [folder, start] = [dirname(file), `.${basename(file)}.`]
  for (const name of Fs.readdirSync(folder)) {
    const [, at] = name.startsWith(start) ? /^\d+\.(\d+)$/.exec(name.slice(start.length)) ?? [] : []
    if (at !== undefined && Number(at) < Date.now() - stale) Fs.rmSync(join(folder, name), { force: true })
  }
}

const textOf = (file: string): string => Fs.existsSync(file) ? Fs.readFileSync(file, "utf8") : ""

const codes = new Set(["EBUSY", "EXDEV", "EACCES", "EPERM", "EROFS"])

/** Where no file can be put in its place: on a mount, in a folder that is read-only, or of another owner. */
const isBound = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && codes.has(error.code)

const assertUnchanged = (file: string, before: string | undefined) => {
  if (before !== undefined && textOf(file) !== before) throw new FileChanged({ file })
}

const swap = (file: string, text: string, mode: number, before: string | undefined, there: Fs.Stats | undefined) => {
  removeStale(file)
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}.${Date.now()}`)
  const handle = Fs.openSync(draft, "wx", mode)
  try {
    try {
      const own = Fs.fstatSync(handle)
      if (there !== undefined && (own.uid !== there.uid || own.gid !== there.gid)) {
        Fs.fchownSync(handle, there.uid, there.gid)
      }
      Fs.fchmodSync(handle, mode)
      Fs.writeFileSync(handle, text)
      Fs.fsyncSync(handle)
    } finally {
      Fs.closeSync(handle)
    }
    // As late as can be: an editor knows nothing of locks.
    assertUnchanged(file, before)
    Fs.renameSync(draft, file)
  } catch (error) {
    Fs.rmSync(draft, { force: true })
    throw error
  }
  if (process.platform !== "win32") sync(dirname(file))
}

const fill = (handle: number, bytes: Buffer) => {
  for (let done = 0; done < bytes.length;) done += Fs.writeSync(handle, bytes, done, bytes.length - done, done)
  Fs.ftruncateSync(handle, bytes.length)
  Fs.fsyncSync(handle)
}

/** The file stays the same one; where that fails half-way, it gets its old text back. */
const overwrite = (file: string, text: string, before: string | undefined) => {
  const handle = Fs.openSync(file, "r+")
  try {
    assertUnchanged(file, before)
    const old = Fs.readFileSync(file)
    try {
      fill(handle, Buffer.from(text))
    } catch (error) {
      fill(handle, old)
      throw error
    }
  } finally {
    Fs.closeSync(handle)
  }
}

const replace = (file: string, text: string, newMode: number, before: string | undefined) => {
  const there = Fs.statSync(file, { throwIfNoEntry: false })
  if (there !== undefined && there.nlink > 1) return overwrite(file, text, before)
  try {
    swap(file, text, there ? there.mode & 0o7777 : newMode, before, there)
  } catch (error) {
    if (there === undefined || !isBound(error)) throw error
    overwrite(file, text, before)
  }
}

/**
 * Always a new file of this user with that mode, whatever was there: one of others, a link, a pipe. The old one stays
 * until the new one is whole.
 */
export const putFile = (file: string, text: string, mode: number): Effect.Effect<void, FileNotReplaced> =>
  Effect.try({
    try: () => swap(file, text, mode, undefined, undefined),
    catch: (error) => new FileNotReplaced({ file, problem: error instanceof Error ? error.message : String(error) })
  })

/**
 * The file has the old text or the new one, whatever happens, and keeps its mode and owner; behind a link, the one it
 * leads to. A file with several names, one on a mount of its own, and one in a folder where none can be made are written
 * in place instead. With `before`, only a file that still has that text (none is empty) is replaced.
 */
export const replaceFile = (
  file: string,
  text: string,
  newMode: number,
  before?: string
): Effect.Effect<void, FileNotReplaced | FileChanged> =>
  Effect.try({
    try: () => replace(Fs.existsSync(file) ? Fs.realpathSync(file) : file, text, newMode, before),
    catch: (error) =>
      error instanceof FileChanged
        ? error
        : new FileNotReplaced({ file, problem: error instanceof Error ? error.message : String(error) })
  })
