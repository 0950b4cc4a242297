/** Numbers from 0 to 1, the same for the same seed (Mulberry32). */
export const random = (seed: number): () => number => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6D2B79F5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
const lower = upper.toLowerCase()
const digits = "0123456789"

const alphabets: Readonly<Record<string, string>> = {
  a: upper + lower + digits,
  l: lower + digits,
  U: upper + digits,
  d: digits,
  x: `${digits}abcdef`,
  X: `${digits}ABCDEF`,
  w: `${upper}${lower}${digits}_-`,
  b: `${upper}${lower}${digits}+/`,
  t: `${upper}234567`,
  s: `${lower}234567`
}

/** Fills in a template of `SecretSamples.ts`, whose head says what it may contain. */
export const expand = (template: string, next: () => number): string => {
  const below = (limit: number) => Math.floor(next() * limit)
  const pick = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabets[alphabet]![below(alphabets[alphabet]!.length)]).join("")
  const one = (...items: ReadonlyArray<string>) => items[below(items.length)]!
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const password = () => {
    switch (below(3)) {
      case 0:
        return one("Sommer", "Tiger", "falcon", "Winter", "Guitar") +
          one("-horse", "Regen", "!blue", "_river", "#Moon") + pick("d", 3)
      case 1:
        return `${pick("a", 6)}${one("!", "#", "%", "^", "*", "+", "_", "-")}${pick("a", 6)}${pick("d", 1)}`
      default:
        return `${pick("s", 5)}${pick("d", 2)}!${pick("U", 3)}${pick("d", 1)}`
    }
  }
  const filled = (name: string, length: number): string => {
    switch (name) {
      case "uuid":
        return [8, 4, 4, 4, 12].map((part) => pick("x", part)).join("-")
      case "jwt":
        return `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded({ sub: pick("d", 9), name: "Anna" })}.${
          pick("w", 43)
        }`
      case "words":
        return password()
      case "login":
        return Buffer.from(`anna:${pick("a", length)}`).toString("base64")
      case "b64":
        return Buffer.from(Array.from({ length }, () => below(256))).toString("base64")
      case "pem":
        return [...Array.from({ length: 12 }, () => pick("b", 64)), `${pick("b", 30)}==`].join("\n")
      default:
        return pick(name, length)
    }
  }
  return template.replace(
    /\{(uuid|jwt|words|pem|b64|login|[alUdxXwbts])(?::(\d+))?\}/g,
    (_, name: string, length?: string) => filled(name, Number(length ?? 0))
  )
}

/** A filled-in template without its marks, what they marked, and what stands around it. */
export const sample = (template: string, seed: number) => {
  const marked = expand(template, random(seed))
  return {
    text: marked.replaceAll(/[«»]/g, ""),
    secrets: Array.from(marked.matchAll(/«([^»]*)»/g), ([, secret = ""]) => secret),
    around: marked.split(/«[^»]*»/)
  }
}
