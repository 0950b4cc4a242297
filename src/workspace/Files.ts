import { Effect, Schema } from "effect"
import { constants, type Stats } from "node:fs"
import { access, type FileHandle, lstat, mkdir, open, readlink, realpath, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"

/** A file that could not be read or written; `detail` is the end of a sentence that begins with what was tried. */
export class FileFault extends Schema.TaggedError<FileFault>()("FileFault", {
  path: Schema.String,
  reason: Schema.Literals([
    "missing",
    "folder",
    "special",
    "link",
    "changed",
    "stale",
    "large",
    "denied",
    "full",
    "failed"
  ]),
  detail: Schema.String
}) {}

type Reason = FileFault["reason"]

export const attempt = <A>(path: string, run: () => Promise<A>): Effect.Effect<A, FileFault> =>
  Effect.tryPromise({ try: run, catch: (error) => error instanceof FileFault ? error : translate(path, error) })

export const fault = (path: string, reason: Reason, detail: string) => new FileFault({ path, reason, detail })

export const tooLarge = (path: string, size: number, limit: number) =>
  fault(path, "large", `it has ${size} bytes, and the limit is ${limit} bytes.`)

export const changed = (path: string) => fault(path, "changed", "the path changed while it was being opened.")

const byCode: Readonly<Record<string, readonly [Reason, string]>> = {
  ENOENT: ["missing", "it does not exist."],
  ENOTDIR: ["missing", "a part of the path is a file, not a folder."],
  EISDIR: ["folder", "it is a folder, not a file."],
  ELOOP: ["link", "it is a symbolic link."],
  ENXIO: ["special", "it is not a regular file."],
  EACCES: ["denied", "permission was denied by the operating system."],
  EPERM: ["denied", "permission was denied by the operating system."],
  EROFS: ["denied", "the file system is read-only."],
  ENOSPC: ["full", "the disk is full."],
  EDQUOT: ["full", "the disk quota is used up."],
  ENAMETOOLONG: ["failed", "the name is too long."],
  EMFILE: ["failed", "too many files are open."],
  ENFILE: ["failed", "too many files are open."]
}

const translate = (path: string, error: unknown): FileFault => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "an unknown error"
  const [reason, detail] = byCode[code] ?? ["failed", `the operating system reported ${code}.`]
  return fault(path, reason, detail)
}

interface OpenedFolder {
  readonly handle: FileHandle
  /** Names the opened folder itself where the system can, so that a swap of its path no longer matters. */
  readonly base: string
}

/** What `use` finds in the folder at a canonical path, and nothing of a folder that was put there in between. */
export const inside = async <A>(folder: string, use: (base: string) => Promise<A>): Promise<A> => {
  const { base, handle } = await openFolder(folder)
  try {
    const found = await use(base)
    if (base === folder) await assertSame(handle, folder)
    return found
  } finally {
    await handle.close()
  }
}

/** Missing folders are made one level at a time, each inside the checked one above it; `top` and above are not made. */
export const openOrCreate = async (folder: string, top?: string): Promise<OpenedFolder> => {
  try {
    return await openFolder(folder)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error
  }
  if (folder === top) throw fault(folder, "missing", `the folder ${folder} is gone.`)
  const parent = await openOrCreate(dirname(folder), top)
  try {
    await mkdir(join(parent.base, basename(folder))).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error
    })
  } finally {
    await parent.handle.close()
  }
  return await openFolder(folder)
}

