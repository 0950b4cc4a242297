import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerPolicy } from "../../src/app/EngineLayer.ts"
import type { RiskProfile } from "../../src/config/Profiles.ts"
import * as EmergencyStop from "../../src/security/EmergencyStop.ts"
import { Gate } from "../../src/session/policy/Gate.ts"
import { resolve } from "../../src/domain/PolicySettings.ts"
import { limitsOf } from "../../src/policy/decision/Limits.ts"
import type { Rules } from "../../src/policy/decision/RuleFacts.ts"
import { policyFlagsOf } from "../../src/policy/decision/PolicyFlags.ts"
import { decodeCall } from "../../src/tool/Tool.ts"
import { Toolbox } from "../../src/tool/Toolbox.ts"
import * as Workspace from "../../src/workspace/Workspace.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"
import { layerSettings } from "../support/Settings.ts"

const stop = EmergencyStop.make(suiteFolder())
const noRules: Rules = { decide: () => undefined, mayHit: () => undefined, hidden: () => new Set() }

const base = suiteFolder()
for (const folder of ["project/src", "allowed/real", "secret", "agent"]) {
  mkdirSync(join(base, folder), { recursive: true })
}
writeFileSync(join(base, "project/src/a.ts"), "a")
symlinkSync(join(base, "project"), join(base, "named"))
symlinkSync(join(base, "allowed/real"), join(base, "link"))
symlinkSync(join(base, "secret"), join(base, "project/leak"))
symlinkSync(join(base, "agent"), join(base, "agentlink"))

const risk = (more: Partial<RiskProfile> = {}): RiskProfile => ({ level: "supervised", ...more })

/** What the gate says of a call; `run`, `ask`, or the code of a refusal. */
const gated = Effect.fnUntraced(function*(tool: string, parameters: unknown, profile: RiskProfile) {
  const gate = yield* Gate
  const { tools } = yield* Toolbox
  const workspace = yield* Workspace.make({
    cwd: join(base, "named"),
    readable: [join(base, "agentlink")],
    allowed: profile.allowedRoots ?? [],
    confined: profile.workspaceOnly ?? profile.level !== "full"
  })
  const call = yield* Effect.fromResult(yield* decodeCall(tools, tool, parameters, "/"))
  const settings = resolve(profile.level, { session: { tool_approval: "universal_accept" }, project: {}, user: {} })
  const policy = { settings, limits: limitsOf(profile), rules: noRules, flags: policyFlagsOf({}), stop }
  const { code, gate: by, outcome } = gate.explain(call.tool, call.parameters, workspace, policy)
  return { workspace, said: outcome === "deny" ? `${by} ${code}` : outcome }
})

const layer = layerPolicy.pipe(Layer.provide(layerSettings({ configDir: join(base, "config") }, {})))

const allowedRoots = [`${base}/link/`, "~/never/there/"]

/** Path, whether it may be read, whether it may be written. */
const paths: ReadonlyArray<readonly [string, boolean, boolean]> = [
  ["src/a.ts", true, true],
  ["./new/deep/b.ts", true, true],
  [`${base}/project/src/a.ts`, true, true],
  [`${base}/named/src/a.ts`, true, true],
  [`${base}/link/x`, true, true],
  [`${base}/link/`, true, false],
  [`${base}/allowed/real/x`, true, true],
  [`${base}/allowed/x`, false, false],
  ["~/never/there/x", true, true],
  [`${base}/agent/notes.md`, true, false],
  [`${base}/agentlink/notes.md`, true, false],
  [`${base}/secret/x`, false, false],
  ["leak/x", false, false],
  ["a\0b", false, false],
  ["..%2fx", false, false],
  ["src/%2e%2e/x", false, false],
  ["../x", false, false],
  ["src/../x", false, false],
  ["~root/x", false, false],
  ["~nobody", false, false],
  [" ", false, false],
  ["/dev/null", true, true],
  ["/dev/zero", true, false],
  ["/dev/tty", false, false]
]

describe("The gate and the workspace agree on", () => {
  for (const [path, reads, writes] of paths) {
    it.effect(`${JSON.stringify(path.replace(base, ""))}: ${reads ? "read" : "not read"}, ${writes ? "written" : "not written"}`, () =>
      Effect.gen(function*() {
        const tries = [["file_read", { path }, "read", reads], [
          "file_write",
          { path, content: "x" },
          "write",
          writes
        ]] as const
        for (const [tool, parameters, intent, may] of tries) {
          const { said, workspace } = yield* gated(tool, parameters, risk({ allowedRoots }))
          // A link itself is no place to write to; only the workspace looks at the last name of a path.
          const found = yield* Effect.isSuccess(workspace.resolve(path, intent))
          assert.strictEqual(found, may, `workspace, ${intent}`)
          if (path !== `${base}/link/` || intent === "read") {
            assert.strictEqual(!said.startsWith("boundary"), may, `gate, ${intent}: ${said}`)
          }
        }
      }).pipe(Effect.provide(layer)))
  }
})

describe("A path rule holds", () => {
  const forbidding = (...forbiddenPaths: ReadonlyArray<string>) => risk({ level: "full", forbiddenPaths })
  const cases: ReadonlyArray<readonly [string, string, object, RiskProfile, string]> = [
    [
      "with a slash at its end",
      "file_read",
      { path: `${base}/secret` },
      forbidding(`${base}/secret/`),
      "boundary PATH_FORBIDDEN"
    ],
    [
      "for the folder that a link leads to",
      "file_read",
      { path: `${base}/allowed/real/x` },
      forbidding(`${base}/link`),
      "boundary PATH_FORBIDDEN"
    ],
    [
      "through a link that leads into it",
      "file_read",
      { path: "leak/x" },
      forbidding(`${base}/secret`),
      "boundary PATH_FORBIDDEN"
    ],
    [
      "for the home of another user as the shell spells it",
      "shell",
      { command: "cat ~root/x" },
      forbidding("/root"),
      "boundary PATH_FORBIDDEN"
    ],
    [
      "behind a link that `..` would seem to take back",
      "shell",
      { command: "cat leak/../secret/x" },
      forbidding(`${base}/secret`),
      "boundary PATH_FORBIDDEN"
    ],
    [
      "for a path that has no folder in front",
      "shell",
      { command: "cat leak/x" },
      forbidding(`${base}/secret`),
      "boundary PATH_FORBIDDEN"
    ],
    [
      "for a file without any slash",
      "shell",
      { command: "cd leak; cat x" },
      forbidding(`${base}/secret`),
      "boundary PATH_FORBIDDEN"
    ],
    [
      "in the folder that a cd leads to",
      "shell",
      { command: "cd .. && cat ./secret/x" },
      forbidding(`${base}/secret`),
      "boundary PATH_FORBIDDEN"
    ],
    [
      "not for an address",
      "shell",
      { command: "echo https://example.com/secret" },
      forbidding(`${base}/project/https:`),
      "run"
    ],
    [
      "not for a neighbour of the same beginning",
      "file_read",
      { path: `${base}/secrets` },
      forbidding(`${base}/secret`),
      "run"
    ]
  ]
  for (const [name, tool, parameters, profile, expected] of cases) {
    it.effect(name, () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* gated(tool, parameters, profile)).said, expected)
      }).pipe(Effect.provide(layer)))
  }
})
