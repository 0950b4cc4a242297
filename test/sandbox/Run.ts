import { Effect, Layer, type Scope } from "effect"
import type { EffectiveSandbox } from "../../src/domain/PolicySettings.ts"
import type { EnforcementReport, SandboxUnavailable } from "../../src/sandbox/Confinement.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import type { PrivateTmp } from "../../src/sandbox/Confinement.ts"
import * as ProtectedPaths from "../../src/sandbox/plan/ProtectedPaths.ts"
import type { Protection } from "../../src/sandbox/plan/Protection.ts"
import { Environment, type EnvironmentVariables } from "../../src/platform/Environment.ts"
import {
  type ProcessCommand,
  Processes,
  type ProcessExit,
  type SpawnFailed
} from "../../src/sandbox/process/Processes.ts"
import type { Fixture, Who } from "./Fixture.ts"

export const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

export const layer = (
  fixture: Pick<Fixture, "own" | "home">,
  options: Partial<Sandbox.SandboxOptions> = {},
  PATH = path,
  variables: EnvironmentVariables = {}
) =>
  Layer.merge(Sandbox.Sandbox.layer({ own: fixture.own, home: fixture.home, ...options }), Processes.layer).pipe(
    Layer.provide(Layer.succeed(Environment, { ...variables, PATH }))
  )

export interface Ran {
  readonly ended: ProcessExit
  readonly output: string
  readonly report: EnforcementReport
  /** What became of protected paths. */
  readonly warnings: ReadonlyArray<string>
}

export interface Options {
  readonly who?: Who
  readonly masks?: ReadonlyArray<string>
  readonly visible?: ReadonlyArray<string>
  readonly readable?: ReadonlyArray<string>
  /** Besides `work`. */
  readonly roots?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly timeout?: ProcessCommand["timeout"]
  readonly onOutput?: (text: string) => void
  readonly cwd?: string
  readonly temporary?: PrivateTmp
}

/** A bash script in a workspace, confined. */
export const bash = Effect.fnUntraced(function*(
  script: string,
  work: string,
  mode: EffectiveSandbox,
  network: boolean,
  options: Options = {}
): Effect.fn.Return<Ran, SandboxUnavailable | SpawnFailed, Sandbox.Sandbox | Processes | Scope.Scope> {
  const sandbox = yield* Sandbox.Sandbox
  const processes = yield* Processes
  const roots = [work, ...options.roots ?? []]
  const look = mode === "workspace-write" ? sandbox.protection(roots) : Effect.undefined
  const stateOf = (seen: Protection | undefined) => seen === undefined ? new Map() : ProtectedPaths.stateOf(seen.found)
  const protection = yield* look
  const before = stateOf(protection)
  const confined = yield* sandbox.confine(["/bin/bash", "--noprofile", "--norc", "-c", script], {
    mode,
    network,
    cwd: options.cwd ?? work,
    roots,
    ...(protection === undefined ? {} : { protection }),
    env: { PATH: path, HOME: "/nowhere", ...options.env },
    ...(options.masks && { masks: options.masks }),
    ...(options.visible && { visible: options.visible }),
    ...(options.readable && { readable: options.readable }),
    ...(options.temporary && { temporary: options.temporary })
  })
  let output = ""
  const argv: ReadonlyArray<string> = [...options.who?.prefix ?? [], ...confined.argv]
  const ended = yield* processes.run({
    ...confined,
    argv: [argv[0]!, ...argv.slice(1)],
    timeout: options.timeout ?? "20 seconds",
    onOutput: (chunk) => {
      output += chunk.toString()
      options.onOutput?.(output)
    }
  })
  return { ended, output, report: confined.report, warnings: ProtectedPaths.changes(before, stateOf(yield* look)) }
})
