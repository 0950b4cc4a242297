import type { CommandAction } from "../../decision/CallAction.ts"
import { programOf } from "./Table.ts"

/**
 * Files and addresses that the literal words of well-known programs may name, for deny and ask rules: more than the
 * files of a part, which are sure.
 */
export interface NamedWords {
  readonly reads: ReadonlyArray<string>
  readonly urls: ReadonlyArray<string>
}

const givesPattern = /^(-[A-Za-z]*[ef]|--regexp|--file|--expression)/

const nothing: NamedWords = { reads: [], urls: [] }

/** `--x=/y`, `-f/y`, `if=/y` and `@/y` name `/y` as well. */
const namesIn = (word: string): ReadonlyArray<string> => {
  const value = /^(?:--?[A-Za-z][\w-]*=|[a-z]+=|@|--?[A-Za-z](?=[/~.]))(.+)$/.exec(word)?.[1]?.replace(/^@/, "")
  return [...(word.startsWith("-") || word === "" ? [] : [word]), ...(value === undefined ? [] : [value])]
}

const isAddress = (word: string) => word.includes("://")

/** `example.com/x`. */
const isHost = (word: string) => /^[\w-]+(\.[\w-]+)+([:/]|$)/.test(word)

export const namedWords = ({ argv }: CommandAction, program: string | null): NamedWords => {
  const row = programOf(program ?? "")
  const reads = row.is("reader")
  const fetches = row.is("fetcher")
  if (!reads && !fetches) return nothing
  const skips = row.is("searcher") && !argv.some((word) => word !== null && givesPattern.test(word))
  const pattern = skips ? argv.findIndex((word, index) => index > 0 && word?.startsWith("-") !== true) : -1
  const names = argv.flatMap((word, index) => word === null || index === 0 || index === pattern ? [] : namesIn(word))
  return {
    reads: reads ? names.filter((name) => !isAddress(name)) : [],
    urls: fetches ? names.flatMap((name) => isAddress(name) ? [name] : isHost(name) ? [`http://${name}`] : []) : []
  }
}
