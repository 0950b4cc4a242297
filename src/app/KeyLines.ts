const splitKeys = (text: string): ReadonlyArray<string> =>
  Array.from(
    text.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+)/g),
    ([, basic, literal, bare]) => basic ?? literal ?? bare ?? ""
  )

const keys = String.raw`((?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+|[ \t]*\.[ \t]*)+)`
const header = new RegExp(String.raw`^\s*\[\[?\s*${keys}\s*\]`)
const assignment = new RegExp(String.raw`^\s*${keys}\s*=`)

const startsWith = (path: ReadonlyArray<string>, prefix: ReadonlyArray<string>) =>
  prefix.length <= path.length && prefix.every((key, index) => key === path[index])

/**
 * The 1-based line of a TOML text on which `path` is set, or else the one of the nearest table around it; for error messages.
 * Lines inside multi-line strings are skipped.
 */
export const lineOf = (source: string, path: ReadonlyArray<string>): number | undefined => {
  let table: ReadonlyArray<string> = []
  let best: { readonly line: number; readonly depth: number } | undefined
  let quotes: string | undefined
  for (const [index, line] of source.split("\n").entries()) {
    const fences: ReadonlyArray<string> = line.match(/"""|'''/g) ?? []
    const inside = quotes !== undefined
    for (const fence of fences) {
      if (quotes === undefined) quotes = fence
      else if (quotes === fence) quotes = undefined
    }
    if (inside) continue
    const opened = header.exec(line)?.[1]
    const assigned = opened === undefined ? assignment.exec(line)?.[1] : undefined
    if (opened !== undefined) table = splitKeys(opened)
    const here = assigned === undefined ? table : [...table, ...splitKeys(assigned)]
    const named = opened !== undefined || assigned !== undefined
    if (named && (startsWith(path, here) || startsWith(here, path))) {
      const depth = Math.min(here.length, path.length)
      if (best === undefined || depth > best.depth) best = { line: index + 1, depth }
    }
  }
  return best?.line
}
