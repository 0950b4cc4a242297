import { closeSync, constants, mkdtempSync, openSync, realpathSync, writeSync } from "node:fs"
import { stripVTControlCharacters } from "node:util"
import { StringDecoder } from "node:string_decoder"
import { randomBytes } from "node:crypto"
import { rm } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { isInside } from "../../platform/FilePath.ts"

/**
 * What a command printed: its beginning and end for the model, and all of it in a file once that is more
 * (docs/sandbox.md#output).
 */
export interface CommandOutput {
  readonly push: (chunk: Buffer) => void
  readonly text: () => string
  /** What came since the last call; of a flood the end. */
  readonly taken: () => string
  readonly close: () => void
}

export const headBytes = 8 * 1024
export const tailBytes = 24 * 1024
const spillBytes = 64 * 1024 * 1024
/** Bytes that are kept for people who watch, between two looks. */
const freshLimit = 64 * 1024

/** `spillPath` is asked once, when the output outgrows memory; `undefined`: there is no place for it. */
export const make = (spillPath: () => string | undefined): CommandOutput => {
  let head: Buffer = Buffer.alloc(0)
  let tail: Buffer = Buffer.alloc(0)
  let total = 0
  let spill: Spill | undefined
  let fresh: Array<Buffer> = []
  let freshBytes = 0
  let skipped = 0
  const decoder = new StringDecoder("utf8")

  const taken = () => {
    const [bytes, lost] = [Buffer.concat(fresh), skipped]
    ;[fresh, freshBytes, skipped] = [[], 0, 0]
    if (lost === 0) return cleanText(decoder.write(bytes))
    decoder.end()
    return `\n[… ${lost} bytes left out here …]\n${cleanText(decoder.write(wholeStart(bytes)))}`
  }

  const push = (chunk: Buffer) => {
    total += chunk.length
    fresh.push(chunk)
    freshBytes += chunk.length
    while (freshBytes > freshLimit && fresh.length > 1) {
      const { length } = fresh.shift()!
      freshBytes -= length
      skipped += length
    }
    if (spill === undefined && total > headBytes + tailBytes) {
      spill = openSpill(spillPath())
      spill.write(head)
      spill.write(tail)
    }
    spill?.write(chunk)
    const room = headBytes - head.length
    if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)])
    const rest = room > 0 ? chunk.subarray(room) : chunk
    tail = rest.length >= tailBytes
      ? Buffer.from(rest.subarray(-tailBytes))
      : Buffer.concat([tail.subarray(-Math.max(tailBytes - rest.length, 1)), rest])
  }

  const text = () => {
    const cut = total - head.length - tail.length
    if (cut <= 0) return clean(Buffer.concat([head, tail]))
    const note = `[… ${cut} bytes cut here. ${spill?.describe(total) ?? ""}]`
    return `${clean(wholeEnd(head))}\n${note}\n${clean(wholeStart(tail))}`
  }

  return { push, text, taken, close: () => spill?.close() }
}

interface Spill {
  readonly write: (chunk: Buffer) => void
  readonly describe: (total: number) => string
  readonly close: () => void
}

const nowhere: Spill = { write: () => {}, describe: () => "The full output could not be kept.", close: () => {} }

const openSpill = (path: string | undefined): Spill => {
  if (path === undefined) return nowhere
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  } catch {
    return nowhere
  }
  let written = 0
  const close = () => {
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
  }
  const write = (chunk: Buffer) => {
    if (descriptor === undefined || chunk.length === 0) return
    try {
      // Synchronous on purpose: the pipe fills meanwhile, which slows a flood down instead of queueing it in memory.
      written += writeSync(descriptor, chunk, 0, Math.min(chunk.length, spillBytes - written))
    } catch {
      close()
    }
    if (written >= spillBytes) close()
  }
  const describe = (total: number) =>
    written >= total ? `The full output is in ${path}` : `The first ${written} bytes are in ${path}`
  return { write, describe, close }
}

const cleanText = (text: string): string => stripVTControlCharacters(text).replaceAll("\0", "\uFFFD")

const clean = (bytes: Buffer): string => cleanText(bytes.toString("utf8"))

/** Without a UTF-8 sequence that the cut left incomplete. */
export const wholeEnd = (bytes: Buffer): Buffer => {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes
    if (byte >= 0xc0) return bytes.subarray(0, back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? -back : undefined)
  }
  return bytes
}

const wholeStart = (bytes: Buffer): Buffer => {
  let start = 0
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return bytes.subarray(start)
}

/** Names files for large outputs, in private folders outside the given roots. The folders go when the scope closes. */
export const makeSpillPaths = Effect.gen(function*() {
  const folders = new Map<string, string>()
  yield* Effect.addFinalizer(() =>
    Effect.forEach(
      folders.values(),
      (folder) => Effect.ignore(Effect.tryPromise(() => rm(folder, { recursive: true, force: true })))
    )
  )
  return (roots: ReadonlyArray<string>): string | undefined => {
    for (const candidate of [tmpdir(), "/var/tmp", homedir()]) {
      try {
        const parent = realpathSync(candidate)
        if (roots.some((root) => isInside(root, parent))) continue
        const folder = folders.get(parent) ?? mkdtempSync(join(parent, ".postern-output-"))
        folders.set(parent, folder)
        return join(folder, `${randomBytes(8).toString("hex")}.log`)
      } catch {
        continue
      }
    }
    return undefined
  }
})
