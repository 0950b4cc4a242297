import { forEachChild, parse as parseBash } from "unbash"
import type { ParsedScript } from "unbash"

/** The only file that knows which parser reads the shell's language. */

export type {
  AndOr,
  Assignment as AssignmentNode,
  Command as CommandNode,
  CompoundList,
  ParsedScript as Script,
  Pipeline,
  Redirection,
  Statement,
  SyntaxNode,
  Word as WordNode,
  WordPart
} from "unbash"

export { forEachChild }

/** Longer commands are not read at all: parsing has to stay far below the time a person notices. */
export const maxBytes = 16 * 1024

export const isTooLong = (source: string): boolean => source.length > maxBytes || Buffer.byteLength(source) > maxBytes

/** `undefined` for what bash would refuse, and for what is too long to look at. */
export const parse = (source: string): ParsedScript | undefined => {
  if (isTooLong(source) || source.includes("\0")) return undefined
  const script = parseBash(source)
  return script.errors === undefined || script.errors.length === 0 ? script : undefined
}
