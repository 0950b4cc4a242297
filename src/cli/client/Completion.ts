import { readdirSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { ContentBlock } from "../../domain/Content.ts"

/** What Tab makes of the end of an entry: names of commands and their values, and files behind an `@`. */

export interface CompletionSource {
  /** Names of commands, without the slash. */
  readonly commands: () => ReadonlyArray<string>
  /** Values that may follow a command. */
  readonly valuesOf: (command: string) => ReadonlyArray<string>
  /** Folder of the session. */
  readonly cwd: () => string
}

type Completed = readonly [hits: ReadonlyArray<string>, end: string]

const beginningWith = (values: ReadonlyArray<string>, typed: string): ReadonlyArray<string> => {
  const said = typed.toLowerCase()
  return values.filter((value) => value.toLowerCase().startsWith(said))
}

/** Files that are offered at once. */
const mostFiles = 100
/** Entries that are looked at in a search. */
const mostVisited = 20_000

const skipped = new Set([".git", "node_modules", "dist", "target", ".venv", "__pycache__"])

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const absolute = (cwd: string, path: string): string =>
  /^~(?=$|\/)/.test(path) ? join(homedir(), path.slice(1)) : resolve(cwd, path)

/** Paths that continue a typed one; folders end in a slash. */
const continued = (cwd: string, typed: string): ReadonlyArray<string> => {
  const slash = typed.lastIndexOf("/") + 1
  const [folder, start] = [typed.slice(0, slash), typed.slice(slash)]
  return entriesOf(absolute(cwd, folder === "" ? "." : folder))
    .filter(({ name }) => name.startsWith(start) && (start.startsWith(".") || !name.startsWith(".")))
    .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`)
    .sort()
    .slice(0, mostFiles)
}

/** Files below the folder whose name contains what was typed. */
const searched = (cwd: string, typed: string): ReadonlyArray<string> => {
  const said = typed.toLowerCase()
  const found: Array<string> = []
  const folders = [""]
  let visited = 0
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of entriesOf(join(cwd, folder))) {
      if (++visited > mostVisited || found.length >= mostFiles) return found.sort()
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name) && !entry.name.startsWith(".")) folders.push(path)
      } else if (path.toLowerCase().includes(said)) found.push(path)
    }
  }
  return found.sort()
}

/** A path as it stands behind an `@`: one with blanks needs quotes. */
const mention = (path: string): string => /\s/.test(path) ? `@"${path}"` : `@${path}`

const files = (cwd: string, typed: string): ReadonlyArray<string> => {
  const path = typed.replace(/^"/, "")
  const direct = continued(cwd, path)
  return (direct.length > 0 || path === "" || path.includes("..") ? direct : searched(cwd, path)).map(mention)
}

export const complete = ({ commands, cwd, valuesOf }: CompletionSource, line: string): Completed => {
  const [, name, typed] = /^\/(\S+)\s+(\S*)$/.exec(line) ?? []
  if (name !== undefined && typed !== undefined && !typed.startsWith("@")) {
    const hits = beginningWith(valuesOf(name), typed)
    if (hits.length > 0) return [hits, typed]
  }
  if (/^\/\S*$/.test(line)) return [beginningWith(commands().map((one) => `/${one} `), line), line]
  const [mentioned] = /(?<![\w@])@("[^"]*|\S*)$/.exec(line) ?? []
  if (mentioned !== undefined) return [files(cwd(), mentioned.slice(1)), mentioned]
  const [, word = ""] = /^!.*?([^\s!]*)$/.exec(line) ?? []
  return line.startsWith("!") ? [continued(cwd(), word), word] : [[], line]
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** An entry as a prompt: its text, and links to the files that it names with an `@`. */
export const promptOf = (text: string, cwd: string): ReadonlyArray<ContentBlock> => {
  const named = Array.from(
    text.matchAll(/(?<![\w@])@(?:"([^"\n]+)"|([^\s"]+))/g),
    ([, quoted, bare]) => quoted ?? bare ?? ""
  )
  const paths = named.flatMap((path) =>
    [path, path.replace(/[.,;:!?)]+$/, "")].map((one) => absolute(cwd, one)).filter(isFile).slice(0, 1)
  )
  return [
    { type: "text", text },
    ...Array.from(new Set(paths), (path): ContentBlock => ({
      type: "resource_link",
      uri: pathToFileURL(path).href,
      name: basename(path) || dirname(path)
    }))
  ]
}
