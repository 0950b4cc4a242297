import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { EnvironmentVariables } from "../../platform/Environment.ts"
import { isInside } from "../../platform/FilePath.ts"
import * as Executable from "../../platform/Executable.ts"
import type { Runner } from "../Confinement.ts"
import * as Descriptors from "../process/Descriptors.ts"
import * as Disk from "../Disk.ts"

/** Where a runner is looked for first: what PATH names before may be in the hands of a project. */
const places = [
  "/usr/local/bin",
  "/usr/bin",
  "/bin",
  "/usr/sbin",
  "/sbin",
  "/run/current-system/sw/bin",
  "/run/wrappers/bin"
]

export type FindProgram = (name: string) => string | undefined

/** What a project brings, where that shows by the path: package managers put its folders in PATH. */
const ofProject = (folder: string): boolean =>
  /(^|\/)node_modules(\/|$)/.test(folder) || (process.cwd() !== "/" && isInside(process.cwd(), folder))

/** Programs for the host's own use. What is found is kept, so that later changes of PATH entries do not matter. */
export const programFinder = (variables: EnvironmentVariables): FindProgram => {
  const known = new Map<string, string>()
  const entries = (variables["PATH"] ?? "").split(":").filter((entry) =>
    ![entry, Disk.real(entry) ?? ""].some(ofProject)
  )
  return (name) => {
    const found = known.get(name) ?? Executable.find(name, [...places, ...entries].join(":"), [])
    if (found !== undefined) known.set(name, found)
    return found
  }
}

/** Long enough for a machine under load; a runner that waits for something is of no use. */
const patience = 5000

interface ProbeOutcome {
  readonly works: boolean
  /** The last line of its own error output. */
  readonly said: string
  readonly printed: string
}

/** An empty folder for the length of a trial; its path is canonical. */
export const withTemporaryFolder = <A>(use: (folder: string) => A): A => {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), ".postern-trial-")))
  try {
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a command with these descriptors and an empty environment, and waits. From the main thread only. */
export const run = (
  argv: readonly [string, ...ReadonlyArray<string>],
  descriptors: Runner["descriptors"]
): ProbeOutcome =>
  withTemporaryFolder((folder) => {
    const open: Array<number> = []
    const [program, ...args] = argv
    try {
      const extra = descriptors.map((content, index) => {
        if (typeof content === "string") return "pipe" as const
        const file = join(folder, `${index}`)
        if (content instanceof Uint8Array) writeFileSync(file, content)
        open.push(content instanceof Uint8Array ? openSync(file, "r") : Descriptors.hold(content.path))
        return open.at(-1)!
      })
      const { error, status, stderr, stdout } = spawnSync(program, args, {
        cwd: "/",
        env: {},
        timeout: patience,
        stdio: ["ignore", "pipe", "pipe", ...extra],
        encoding: "utf8"
      })
      const said = (stderr ?? "").trim().split("\n").at(-1) ?? ""
      return {
        works: status === 0 && error === undefined,
        said: said === "" ? error?.message ?? `exit code ${status}` : said,
        printed: stdout ?? ""
      }
    } catch (error) {
      return { works: false, said: error instanceof Error ? error.message : "it could not be started", printed: "" }
    } finally {
      open.forEach((descriptor) => closeSync(descriptor))
    }
  })

/** The output of `--version` or the like; empty if the program cannot be started. */
export const helpText = (program: string): string =>
  spawnSync(program, ["--help"], { env: {}, timeout: patience, stdio: ["ignore", "pipe", "ignore"], encoding: "utf8" })
    .stdout ?? ""

/** `/bin` and its kin as this machine has them. */
export const systemFolders = () =>
  ["/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32"].flatMap((path) => {
    const link = Disk.target(path)
    return Disk.kind(path) === "missing" ? [] : [link === undefined ? { path } : { path, link }]
  })
