import type { FileOperand } from "../decision/CallAction.ts"
import { compile, is } from "./Glob.ts"
import type { Atom } from "./Wildcard.ts"

/**
 * Whether something that is no single path, a pattern of the shell or all that lies below a folder, may come to a path that a rule
 * or a limit speaks of. Nothing is looked up: where both sides have wildcards, the answer is that it may.
 */
export type Reach = "sure" | "maybe"

/** One segment of the rule's pattern; `text` where it is literal. */
export interface Segment {
  readonly atom: Atom<string>
  readonly text: string | undefined
}

export interface Reaching {
  /** Absolute, with wildcards where `glob` is set. */
  readonly path: string
  readonly glob?: true | undefined
  readonly below?: FileOperand["below"]
}

/** The segments of a plain path. */
export const literally = (path: string): ReadonlyArray<Segment> =>
  path.split("/").filter((text) => text !== "").map((text) => ({ atom: (other) => other === text, text }))

/** Any number of segments. */
export const many: Segment = { atom: "many", text: undefined }

type Piece = { readonly text: string; readonly test: ((text: string) => boolean) | undefined }

const pieceOf = (text: string, glob: boolean): Piece => {
  const chars = Array.from(text, (char) => ({ char, quoted: false }))
  if (!glob || !chars.some((char) => is(char, "*") || is(char, "?") || is(char, "["))) return { text, test: undefined }
  const test = compile(chars, "file")
  // The shell leaves hidden files out unless they are meant.
  return { text, test: (other) => test(other) && (text.startsWith(".") || !other.startsWith(".")) }
}

const fits = ({ atom, text }: Segment, piece: Piece): Reach | undefined => {
  if (atom === "many") return undefined
  if (piece.test === undefined) return atom(piece.text) ? "sure" : undefined
  return text === undefined ? "maybe" : piece.test(text) ? "sure" : undefined
}

const weaker = (a: Reach | undefined, b: Reach): Reach | undefined => (a === "sure" ? b : a)

/** Longer paths are no paths; what they may come to nobody needs to know exactly. */
const maxPieces = 256

export const reaches = (pattern: ReadonlyArray<Segment>, { below, glob, path }: Reaching): Reach | undefined => {
  const pieces = path.split("/").filter((text) => text !== "").map((text) => pieceOf(text, glob === true))
  if (pieces.length > maxPieces) return "maybe"
  const known = new Map<number, Reach | undefined>()
  const end = pattern.findLastIndex(({ atom }) => atom !== "many") + 1
  const find = (at: number, piece: number): Reach | undefined => {
    if (at === end) return at < pattern.length || piece === pieces.length ? "sure" : undefined
    const first = pattern[at]!
    if (piece === pieces.length) return below === undefined ? undefined : first.text === undefined ? "maybe" : "sure"
    if (first.atom !== "many") {
      const here = fits(first, pieces[piece]!)
      return here === undefined ? undefined : weaker(walk(at + 1, piece + 1), here)
    }
    const found = [walk(at + 1, piece), weaker(walk(at, piece + 1), "maybe")]
    return found.includes("sure") ? "sure" : found.find((each) => each !== undefined)
  }
  const walk = (at: number, piece: number): Reach | undefined => {
    const key = at * (maxPieces + 1) + piece
    if (!known.has(key)) known.set(key, find(at, piece))
    return known.get(key)
  }
  return walk(0, 0)
}