const openFolder = async (folder: string): Promise<OpenedFolder> => {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    return { handle, base: await assertSame(handle, folder) ? descriptor(handle) : folder }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Fails unless the path leads to what was opened. Succeeds with whether the system knows descriptors by path, as Linux
 * does; elsewhere the inode decides.
 */
const assertSame = async (handle: FileHandle, path: string): Promise<boolean> => {
  const actual = await readlink(descriptor(handle)).catch(() => undefined)
  if (actual !== undefined) {
    if (actual !== path) throw changed(path)
    return true
  }
  const opened = await handle.stat()
  const now = await lstat(await realpath(path))
  if (await realpath(path) !== path || now.ino !== opened.ino || now.dev !== opened.dev) throw changed(path)
  return false
}

const descriptor = (handle: FileHandle) => `/proc/self/fd/${handle.fd}`

/** Files above this are not read into memory by any tool. */
export const maxBytes = 10 * 1024 * 1024

interface FileContents {
  readonly bytes: Buffer
  readonly stats: Stats
}

/**
 * Reads the regular file at a canonical path. The opened file is compared with the path that was checked, so a link put
 * there in between is noticed and refused.
 */
export const read = (path: string, limit: number = maxBytes): Effect.Effect<FileContents, FileFault> =>
  attempt(path, async () => {
    // O_NONBLOCK: opening a FIFO must not wait for a writer.
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const stats = await handle.stat()
      if (stats.isDirectory()) throw fault(path, "folder", "it is a folder, not a file.")
      if (!stats.isFile()) throw fault(path, "special", "it is not a regular file.")
      await assertSame(handle, path)
      if (stats.size > limit) throw tooLarge(path, stats.size, limit)
      return { bytes: await readAll(handle, path, stats.size, limit), stats }
    } finally {
      await handle.close()
    }
  })

/**
 * Gives the file at a canonical path a new content. A file that is there is written in place, so that it stays the same
 * file: its owner, mode, extended attributes, access lists, hard links and a mount on it are kept, and a failure puts the
 * old content back. A new one comes as a whole: a temporary file, fsync, rename. Missing parent folders are created below
 * `top`, which has to be there. An existing link, folder or special file is refused.
 */
export const write = (path: string, bytes: Uint8Array, top?: string): Effect.Effect<void, FileFault> =>
  attempt(path, () => put(path, bytes, { top })).pipe(Effect.uninterruptible, Effect.asVoid)

/**
 * Replaces a file as `write` does, unless it has another time than `expected`, in milliseconds, or is gone; without
 * `expected` in any case. The new file has a later time than the old one, so that they can be told apart.
 */
export const exchange = (
  path: string,
  bytes: Uint8Array,
  expected: number | undefined,
  top?: string
): Effect.Effect<Stats, FileFault> =>
  Effect.uninterruptible(attempt(path, () => put(path, bytes, { expected, later: true, top })))

/** Of the last change, in whole milliseconds. */
export const timeOf = ({ mtimeMs }: Stats): number => Math.floor(mtimeMs)

/**
 * As {@link write}, whatever lies at the path: a link, a special or a read-only file gives way without being followed
 * or opened, a folder is moved aside. For names that belong to Postern alone.
 */
export const reclaim = (path: string, bytes: Uint8Array, top?: string): Effect.Effect<void, FileFault> =>
  attempt(path, () => put(path, bytes, { top, anything: true })).pipe(Effect.uninterruptible, Effect.asVoid)

/** Makes the folders around a file that the caller will write, as `write` makes them. */
export const makeParent = (path: string, top?: string): Effect.Effect<void, FileFault> =>
  attempt(path, async () => (await openOrCreate(dirname(path), top)).handle.close())

const unique = (): string => process.getBuiltinModule("node:crypto").randomBytes(8).toString("hex")

const absent = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== "ENOENT") throw error
}

const readAll = async (handle: FileHandle, path: string, size: number, limit: number): Promise<Buffer> => {
  // More than announced, so that a file that grows meanwhile is noticed, and one of `/proc`, which announces nothing.
  let buffer = Buffer.allocUnsafe(Math.min(Math.max(size, 4095), limit) + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
    if (bytesRead === 0) return buffer.subarray(0, length)
    length += bytesRead
    if (length > limit) throw tooLarge(path, length, limit)
    if (length === buffer.length) {
      buffer = Buffer.concat([buffer], Math.min(buffer.length * 2, limit + 1))
    }
  }
}

