import {
  after,
  type Arg,
  type Command,
  inFolder,
  literal,
  type NamedFile,
  reading,
  renamed,
  writing
} from "./Command.ts"
import { worktreeOperands } from "./Git.ts"
import { readingOf } from "./ReadForms.ts"
import type { Program } from "./Table.ts"

/** The files that the arguments of a command name, redirects aside. */
export const fileOperands = (command: Command): ReadonlyArray<NamedFile> => {
  const before = command.known.operands as ReadonlyArray<NamedFile> | undefined
  if (before !== undefined) return before
  const found = command.fields.where === "contained" ? [] : find(command)
  command.known.operands = found
  return found
}

const find = (command: Command): ReadonlyArray<NamedFile> => {
  const manner = manners[command.row.files?.operands ?? ""]
  return manner === undefined ? namedOperands(command) : manner(command)
}

const namedOperands = (command: Command): ReadonlyArray<NamedFile> => {
  const { line, row } = command
  const use = row.files
  if (use === undefined) return []
  const all = [...writing(line.values(...row.words("outputs"))), ...reading(line.values(...row.words("inputs")))]
  const read = readingOf(command)
  const given = read?.verbs === 0 ? read.operands : line.operands
  const operands = given.slice(line.has(...use.unless) ? 0 : use.skip)
  const inPlace = isInPlace(command)
  const hasTarget = line.has("-t", "--target-directory")
  operands.forEach((arg, index) => {
    const isLast = index === operands.length - 1 && !hasTarget && operands.length > 1
    const kind = index > 0 && use.then !== undefined
      ? use.then
      : inPlace
      ? "write"
      : isLast
      ? use.last
      : use.operands
    if (kind === "read" || kind === "write") all.push({ kind, arg })
    // What is moved away is read as well: a key that is renamed is a key that is used.
    if (use.words.includes("moving") && !isLast) all.push({ kind: "read", arg })
  })
  return all
}

/** It writes the files that it reads. */
export const isInPlace = ({ line, row }: Command): boolean =>
  row.words("in-place").some((option) => {
    const equals = option.indexOf("=")
    return equals < 0
      ? line.has(option)
      : line.values(option.slice(0, equals)).some((arg) => arg.guess === option.slice(equals + 1))
  })

/** `if=a of=b`. */
const assignedOperands = (command: Command): ReadonlyArray<NamedFile> =>
  command.args.flatMap((arg) =>
    arg.guess.startsWith("of=")
      ? writing([after(arg, 3)])
      : arg.guess.startsWith("if=")
      ? reading([after(arg, 3)])
      : []
  )

/** With code on the command line every operand is a file, else the first is the script. */
const filteredOperands = (command: Command): ReadonlyArray<NamedFile> => {
  if (!command.line.has("-e", "-E")) return []
  return isInPlace(command) ? writing(command.line.operands) : reading(command.line.operands)
}

/** A packed file takes the place of the plain one, and the other way round. */
const packedOperands = ({ line, row }: Command): ReadonlyArray<NamedFile> => {
  const written = writing(line.values("-o", "--output"))
  const { operands: manner, words: [ending = "", keeping] } = row.files!
  const onlyReads = line.has("-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test")
  const keeps = onlyReads || written.length > 0 || line.has("-k", "--keep") || keeping !== undefined
  const unpacks = manner === "unpack" || line.has("-d", "--decompress", "--uncompress")
  const made = (arg: Arg): Arg =>
    renamed(arg, unpacks ? arg.guess.replace(/\.(t?gz|bz2|xz|lzma|zst|lz4|br|Z)$/, "") : arg.guess + ending)
  return [
    ...written,
    ...line.operands.flatMap((arg) => [
      ...reading([arg]),
      ...(keeps ? [] : writing([arg])),
      ...(onlyReads || written.length > 0 ? [] : writing([made(arg)]))
    ])
  ]
}

/** What an archiver is told to do, by letters without a dash or by options. */
export const archiveMode = ({ line, words: [first = ""] }: Command): "create" | "extract" | "list" => {
  const letters = /^[A-Za-z]+$/.test(first) ? first : ""
  if (line.has("-x", "--extract", "--get") || /x/.test(letters)) return "extract"
  return line.has("-c", "-r", "-u", "--create", "--append", "--update") || /[cru]/.test(letters) ? "create" : "list"
}

const archivedOperands = (command: Command): ReadonlyArray<NamedFile> => {
  const { line, words: [first = ""] } = command
  const mode = archiveMode(command)
  const folders = line.values("-C", "--directory")
  const hasLetters = /^[A-Za-z]+$/.test(first)
  const namesArchive = hasLetters && first.includes("f")
  const operands = line.operands.slice(namesArchive ? 2 : hasLetters ? 1 : 0)
  const archive = namesArchive ? line.operands[1] : line.values("-f", "--file")[0]
  const source = archive === undefined || archive.guess === "-" ? [] : reading([archive])
  if (mode === "extract") {
    const into = folders.at(-1)
    const made = operands.map((arg) => (into === undefined ? arg : inFolder(into, arg)))
    return [...source, ...writing([...folders, ...made])]
  }
  const isWritten = mode === "create" && archive !== undefined && archive.guess !== "-"
  return [...(isWritten ? writing([archive]) : source), ...reading(operands)]
}

/** Files of programs whose operands mean something else than being read or written, by the word in the row. */
const manners: Readonly<Record<string, (command: Command) => ReadonlyArray<NamedFile>>> = {
  assigned: assignedOperands,
  archive: archivedOperands,
  database: ({ line }) => reading(line.operands.slice(0, 1)),
  filter: filteredOperands,
  pack: packedOperands,
  unpack: packedOperands,
  worktree: worktreeOperands
}

/** The row says what becomes of each operand. */
export const tellsFiles = ({ files }: Program): boolean =>
  files !== undefined && /^(read|write|none|database)$/.test(files.operands)

/** Files that the scripts of filters say they write. */
export const writtenByScript = ({ line, row }: Command): ReadonlyArray<Arg> => {
  const [manner, ...options] = row.words("script-writes")
  const writes = manner === undefined ? undefined : scriptWrites[manner]
  if (writes === undefined) return []
  const given = line.values(...options)
  const script = (given.length > 0 ? given : line.operands.slice(0, 1)).map(({ guess }) => guess).join("\n")
  return Array.from(script.matchAll(writes), (match) => literal(match[1]!.trim()))
}

/** How scripts say that they write a file: in quotes behind an arrow, or behind the command `w`. */
const scriptWrites: Readonly<Record<string, RegExp>> = {
  arrow: />>?\s*"([^"\n]+)"/g,
  w: /(?:^|[\s;{}\d$/!|#,@~])[wW]\s+([^\n;}]+)/g
}
