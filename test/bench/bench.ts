import { availableParallelism, cpus, loadavg } from "node:os"
import { parseArgs } from "node:util"
import { rows, Samples } from "./Figures.ts"
import * as Measures from "./Measures.ts"
import { decisionMicros } from "./Policy.ts"
import * as Process from "./Process.ts"
import { spawnCosts, spawnCostsInLargeWorkspace } from "./Sandbox.ts"
import { type Name, names, Subjects } from "./Subjects.ts"
import { render } from "./Table.ts"

/** `npm run bench [-- --runs N --quick --json]`: the figures of docs/development.md#figures, Postern as built and floor agent in turns. */

const { values: options } = parseArgs({
  options: {
    runs: { type: "string" },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false }
  }
})
const runs = Number(options.runs ?? (options.quick ? 2 : 5))
if (!Number.isInteger(runs) || runs < 1) throw new Error("--runs takes a whole number from 1 on")

const size: Measures.Size = options.quick
  ? { warmUp: 20, turns: 20, paced: 50 }
  : { warmUp: 50, turns: 50, paced: 200 }

interface Stage {
  readonly title: string
  readonly measure: Measures.Measure
  readonly times: number
  readonly names?: ReadonlyArray<Name>
}

const both: ReadonlyArray<Name> = ["postern", "floor"]
const stages: ReadonlyArray<Stage> = [
  { title: "cold start", measure: Measures.start, times: runs * 4, names },
  { title: "turns", measure: Measures.turns, times: runs },
  { title: "streams", measure: Measures.stream, times: runs * 2 },
  { title: "turns over HTTP", measure: Measures.modelTurns, times: runs },
  { title: "first turn over HTTP", measure: Measures.firstModelTurn, times: runs },
  { title: "streams over HTTP", measure: Measures.modelStream, times: runs * 2 },
  { title: "paced deltas", measure: Measures.delay, times: runs },
  { title: "memory", measure: Measures.memory, times: Process.readable ? Math.min(runs, 3) : 0, names }
]

const load = () => loadavg()[0]!.toFixed(1)
const samples = new Samples()
const failures = new Set<string>()
const loadBefore = load()

{
  await using subjects = await Subjects.make()
  // Fills the compile cache and makes the database, as any earlier start of an editor has.
  for (const name of names) for (let i = 0; i < 2; i++) await Measures.start(subjects, name, new Samples(), size)
  for (const { measure, names = both, times, title } of stages) {
    for (let i = 0; i < times; i++) {
      process.stderr.write(`${title} ${i + 1}/${times} (load ${load()})\n`)
      for (const name of i % 2 === 0 ? names : names.toReversed()) {
        try {
          await measure(subjects, name, samples, size)
        } catch (error) {
          failures.add(`${title}, ${name}: ${String(error)}`)
          await subjects.clear()
        }
      }
    }
  }
}

process.stderr.write(`policy decisions (load ${load()})\n`)
for (let i = 0; i < runs; i++) samples.add("policy", "postern", (await decisionMicros()) / 1000)
process.stderr.write(`sandbox (load ${load()})\n`)
for (const { addedMs, backend, mode, network } of await spawnCosts()) {
  const key = backend === "landlock" ? "landlock" : "sandbox"
  if (mode === "workspace-write" && network) samples.add(key, "postern", addedMs)
}
for (const { addedMs, backend, network } of await spawnCostsInLargeWorkspace()) {
  if (network && backend === "bubblewrap") samples.add("sandboxLarge", "postern", addedMs)
}

const table = rows(samples)
const processor = `${availableParallelism()} × ${cpus()[0]?.model ?? "processor"}`
const machine = `Node ${process.versions.node}, ${processor}, load ${loadBefore} → ${load()}, ${runs} runs`
const json = () => JSON.stringify({ machine, rows: table, failures: [...failures] }, null, 2)
process.stdout.write(options.json ? `${json()}\n` : `${machine}\n\n${render(table)}\n`)
for (const failure of failures) process.stderr.write(`${failure}\n`)
if (failures.size > 0) process.exitCode = 1
