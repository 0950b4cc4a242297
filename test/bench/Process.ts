import { readdirSync, readFileSync } from "node:fs"

/** What the kernel says about a process (Linux). */

export const readable = process.platform === "linux"

/** Resident memory in MiB. `smaps_rollup` is exact; the counters in `stat` may lag by some pages per thread. */
export const residentMiB = (pid: number): number => {
  const kib = /^Rss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"))?.[1]
  if (kib === undefined) throw new Error(`no resident memory for process ${pid}`)
  return Number(kib) / 1024
}

/** Milliseconds on a processor so far, all threads. `utime` and `stime` would count in steps of 10 ms. */
export const cpuMillis = (pid: number): number => {
  let nanos = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    nanos += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ")[0])
  }
  return nanos / 1e6
}
