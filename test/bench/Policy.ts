import { Effect, Layer, Result } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layerPolicy } from "../../src/app/EngineLayer.ts"
import * as EmergencyStop from "../../src/security/EmergencyStop.ts"
import { Gate } from "../../src/session/policy/Gate.ts"
import { resolve } from "../../src/domain/PolicySettings.ts"
import { limitsOf } from "../../src/policy/decision/Limits.ts"
import { RuleBooks } from "../../src/policy/rules/source/RuleBooks.ts"
import { policyFlagsOf } from "../../src/policy/decision/PolicyFlags.ts"
import { decodeCall } from "../../src/tool/Tool.ts"
import { Toolbox } from "../../src/tool/Toolbox.ts"
import * as Workspace from "../../src/workspace/Workspace.ts"
import { median } from "./Statistics.ts"
import { layerSettings } from "../support/Settings.ts"

/** What agents run all day. */
const commands = [
  "ls -la src",
  "git status",
  "git diff --stat HEAD~1",
  "npm test",
  "npm run build && npm test -- --run test/a.test.ts",
  "cat package.json | head -40",
  "rg -n 'TODO' src --glob '*.ts'",
  "cd packages/a && npx tsc -p . --noEmit",
  "sed -n '1,80p' src/main.ts",
  "mkdir -p out && cp README.md out/",
  "NODE_ENV=test node scripts/check.js > out/check.log 2>&1",
  "for f in src/*.ts; do wc -l \"$f\"; done",
  "git add -A && git commit -m 'Fix the parser'",
  "python3 -m pytest -q tests/test_api.py",
  "find . -name '*.md' -not -path './node_modules/*'",
  "curl -sS https://example.com/status.json | jq .state"
]

const config = `[policy.rules]
deny = ["shell(rm -rf *)", "shell(git push ** --force **)", "read(~/.ssh/**)", "write(.git/hooks/**)", "shell(sudo **)"]
ask = ["shell(git push **)", "shell(** --force **)", "fetch(*.internal)"]
allow = ["shell(npm test *)", "shell(npm run build *)", "shell(git status *)", "write(./src/**)", "shell(rg *)"]
`

const rounds = 1000

const measure = Effect.fnUntraced(function*(cwd: string) {
  const { tools } = yield* Toolbox
  const gate = yield* Gate
  const books = yield* RuleBooks
  const workspace = yield* Workspace.make({ cwd })
  const knobs = resolve("supervised", { session: {}, project: {}, user: {} })
  const limits = limitsOf(undefined)
  const stop = EmergencyStop.make(cwd)
  const source = {
    workspace,
    riskProfile: "default",
    profile: undefined,
    userRules: knobs.values.user_rules,
    session: []
  }
  const micros: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    for (const command of commands) {
      const call = yield* decodeCall(tools, "shell", { command }, "/")
      if (Result.isFailure(call)) continue
      const start = performance.now()
      const { rules } = yield* books.load(source)
      gate.decide(call.success.tool, call.success.parameters, workspace, {
        settings: knobs,
        limits,
        rules,
        flags: policyFlagsOf({}),
        stop
      })
      if (round >= rounds / 3) micros.push((performance.now() - start) * 1000)
    }
  }
  return median(micros)
})

/** Median microseconds of one decision about an ordinary shell command, from the lookup of the rules to the trace. */
export const decisionMicros = async (): Promise<number> => {
  const home = mkdtempSync(join(tmpdir(), "postern-policy-"))
  const cwd = join(home, "project")
  mkdirSync(join(cwd, "src"), { recursive: true })
  mkdirSync(join(home, "config"))
  writeFileSync(join(home, "config", "config.toml"), config)
  const settings = layerSettings({ configDir: join(home, "config") }, { HOME: home })
  const layer = Layer.provideMerge(layerPolicy, settings)
  try {
    return await Effect.runPromise(Effect.provide(measure(cwd), layer))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