const assertReplaceable = async (path: string, target: string, existing: Stats): Promise<void> => {
  if (existing.isSymbolicLink()) {
    throw fault(path, "link", "it is a symbolic link, and files are never written through links.")
  }
  if (existing.isDirectory()) throw fault(path, "folder", "it is a folder, not a file.")
  if (!existing.isFile()) throw fault(path, "special", "it is not a regular file.")
  // The rename would replace even a file that its owner made read-only.
  await access(target, constants.W_OK)
}

interface Put {
  readonly expected?: number | undefined
  readonly later?: boolean
  /** Whatever is there gives way. */
  readonly anything?: boolean
  readonly top?: string | undefined
}

const put = async (
  path: string,
  bytes: Uint8Array,
  { anything = false, expected, later = false, top }: Put
): Promise<Stats> => {
  const opened = await openOrCreate(dirname(path), top)
  try {
    const target = join(opened.base, basename(path))
    const existing = await lstat(target).catch(absent)
    if (anything) {
      if (existing?.isDirectory()) await rename(target, `${target}.replaced-${unique()}`)
      return await replace(opened.base, basename(path), bytes, undefined, later)
    }
    if (existing !== undefined) await assertReplaceable(path, target, existing)
    if (expected !== undefined && (existing === undefined || timeOf(existing) !== expected)) {
      throw fault(path, "stale", "it changed since it was read.")
    }
    return existing === undefined
      ? await replace(opened.base, basename(path), bytes, undefined, later)
      : await overwrite(path, opened.base, bytes, existing, later)
  } finally {
    await opened.handle.close()
  }
}

const overwrite = async (
  path: string,
  base: string,
  bytes: Uint8Array,
  existing: Stats,
  later: boolean
): Promise<Stats> => {
  const name = basename(path)
  // O_NONBLOCK: a FIFO may have come since the check. Reading is for the old content alone, and may not be allowed.
  const flags = constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(join(base, name), constants.O_RDWR | flags)
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ETXTBSY") return undefined
      if (error.code === "EACCES") return open(join(base, name), constants.O_WRONLY | flags)
      throw error
    })
  // A program that is running cannot be written, only replaced.
  if (handle === undefined) return await replace(base, name, bytes, existing, later)
  try {
    const { dev, ino, size } = await handle.stat()
    if (dev !== existing.dev || ino !== existing.ino) throw changed(path)
    const old = await readAll(handle, path, size, Math.max(size, maxBytes)).catch(() => undefined)
    try {
      await fill(handle, bytes)
    } catch (error) {
      if (old !== undefined) await fill(handle, old).catch(() => {})
      throw error
    }
    if (later) await moveOn(handle, timeOf(existing))
    return await handle.stat()
  } finally {
    await handle.close()
  }
}

/** Whatever was there is gone; the disk has the new content when this ends. */
const fill = async (handle: FileHandle, bytes: Uint8Array): Promise<void> => {
  for (let done = 0; done < bytes.length;) {
    done += (await handle.write(bytes, done, bytes.length - done, done)).bytesWritten
  }
  await handle.truncate(bytes.length)
  await handle.sync()
}

const replace = async (
  base: string,
  name: string,
  bytes: Uint8Array,
  existing: Stats | undefined,
  later: boolean
): Promise<Stats> => {
  const temporary = join(base, `.postern-${unique()}.tmp`)
  const handle = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW)
  let written: Stats
  try {
    try {
      await handle.writeFile(bytes)
      if (existing !== undefined) {
        await handle.chown(existing.uid, existing.gid).catch(() => {})
        await handle.chmod(existing.mode & 0o777)
        if (later) await moveOn(handle, timeOf(existing))
      }
      await handle.sync()
      written = await handle.stat()
    } finally {
      await handle.close()
    }
    await rename(temporary, join(base, name))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return written
}

/** Two writes within a millisecond, or a clock that was set back, must not look like one. */
const moveOn = async (handle: FileHandle, before: number): Promise<void> => {
  if (timeOf(await handle.stat()) > before) return
  // Half a millisecond more: seconds are no exact fractions, and what is rounded down must not become the old time.
  const seconds = (before + 1.5) / 1000
  await handle.utimes(seconds, seconds)
}
