import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"

/** Reads a small file synchronously. Anything but a regular file fails: opening a pipe would wait for ever. */
export const read = (path: string): Buffer => {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error(`${path} is no regular file`)
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
