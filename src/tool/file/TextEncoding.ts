import { isUtf8 } from "node:buffer"
import { Result } from "effect"

/** How a text lies in a file, so that it can be written back the same way. */
export interface TextEncoding {
  readonly name: "UTF-8" | "UTF-16LE" | "UTF-16BE" | "Windows-1252"
  /** Whether a byte order mark stands before the text, which is no part of it. */
  readonly mark: boolean
}

export const utf8: TextEncoding = { name: "UTF-8", mark: false }

interface DecodedText {
  readonly text: string
  readonly encoding: TextEncoding
}

/** Characters of the bytes 0x80 to 0x9f; the five that have none stand for themselves and are not taken for text. */
const windows = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ"

const unassigned = /[\x81\x8d\x8f\x90\x9d]/

const controls = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/

const sequence = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g

/**
 * Letters of other scripts and of Asian encodings stand beside each other; accented ones of Western languages rarely do.
 * Where more of it is UTF-8 than not, the file is a damaged one, or one in several encodings.
 */
const isWestern = (latin: string): boolean => {
  if (unassigned.test(latin) || /([\x80-\xff])(?!\1{3})[\x80-\xff]{3}/.test(latin)) return false
  const others = latin.replace(sequence, "").match(/[\x80-\xff]/g) ?? []
  return (latin.match(sequence) ?? []).length < others.length
}

const isWide = (bytes: Buffer): boolean => {
  const start = bytes.subarray(0, 8192)
  let [even, odd] = [0, 0]
  for (const [index, byte] of start.entries()) {
    if (byte === 0) index % 2 === 0 ? even++ : odd++
  }
  const most = start.length / 2 * 0.7
  return start.length >= 4 && start.length % 2 === 0 && (even === 0 && odd > most || odd === 0 && even > most)
}

const swapped = (bytes: Uint8Array): Buffer => Buffer.from(bytes).swap16()

/** Whether text is refused because it could not be kept as it is, or because there is no text. */
export type Undecodable = "encoding" | "binary"

export const sentence: Readonly<Record<Undecodable, string>> = {
  encoding: "it is in an encoding other than UTF-8, UTF-16 with a byte order mark, and Windows-1252.",
  binary: "it is a binary file."
}

/** What bytes say as text, where writing it back gives the same bytes. */
export const decode = (bytes: Buffer): Result.Result<DecodedText, Undecodable> => {
  const [first, second, third, fourth] = bytes
  if (first === 0xff && second === 0xfe || first === 0xfe && second === 0xff) {
    const little = first === 0xff
    if (bytes.length % 2 === 1 || little && third === 0 && fourth === 0) return Result.fail("encoding")
    const text = (little ? bytes : swapped(bytes)).toString("utf16le", 2)
    const encoding: TextEncoding = { name: little ? "UTF-16LE" : "UTF-16BE", mark: true }
    return text.includes("\0") ? Result.fail("binary") : Result.succeed({ text, encoding })
  }
  if (bytes.subarray(0, 8192).includes(0)) return Result.fail(isWide(bytes) ? "encoding" : "binary")
  if (isUtf8(bytes)) {
    const mark = first === 0xef && second === 0xbb && third === 0xbf
    return Result.succeed({ text: bytes.toString("utf8", mark ? 3 : 0), encoding: { name: "UTF-8", mark } })
  }
  const latin = bytes.toString("latin1")
  if (controls.test(latin)) return Result.fail("binary")
  if (!isWestern(latin)) return Result.fail("encoding")
  const text = latin.replace(/[\x80-\x9f]/g, (byte) => windows[byte.charCodeAt(0) - 0x80] ?? byte)
  return Result.succeed({ text, encoding: { name: "Windows-1252", mark: false } })
}

/** Fails with the first character that the encoding does not have. */
export const encode = (text: string, { mark, name }: TextEncoding): Result.Result<Buffer, string> => {
  const marked = mark && !text.startsWith("\uFEFF") ? `\uFEFF${text}` : text
  switch (name) {
    case "UTF-8":
      return Result.succeed(Buffer.from(marked))
    case "UTF-16LE":
      return Result.succeed(Buffer.from(marked, "utf16le"))
    case "UTF-16BE":
      return Result.succeed(swapped(Buffer.from(marked, "utf16le")))
    case "Windows-1252": {
      let missing: string | undefined
      const latin = text.replace(/[^\x00-\x7f\xa0-\xff]/gu, (character) => {
        const place = windows.indexOf(character)
        if (place === -1) missing ??= character
        return place === -1 ? "" : String.fromCharCode(0x80 + place)
      })
      return missing === undefined ? Result.succeed(Buffer.from(latin, "latin1")) : Result.fail(missing)
    }
  }
}
