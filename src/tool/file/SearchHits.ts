import type { MayRead } from "./ReadFilter.ts"

/** The result of a content search by either engine, and its rendering as text. */

export interface HitLine {
  readonly number: number
  readonly text: string
  /** Shown around a match, itself none. */
  readonly context: boolean
}

export interface FileHits {
  /** Relative to the searched folder. */
  readonly path: string
  readonly matches: number
  readonly lines: ReadonlyArray<HitLine>
}

export interface SearchResult {
  readonly files: ReadonlyArray<FileHits>
  /** Why the result is not all there is; absent when it is. */
  readonly limit?: "results" | "time" | "size" | "folder"
}

export type SearchOutputMode = "content" | "files_with_matches" | "count"

/** What both search engines are asked for. */
export interface SearchQuery {
  readonly folder: string
  /** One file of the folder instead of everything below it. */
  readonly file: string | undefined
  readonly pattern: string
  readonly include: string | undefined
  readonly caseSensitive: boolean
  readonly before: number
  readonly after: number
  readonly multiline: boolean
  readonly mode: SearchOutputMode
  readonly maxResults: number
  /** Of canonical paths; `undefined` is all of them. */
  readonly mayRead: MayRead | undefined
}

/** Bytes of matched text before a search ends. */
export const maxOutput = 1024 * 1024

/** Characters of one line that are kept. */
export const maxLine = 1000

export const cutLine = (line: string): string => line.length > maxLine ? `${line.slice(0, maxLine)}… [line cut]` : line

const limits: Readonly<Record<NonNullable<SearchResult["limit"]>, string>> = {
  results: "max_results was reached; narrow the pattern, the path or include",
  time: "the time limit was reached; narrow the path or include",
  size: "the output limit was reached; narrow the pattern, the path or include",
  folder: "the folder is too large to search completely; narrow the path"
}

export const render = (found: SearchResult, mode: SearchOutputMode, name: (path: string) => string): string => {
  const note = found.limit === undefined ? "" : `\n[Not everything: ${limits[found.limit]}.]`
  if (found.files.length === 0) return `No matches.${note}`
  switch (mode) {
    case "files_with_matches":
      return found.files.map((file) => name(file.path)).join("\n") + note
    case "count":
      return found.files.map((file) => `${name(file.path)}:${file.matches}`).join("\n") + note
    case "content":
      return found.files.map((file) => renderFile(name(file.path), file.lines)).join("\n") + note
  }
}

const renderFile = (name: string, lines: ReadonlyArray<HitLine>): string => {
  const grouped = lines.some((line) => line.context)
  return lines.map((line, index) => {
    const sign = line.context ? "-" : ":"
    const previous = lines[index - 1]?.number ?? line.number
    const gap = grouped && line.number > previous + 1 ? "--\n" : ""
    return `${gap}${name}${sign}${line.number}${sign}${line.text}`
  }).join("\n")
}
