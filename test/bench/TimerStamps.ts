import { writeFileSync } from "node:fs"

/**
 * Preloaded into an agent whose delays are measured: notes when each timer of `BENCH_PACE` milliseconds fires, the
 * moment at which a paced model has its next delta; writes them to `BENCH_STAMPS` at exit. The clock is shared.
 */

const { BENCH_PACE, BENCH_STAMPS } = process.env
const pace = Number(BENCH_PACE)
const stamps: Array<number> = []
const original = globalThis.setTimeout

type Callback = (...args: ReadonlyArray<unknown>) => void

const stamped = (callback: Callback, delay?: number, ...args: ReadonlyArray<unknown>) =>
  delay !== pace ? original(callback, delay, ...args) : original(() => {
    stamps.push(Number(process.hrtime.bigint()) / 1e6)
    callback(...args)
  }, delay)

globalThis.setTimeout = Object.defineProperties(stamped, Object.getOwnPropertyDescriptors(original)) as typeof original
process.on("exit", () => writeFileSync(BENCH_STAMPS!, JSON.stringify(stamps)))
