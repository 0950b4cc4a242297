import * as Disk from "./Disk.ts"

/** The host's own hard limits: nobody may ask for more, and asking for more would fail the command. */
const hardLimits = (): ReadonlyMap<string, number> =>
  new Map((Disk.text("/proc/self/limits") ?? "").split("\n").flatMap((line) => {
    const found = /^(Max [a-z ]+?)\s{2,}\S+\s+(\S+)/.exec(line)
    return found === null ? [] : [[found[1]!, found[2] === "unlimited" ? Number.POSITIVE_INFINITY : Number(found[2])] as const]
  }))

const wanted = [
  { option: "--nproc", name: "Max processes", value: 512 },
  { option: "--nofile", name: "Max open files", value: 4096 },
  { option: "--core", name: "Max core file size", value: 0 },
  { option: "--fsize", name: "Max file size", value: 4 * 1024 ** 3 }
]

/** Puts a command under resource limits (spec §6); nothing where the program for it is missing. */
export const prefix = (prlimit: string | undefined, processes = true): ReadonlyArray<string> => {
  if (prlimit === undefined) return []
  const hard = hardLimits()
  const options = wanted.filter(({ option }) => processes || option !== "--nproc")
    .map(({ name, option, value }) => `${option}=${Math.min(value, hard.get(name) ?? value)}`)
  return [prlimit, ...options, "--"]
}
