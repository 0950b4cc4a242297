import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, realpathSync } from "node:fs"

/** Reads a small file synchronously. Anything but a regular file fails: opening a pipe would wait for ever. */
export const read = (path: string | Buffer): Buffer => readOpened(path, 0)

/** As {@link read}, of an absolute path on which nothing is a link, also not while it is opened. */
export const readInPlace = (path: string): Buffer => readOpened(path, constants.O_NOFOLLOW)

const readOpened = (path: string | Buffer, flags: number): Buffer => {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags)
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error(`${path} is no regular file`)
    if (flags !== 0 && whereIs(descriptor, String(path)) !== path) throw new Error(`${path} leads elsewhere`)
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Linux knows the path of what was opened; elsewhere the path itself is looked at. */
const whereIs = (descriptor: number, path: string): string =>
  process.platform === "linux" ? readlinkSync(`/proc/self/fd/${descriptor}`) : realpathSync.native(path)
