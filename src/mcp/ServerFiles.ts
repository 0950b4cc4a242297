import { existsSync, statSync } from "node:fs"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import type { McpTransportConfig } from "../domain/McpServerConfig.ts"
import * as Executable from "../platform/Executable.ts"
import { isInside } from "../platform/FilePath.ts"
import * as Disk from "../sandbox/Disk.ts"

/**
 * The files that a declaration of a server names: its program, its scripts, what is preloaded. They are shown to the
 * server wherever they lie. See docs/mcp.md#sandbox-of-a-server
 */

type Started = Pick<Extract<McpTransportConfig, { _tag: "Stdio" }>, "command" | "args" | "env">

interface Place {
  /** In which the server is started. */
  readonly cwd: string
  /** `PATH` as the server gets it. */
  readonly path: string | undefined
  readonly homes: ReadonlyArray<string>
  /** The folders of the session. */
  readonly roots: ReadonlyArray<string>
}

/** More are not looked for. */
const maxNamed = 64
const maxClimbed = 12

/** What shows that a folder is a package, with files that its scripts load. */
const markers = ["package.json", "deno.json", "pyproject.toml", "setup.py", "pyvenv.cfg"]

/** The variables whose values name what is loaded along with the program. */
const loading = ["NODE_OPTIONS", "NODE_PATH", "PYTHONPATH", "PYTHONSTARTUP", "RUBYLIB", "PERL5LIB", "CLASSPATH"]

/** Node.js finds these for a name without them. */
const omitted = ["", ".js", ".mjs", ".cjs", ".ts"]

/** What may be a path in a word: the word itself, the value of an option, the rest of an option of one letter. */
const candidates = (word: string): ReadonlyArray<string> => {
  const value = /^(?:-{1,2}[^=/]*|[A-Za-z_][\w.-]*)=(.*)$/s.exec(word)?.[1] ??
    /^-[A-Za-z](\.{0,2}\/.*)$/s.exec(word)?.[1]
  const whole = value === undefined ? [word] : [word, value]
  return whole.flatMap((text) => text.includes(":") && !text.includes("://") ? [text, ...text.split(":")] : [text])
}

const kindOf = (path: string): "file" | "folder" | undefined => {
  try {
    const found = statSync(path)
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : undefined
  } catch {
    return undefined
  }
}

const located = (text: string, cwd: string): string | undefined => {
  if (text === "" || text.startsWith("-") || text.includes("\0")) return undefined
  if (!/^file:/i.test(text)) return text.includes("://") ? undefined : resolve(cwd, text)
  try {
    return fileURLToPath(text)
  } catch {
    return undefined
  }
}

const isPackage = (folder: string): boolean => markers.some((name) => existsSync(join(folder, name)))

/** Temporary and home folders, and those around the session's, hold more than what a server is made of. */
const isTooMuch = (folder: string, { homes, roots }: Place): boolean =>
  ["/tmp", "/var/tmp", ...homes, ...roots].some((other) => isInside(folder, Disk.real(other) ?? other))

/** The package that a path lies in, and the modules that its scripts find further up. */
const packagesOf = (path: string, place: Place): ReadonlyArray<string> => {
  const found: Array<string> = []
  let inPackage = false
  for (let at = path, climbed = 0; climbed < maxClimbed; climbed++, at = dirname(at)) {
    if (isTooMuch(at, place)) break
    if (!inPackage && isPackage(at)) {
      inPackage = true
      found.push(at)
    } else if (inPackage && kindOf(join(at, "node_modules")) === "folder") found.push(join(at, "node_modules"))
  }
  return found
}

/** Absolute paths as they are named, links not resolved: existing files, and the packages that they are part of. */
export const filesOf = ({ args, command, env }: Started, place: Place): ReadonlyArray<string> => {
  const { cwd, path } = place
  const program = command.includes("/") ? command : Executable.find(command, path, [])
  const variables = loading.flatMap((name) => env[name]?.split(/\s+/) ?? []).flatMap(candidates)
  const libraries = variables.filter((path) => isAbsolute(path) && kindOf(path) === "folder" && !isTooMuch(path, place))
  const found = new Set(libraries)
  for (const word of [...[...program === undefined ? [] : [program], ...args].flatMap(candidates), ...variables]) {
    const named = located(word, cwd)
    if (named === undefined) continue
    const file = omitted.map((end) => named + end).find((one) => kindOf(one) === "file")
    if (file !== undefined) {
      found.add(file)
      for (const one of [dirname(file), dirname(Disk.real(file) ?? file)]) {
        packagesOf(one, place).forEach((folder) => found.add(folder))
      }
    } else if (isAbsolute(named) && kindOf(named) === "folder" && isPackage(named)) {
      packagesOf(named, place).forEach((folder) => found.add(folder))
    }
    if (found.size >= maxNamed) break
  }
  return [...found].slice(0, maxNamed)
}
