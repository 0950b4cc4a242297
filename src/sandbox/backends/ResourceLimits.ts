import type { Attribution, RunnerExit } from "../Confinement.ts"
import * as Disk from "../Disk.ts"

/** The host's own hard limits: a request beyond them would fail the command. */
const hardLimits = (): ReadonlyMap<string, number> =>
  new Map(
    (Disk.text("/proc/self/limits") ?? "").split("\n").flatMap((line) => {
      const found = /^(Max [a-z ]+?)\s{2,}\S+\s+(\S+)/.exec(line)
      return found === null
        ? []
        : [[found[1]!, found[2] === "unlimited" ? Number.POSITIVE_INFINITY : Number(found[2])] as const]
    })
  )

export const mostProcesses = 512

/** Shells differ in what they call the number of processes. */
const wanted = [
  { name: "Max processes", flags: ["u", "p"], value: mostProcesses },
  { name: "Max open files", flags: ["n"], value: 4096 },
  { name: "Max core file size", flags: ["c"], value: 0 },
  // In blocks of 512 bytes, as POSIX has it.
  { name: "Max file size", flags: ["f"], value: 4 * 1024 ** 3, unit: 512 }
]

/**
 * Resource limits (docs/sandbox.md#resource-limits) as commands of a shell, which is quicker than another program.
 * Where processes are counted with everything else of the user they are left out. `full`: no file can be written to.
 */
export const script = (processes: boolean, full = false): string => {
  const hard = hardLimits()
  return wanted.filter(({ name }) => processes || name !== "Max processes").map(({ flags, name, unit = 1, value }) => {
    const most = full && name === "Max file size" ? 0 : value
    const limit = Math.floor(Math.min(most, hard.get(name) ?? most) / unit)
    return flags.map((flag) => `ulimit -${flag} ${limit} 2>/dev/null`).join(" || ")
  }).join("; ")
}

/** A command under these limits. */
export const prefix = (sh: string, full = false): ReadonlyArray<string> => [
  sh,
  "-c",
  `${script(false, full)}; exec "$@"`,
  "sandbox"
]

/** What that shell says of a program that does not exist. */
export const notFound = ({ code, stderr }: RunnerExit): Attribution | undefined => {
  const unknown = code === 127 ? /^sandbox: .*exec: (.+?): /m.exec(stderr) : null
  return unknown === null ? undefined : { kind: "not-found", note: `command not found: ${unknown[1]}` }
}
