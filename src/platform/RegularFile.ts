import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"

/** A small file right away. Opening a pipe that somebody put there would wait for ever: what is no regular file fails. */
export const read = (path: string): Buffer => {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error(`${path} is no regular file`)
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
