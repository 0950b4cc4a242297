import { constants, type Stats } from "node:fs"
import { access, type FileHandle, lstat, mkdir, open, readlink, realpath, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { Effect, Schema } from "effect"

/** A file that could not be read or written; `detail` is the end of a sentence that begins with what was tried. */
export class FileFault extends Schema.TaggedError<FileFault>()("FileFault", {
  path: Schema.String,
  reason: Schema.Literals(["missing", "folder", "special", "link", "changed", "large", "denied", "full", "failed"]),
  detail: Schema.String
}) {}

type Reason = FileFault["reason"]

/** Files above this are not read into memory by any tool. */
export const maxBytes = 10 * 1024 * 1024

export interface Contents {
  readonly bytes: Buffer
  readonly stats: Stats
}

/**
 * Reads the regular file at a canonical path. The opened file is compared with the path that was checked, so a link put
 * there in between is noticed and refused.
 */
export const read = (path: string, limit: number = maxBytes): Effect.Effect<Contents, FileFault> =>
  attempt(path, async () => {
    // O_NONBLOCK: opening a FIFO must not wait for a writer.
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const stats = await handle.stat()
      if (stats.isDirectory()) throw fault(path, "folder", "it is a folder, not a file.")
      if (!stats.isFile()) throw fault(path, "special", "it is not a regular file.")
      await assertSame(handle, path, stats)
      if (stats.size > limit) throw tooLarge(path, stats.size, limit)
      return { bytes: await readAll(handle, path, stats.size, limit), stats }
    } finally {
      await handle.close()
    }
  })

/**
 * Replaces the file at a canonical path as a whole: a temporary file beside it, fsync, the old mode, rename. Missing
 * parent folders are created and checked again. An existing link, folder or special file is refused.
 */
export const write = (path: string, bytes: Uint8Array): Effect.Effect<void, FileFault> =>
  Effect.uninterruptible(attempt(path, async () => {
    const opened = await openOrCreate(dirname(path))
    try {
      const existing = await lstat(join(opened.base, basename(path))).catch(absent)
      if (existing !== undefined) await assertReplaceable(path, join(opened.base, basename(path)), existing)
      await replace(opened.base, basename(path), bytes, existing)
    } finally {
      await opened.handle.close()
    }
  }))

const attempt = <A>(path: string, run: () => Promise<A>): Effect.Effect<A, FileFault> =>
  Effect.tryPromise({ try: run, catch: (error) => error instanceof FileFault ? error : translate(path, error) })

const fault = (path: string, reason: Reason, detail: string) => new FileFault({ path, reason, detail })

const tooLarge = (path: string, size: number, limit: number) =>
  fault(path, "large", `it has ${size} bytes, and the limit is ${limit} bytes.`)

const changed = (path: string) => fault(path, "changed", "the path changed while it was being opened.")

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

const absent = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== "ENOENT") throw error
}

const descriptor = (handle: FileHandle) => `/proc/self/fd/${handle.fd}`

/** Fails unless the path leads to what was opened. Linux knows a descriptor's path; elsewhere the inode decides. */
const assertSame = async (handle: FileHandle, path: string, stats: Stats): Promise<void> => {
  const actual = await readlink(descriptor(handle)).catch(() => undefined)
  if (actual !== undefined) {
    if (actual !== path) throw changed(path)
    return
  }
  const now = await lstat(await realpath(path))
  if (await realpath(path) !== path || now.ino !== stats.ino || now.dev !== stats.dev) throw changed(path)
}

const readAll = async (handle: FileHandle, path: string, size: number, limit: number): Promise<Buffer> => {
  // One byte more than announced, so that a file that grows meanwhile is noticed.
  let buffer = Buffer.allocUnsafe(size + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
    if (bytesRead === 0) return buffer.subarray(0, length)
    length += bytesRead
    if (length > limit) throw tooLarge(path, length, limit)
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)])
  }
}

interface Opened {
  readonly handle: FileHandle
  /** Names the opened folder itself where the system can, so that a swap of its path no longer matters. */
  readonly base: string
}

const openFolder = async (folder: string): Promise<Opened> => {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    await assertSame(handle, folder, await handle.stat())
    const stable = await lstat(`${descriptor(handle)}/.`).then(() => true, () => false)
    return { handle, base: stable ? descriptor(handle) : folder }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Missing folders are made one level at a time, each inside the checked one above it. */
const openOrCreate = async (folder: string): Promise<Opened> => {
  try {
    return await openFolder(folder)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error
  }
  const parent = await openOrCreate(dirname(folder))
  try {
    await mkdir(join(parent.base, basename(folder))).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error
    })
  } finally {
    await parent.handle.close()
  }
  return await openFolder(folder)
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

const replace = async (base: string, name: string, bytes: Uint8Array, existing: Stats | undefined): Promise<void> => {
  const temporary = join(base, `.postern-${process.getBuiltinModule("node:crypto").randomBytes(8).toString("hex")}.tmp`)
  const handle = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW)
  try {
    try {
      await handle.writeFile(bytes)
      if (existing !== undefined) {
        await handle.chown(existing.uid, existing.gid).catch(() => {})
        await handle.chmod(existing.mode & 0o777)
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, join(base, name))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
