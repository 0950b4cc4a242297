import type { Command } from "./Command.ts"
import type { Arg } from "./Words.ts"
import { literal } from "./Words.ts"

/** Files that the scripts of filters say they write. */
export const writtenByScript = ({ line, program }: Command): ReadonlyArray<Arg> => {
  const scripts = (names: ReadonlyArray<string>): string => {
    const given = line.values(...names).map(({ guess }) => guess)
    return (given.length > 0 ? given : line.operands.slice(0, 1).map(({ guess }) => guess)).join("\n")
  }
  const found = /^[gmn]?awk$/.test(program)
    ? scripts(["-e", "--source"]).matchAll(/>>?\s*"([^"\n]+)"/g)
    : /^g?sed$/.test(program)
    ? scripts(["-e", "--expression"]).matchAll(/(?:^|[\s;{}\d$/!|#,@~])[wW]\s+([^\n;}]+)/g)
    : []
  return Array.from(found, (match) => literal(match[1]!.trim()))
}
