import { Effect, Layer } from "effect"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { EffectiveSandbox } from "../../src/domain/PolicySettings.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { Processes } from "../../src/sandbox/process/Processes.ts"
import { median } from "./Statistics.ts"

export interface SpawnCost {
  readonly backend: string
  readonly mode: EffectiveSandbox
  readonly network: boolean
  /** Median milliseconds from the decision to the end of a program that does nothing, over those of an unconfined one. */
  readonly addedMs: number
}

const rounds = 40
const warmUp = 5

const env = { PATH: "/usr/bin:/bin", HOME: tmpdir() }

const measure = Effect.fnUntraced(function*(work: string, modes?: ReadonlyArray<EffectiveSandbox>) {
  const sandbox = yield* Sandbox
  const processes = yield* Processes
  const usable = sandbox.check().filter(({ mode, report, usable }) =>
    usable && report?.backend !== "none" && modes?.includes(mode) !== false
  )
  const cases = [{ mode: "danger-full-access", network: true } as const, ...usable]
  const times = cases.map((): Array<number> => [])
  for (let round = -warmUp; round < rounds; round++) {
    for (const [index, { mode, network }] of cases.entries()) {
      const start = performance.now()
      yield* Effect.scoped(Effect.gen(function*() {
        // As around each call of a session that may write.
        const look = mode === "workspace-write" ? sandbox.protection([work]) : Effect.undefined
        const protection = yield* look
        const request = { mode, network, cwd: work, roots: [work], env }
        const confined = yield* sandbox.confine(
          ["/bin/true"],
          protection === undefined ? request : { ...request, protection }
        )
        yield* processes.run({ ...confined, timeout: "10 seconds", onOutput: () => undefined })
        yield* look
      }))
      if (round >= 0) times[index]!.push(performance.now() - start)
    }
  }
  const plain = median(times[0]!)
  return usable.map(({ mode, network, report }, index): SpawnCost => ({
    backend: report?.backend ?? "none",
    mode,
    network,
    addedMs: median(times[index + 1]!) - plain
  }))
})

const inFolder = async <A>(use: (work: string, layer: Layer.Layer<Sandbox | Processes>) => Promise<A>): Promise<A> => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "postern-spawn-")))
  const [home, work] = [join(base, "home"), join(base, "work")]
  for (
    const folder of [
      join(home, ".ssh"),
      join(home, ".aws"),
      join(home, ".postern", "data"),
      join(work, ".git", "hooks")
    ]
  ) mkdirSync(folder, { recursive: true })
  for (
    const file of [join(home, ".netrc"), join(home, ".npmrc"), join(work, ".git", "config"), join(work, ".mcp.json")]
  ) writeFileSync(file, "")
  const own = { configDir: join(home, ".postern"), dataDir: join(home, ".postern", "data") }
  try {
    return await use(work, Layer.merge(Sandbox.layer({ own, home }), Processes.layer))
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

/** What each mode adds to a spawn on this machine; interleaved, in a repository with what is protected in it. Empty without a backend. */
export const spawnCosts = (): Promise<ReadonlyArray<SpawnCost>> =>
  inFolder((work, layer) => Effect.runPromise(Effect.provide(measure(work), layer)))

/** The same for commands that write in a workspace of 50,000 files in 5,000 folders, with twenty repositories further down. */
export const spawnCostsInLargeWorkspace = (): Promise<ReadonlyArray<SpawnCost>> =>
  inFolder((work, layer) => {
    for (let number = 0; number < 5000; number++) {
      const folder = join(work, `part${number % 50}`, `group${number % 10}`, `module${number}`)
      mkdirSync(folder, { recursive: true })
      for (let file = 0; file < 10; file++) writeFileSync(join(folder, `${file}.ts`), "")
      if (number >= 20) continue
      for (const name of ["hooks", "info", "objects", "refs"]) {
        mkdirSync(join(folder, ".git", name), { recursive: true })
      }
      writeFileSync(join(folder, ".git", "config"), "[core]\n\trepositoryformatversion = 0\n")
      writeFileSync(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n")
    }
    return Effect.runPromise(Effect.provide(measure(work, ["workspace-write"]), layer))
  })
