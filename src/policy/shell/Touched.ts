import type { Command } from "./Command.ts"
import { gitUses } from "./GitFiles.ts"
import { fileUse } from "./programs/Files.ts"
import { tarMode } from "./TarMode.ts"
import type { Arg } from "./Words.ts"
import { after } from "./Words.ts"

export interface Use {
  readonly kind: "read" | "write"
  readonly arg: Arg
}

const cache = new WeakMap<Command, ReadonlyArray<Use>>()

/** The files that the arguments of a command name, redirects aside. */
export const usesOf = (command: Command): ReadonlyArray<Use> => {
  const known = cache.get(command)
  if (known !== undefined) return known
  const found = command.fields.where === "contained" ? [] : find(command)
  cache.set(command, found)
  return found
}

const find = (command: Command): ReadonlyArray<Use> => {
  const { line, program } = command
  const table = fileUse(program)
  if (program === "dd") return prefixed(command, { "of=": "write", "if=": "read" })
  if (program === "tar" || program === "gtar" || program === "bsdtar") return ofTar(command)
  if (program === "git") return gitUses(command)
  if (isPacker(program)) return ofPacker(command)
  if (program === "perl" || program === "ruby") return ofFilter(command)
  if (program === "sqlite3" || program === "sqlite") {
    return line.operands.slice(0, 1).map((arg) => ({ kind: "read", arg }))
  }
  if (table === undefined) return []
  const all: Array<Use> = []
  for (const arg of line.values(...table.writes)) all.push({ kind: "write", arg })
  for (const arg of line.values(...table.reads)) all.push({ kind: "read", arg })
  if (program === "find" || program === "gfind") {
    for (const name of table.writes) {
      const at = command.args.findIndex((arg) => arg.guess === name)
      if (at >= 0 && command.args[at + 1] !== undefined) all.push({ kind: "write", arg: command.args[at + 1]! })
    }
  }
  const skipped = program.endsWith("grep") || program === "rg" || program.endsWith("sed")
    ? line.has("-e", "-f", "--expression", "--regexp", "--file")
    : program.endsWith("awk") && line.has("-f", "--file")
  const operands = line.operands.slice(skipped ? 0 : table.skip)
  const inPlace = isInPlace(command)
  const hasTarget = line.has("-t", "--target-directory")
  operands.forEach((arg, index) => {
    const isLast = index === operands.length - 1 && !hasTarget && operands.length > 1
    if (index > 0 && isSecond.has(program)) {
      all.push({ kind: "write", arg })
      return
    }
    const kind = inPlace ? "write" : isLast ? table.last : table.operands
    if (kind !== "none") all.push({ kind, arg })
    // What is moved away is read as well: a key that is renamed is a key that is used.
    if (program === "mv" && !isLast) all.push({ kind: "read", arg })
  })
  return all
}

/** They write their second operand. */
const isSecond = new Set(["uniq", "xxd"])

export const isInPlace = (command: Command): boolean => {
  const { line, program } = command
  if (program === "sed" || program === "gsed") return line.has("-i", "--in-place")
  if (program === "yq" || program === "sponge" || program === "jq") return line.has("-i", "--in-place", "--inplace")
  if (program === "gawk" || program === "awk") {
    return line.values("-i", "--include").some((arg) => /^inplace(\.awk)?$/.test(arg.guess))
  }
  return (program === "perl" || program === "ruby") && line.has("-i")
}

/** With code on the command line every operand is a file, else the first is the script. */
const ofFilter = (command: Command): ReadonlyArray<Use> => {
  const { line } = command
  const kind = isInPlace(command) ? "write" : "read"
  return line.has("-e", "-E") ? line.operands.map((arg) => ({ kind, arg })) : []
}

const endings: Readonly<Record<string, string>> = {
  gzip: ".gz",
  pigz: ".gz",
  gunzip: ".gz",
  bzip2: ".bz2",
  bunzip2: ".bz2",
  xz: ".xz",
  unxz: ".xz",
  lzma: ".lzma",
  zstd: ".zst",
  unzstd: ".zst",
  lz4: ".lz4",
  brotli: ".br"
}
const isPacker = (program: string): boolean => Object.hasOwn(endings, program)

/** `gzip f` makes `f.gz` and takes `f` away, and the other way round. */
const ofPacker = ({ line, program }: Command): ReadonlyArray<Use> => {
  const written = line.values("-o", "--output").map((arg): Use => ({ kind: "write", arg }))
  const onlyReads = line.has("-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test")
  const keeps = onlyReads || written.length > 0 || line.has("-k", "--keep") || /zst|lz4|brotli/.test(program)
  const unpacks = program.startsWith("un") || program.includes("unz") || line.has("-d", "--decompress", "--uncompress")
  const made = (arg: Arg): Arg => {
    const name = unpacks ? arg.guess.replace(/\.(t?gz|bz2|xz|lzma|zst|lz4|br|Z)$/, "") : arg.guess + endings[program]!
    return { ...arg, guess: name, text: name, value: arg.value === null ? null : name }
  }
  return [
    ...written,
    ...line.operands.flatMap((arg): ReadonlyArray<Use> => [
      { kind: "read", arg },
      ...(keeps ? [] : [{ kind: "write", arg } as const]),
      ...(onlyReads || written.length > 0 ? [] : [{ kind: "write", arg: made(arg) } as const])
    ])
  ]
}

const prefixed = (command: Command, kinds: Readonly<Record<string, "read" | "write">>): ReadonlyArray<Use> =>
  command.args.flatMap((arg) =>
    Object.entries(kinds).flatMap(([prefix, kind]) =>
      arg.guess.startsWith(prefix) ? [{ kind, arg: after(arg, prefix.length) }] : []
    )
  )

/** One path below another. */
export const joined = (folder: Arg, name: Arg): Arg => {
  const guess = name.guess.startsWith("/") ? name.guess : `${folder.guess}/${name.guess}`
  return {
    ...name,
    guess,
    text: guess,
    value: folder.value === null || name.value === null ? null : guess,
    certain: folder.certain && name.certain,
    glob: folder.glob || name.glob
  }
}

const ofTar = (command: Command): ReadonlyArray<Use> => {
  const { line } = command
  const mode = tarMode(command)
  const folders = line.values("-C", "--directory")
  const bundled = /^[A-Za-z]+$/.test(command.args[0]?.guess ?? "")
  const operands = bundled ? line.operands.slice(/f/.test(command.args[0]!.guess) ? 2 : 1) : line.operands
  if (mode === "extract") {
    const into = folders.at(-1)
    const members = operands.map((arg) => (into === undefined ? arg : joined(into, arg)))
    return [...folders, ...members].map((arg) => ({ kind: "write", arg }))
  }
  const archive = bundled && /f/.test(command.args[0]!.guess) ? line.operands[1] : line.values("-f", "--file")[0]
  const written: ReadonlyArray<Use> = mode === "create" && archive !== undefined && archive.guess !== "-"
    ? [{ kind: "write", arg: archive }]
    : []
  return [...written, ...operands.map((arg) => ({ kind: "read", arg }) as const)]
}
