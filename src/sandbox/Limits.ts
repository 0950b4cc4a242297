import * as Disk from "./Disk.ts"

/** The host's own hard limits: nobody may ask for more, and asking for more would fail the command. */
const hardLimits = (): ReadonlyMap<string, number> =>
  new Map((Disk.text("/proc/self/limits") ?? "").split("\n").flatMap((line) => {
    const found = /^(Max [a-z ]+?)\s{2,}\S+\s+(\S+)/.exec(line)
    return found === null ? [] : [[found[1]!, found[2] === "unlimited" ? Number.POSITIVE_INFINITY : Number(found[2])] as const]
  }))

const wanted = [
  { option: "--nproc", ulimit: ["u", "p"], name: "Max processes", value: 512 },
  { option: "--nofile", ulimit: ["n"], name: "Max open files", value: 4096 },
  { option: "--core", ulimit: ["c"], name: "Max core file size", value: 0 },
  { option: "--fsize", ulimit: ["f"], name: "Max file size", value: 4 * 1024 ** 3 }
]

const allowed = (processes: boolean) => {
  const hard = hardLimits()
  return wanted.filter(({ option }) => processes || option !== "--nproc")
    .map(({ name, option, ulimit, value }) => ({ option, ulimit, value: Math.min(value, hard.get(name) ?? value) }))
}

/** Puts a command under resource limits (spec §6); nothing where the program for it is missing. The user's other processes count too. */
export const prefix = (prlimit: string | undefined): ReadonlyArray<string> =>
  prlimit === undefined ? [] : [prlimit, ...allowed(false).map(({ option, value }) => `${option}=${value}`), "--"]

/** The same for a shell on its way to the command: it saves a start. Shells differ in what they call the number of processes. */
export const script = (): string =>
  allowed(true).map(({ ulimit, value }) => ulimit.map((flag) => `ulimit -${flag} ${flag === "f" ? Math.ceil(value / 512) : value} 2>/dev/null`).join(" || ")).join("; ")
