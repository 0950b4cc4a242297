import { resolve } from "../parse/Paths.ts"
import { type Arg, type Command, HOLE, isKnown } from "./Command.ts"
import { archiveMode, fileOperands } from "./FileOperands.ts"
import { fits, matches } from "./Rules.ts"

const loopback = new RegExp(
  String.raw`^([a-z][a-z0-9+.-]*://)?([^/@\s]*@)?` +
    String.raw`(localhost|127(\.\d+){3}|\[?::1\]?|0\.0\.0\.0|host\.docker\.internal|[\w-]+\.localhost)(:\d+)?([/?#]|$)`,
  "i"
)

export const isLoopback = (address: string): boolean => !address.startsWith(HOLE) && loopback.test(address)

/** The programs that can do nothing without a network, with the subcommand that says so. */
export const networkProgramsOf = (commands: ReadonlyArray<Command>): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const command of commands) {
    const name = networkName(command)
    if (name !== undefined) found.add(name)
  }
  return [...found]
}

const networkName = (command: Command): string | undefined => {
  const { line, program, row, words } = command
  if (row.has("network-address")) {
    return line.operands.some((arg) => /^([^/\s]+@)?[\w.-]+::?|^rsync:\/\//.test(arg.guess)) ? program : undefined
  }
  const rule = row.rules("network").find((each) => matches(each, command))
  if (rule === undefined || /^(--help|--version|-V|-h)$/.test(words[0] ?? "")) return undefined
  if (rule.verbs.length > 0) return `${program} ${line.verb()}`
  return line.operands.some((arg) => isLoopback(arg.guess)) ? undefined : program
}

const fetching = new RegExp(
  String.raw`\b(urlopen|urlretrieve|requests\.get|httpx\.get|fetch\(|https?\.get|LWP::|open-uri|URI\.open|Net::HTTP` +
    String.raw`|file_get_contents\(\s*['"]https?:)`
)

/** Its output comes from another machine. */
export const isDownloader = (command: Command): boolean =>
  fits(command, "downloads") ||
  (command.row.is("fetches-in-code") && command.words.some((word) => fetching.test(word))) ||
  command.fields.reads.some((arg) => /^\/dev\/(tcp|udp)\//.test(arg.guess))

export const fromNetwork = (commands: ReadonlyArray<Command>): boolean => commands.some(isDownloader)

const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^[\w-]+(\.[\w-]+)+\/\S+/.test(text)
const baseName = (url: string): string => url.replace(/[?#].*$/, "").replace(/\/+$/, "").split("/").at(-1) ?? ""

/** What an archive from the network was unpacked to; a folder ends in a slash and stands for all in it. */
const unpackedBy = (command: Command): ReadonlyArray<string> => {
  const { fields, line, row } = command
  if (!row.is("unpacks") || (row.files?.operands === "archive" && archiveMode(command) !== "extract")) return []
  const isFetched = (arg: Arg): boolean => fields.downloads.has(resolve(arg.guess, fields.cwd) ?? "")
  const archives = [...line.operands, ...line.values("-f", "--file")]
  if (!fromNetwork(fields.input.from) && !archives.some(isFetched)) return []
  return [`${line.values("-C", "--directory", "-d").at(-1)?.guess ?? "."}/`]
}

/** Files that hold what came from the network, as absolute paths. */
export const downloadedBy = (command: Command): ReadonlyArray<string> => {
  const { line, row } = command
  const { cwd, downloads, input, writes } = command.fields
  const files: Array<string> = []
  const downloader = isDownloader(command)
  if (downloader || fromNetwork(input.from)) {
    files.push(...writes.filter(isKnown).map((arg) => arg.guess))
    if (row.is("keeps-input")) {
      for (const { arg, kind } of fileOperands(command)) if (kind === "write" && isKnown(arg)) files.push(arg.guess)
    }
  }
  if (downloader) files.push(...savedBy(command))
  files.push(...unpackedBy(command))
  if (row.is("carries") && line.operands.some((arg) => downloads.has(resolve(arg.guess, cwd) ?? ""))) {
    files.push(line.operands.at(-1)!.guess)
  }
  return files.filter((name) => !name.includes(HOLE) && name !== "").flatMap((name) => {
    const path = resolve(name, cwd)
    return path === undefined ? [] : [name.endsWith("/") && path !== "/" ? `${path}/` : path]
  })
}

/** It came from the network, or out of an archive that did. */
export const isDownloaded = (path: string, downloads: ReadonlySet<string>): boolean =>
  downloads.has(path) || [...downloads].some((each) => each.endsWith("/") && path.startsWith(each))

/** Files of a download that are named by an option or by the address. */
export const savedBy = ({ line, row }: Command): ReadonlyArray<string> => {
  const [manner, ...named] = row.words("saves")
  if (manner === undefined) return []
  const urls = line.operands.map((arg) => arg.guess).filter(isUrl)
  const out = line.values("-o", "--output", "-O", "--output-document", "--out").map((arg) => arg.guess)
  const folder = line.values("-P", "--directory-prefix", "--output-dir", "-d", "--dir")[0]?.guess
  const inside = (name: string) => (folder === undefined ? name : `${folder}/${name}`)
  switch (manner) {
    case "named":
      return line.has(...named) ? [...urls.map((url) => inside(baseName(url))), ...out] : out.map(inside)
    case "address":
      return out.length > 0 ? out.map(inside) : urls.map((url) => inside(baseName(url)))
    case "last":
      return line.operands.length < 2
        ? []
        : [line.operands.at(-1)!.guess, baseName(line.operands[0]!.guess.replace(/^.*:/, ""))]
  }
  return out
}
