import { isUtf8 } from "node:buffer"

/**
 * Paths are bytes. Where they are no UTF-8, each byte that does not fit stands as half a character, from U+DC80 on, so
 * that a path can be a string and still be given back to the system as it is. JavaScript's own conversion would name
 * another file.
 */

const isByte = (unit: number): boolean => unit >= 0xdc80 && unit <= 0xdcff

export const decode = (bytes: Uint8Array): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (isUtf8(buffer)) return buffer.toString("utf8")
  let text = ""
  for (let at = 0; at < buffer.length;) {
    const first = buffer[at]!
    const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
    const piece = buffer.subarray(at, at + length)
    if (isUtf8(piece)) {
      text += piece.toString("utf8")
      at += length
    } else {
      text += String.fromCharCode(0xdc00 + first)
      at++
    }
  }
  return text
}

export const bytesOf = (text: string): Buffer => {
  if (text.isWellFormed()) return Buffer.from(text)
  return Buffer.concat(
    Array.from(text, (character) => {
      const unit = character.length === 1 ? character.charCodeAt(0) : 0
      return isByte(unit) ? Buffer.from([unit - 0xdc00]) : Buffer.from(character)
    })
  )
}

/** What functions of `node:fs` take for it. */
export const forSystem = (path: string): string | Buffer => path.isWellFormed() ? path : bytesOf(path)

/** Whether a name that `node:fs` gave may have been other bytes. */
export const isLossy = (name: string): boolean => name.includes("\ufffd")
