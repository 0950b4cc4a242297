import { createHmac } from "node:crypto"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** The bytes of a text in base32 without padding, RFC 4648 §6. */
const fromBase32 = (text: string): Buffer => {
  const bits = Array.from(text, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("")
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/**
 * An authenticator app of six digits and SHA-1, written down from RFC 4226 §5.3 and RFC 6238 §4, so that what is tested
 * is not tested with itself.
 */
export const codeAt = (address: string, ms: number): string => {
  const parameters = new URL(address).searchParams
  const step = Math.floor(ms / 1000 / Number(parameters.get("period") ?? "30"))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac("sha1", fromBase32(parameters.get("secret") ?? "")).update(counter).digest()
  const offset = mac[19]! & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0")
}

/** A code that none of the steps around has. */
export const wrongAt = (address: string, ms: number): string => {
  const right = [-2, -1, 0, 1, 2].map((step) => codeAt(address, ms + step * 30_000))
  return ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) => !right.includes(code))!
}
