import { constants } from "node:fs"
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { changed, fault } from "./FileFault.ts"

export interface OpenedFolder {
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
export const assertSame = async (handle: FileHandle, path: string): Promise<boolean> => {
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
