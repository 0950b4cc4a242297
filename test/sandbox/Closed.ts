import { Effect, Result } from "effect"
import { join } from "node:path"
import * as DeniedPaths from "../../src/policy/rules/DeniedPaths.ts"
import { parse } from "../../src/policy/rules/Rule.ts"
import { ruleEntry } from "../../src/policy/rules/RuleSet.ts"
import { tools } from "../policy/rules/Ruled.ts"
import * as Run from "./Run.ts"

/** A host of its own, of an ordinary user: what one command closed, another one opens. */
const [work, home] = process.argv.slice(2) as [string, string]
const own = { configDir: join(home, ".postern"), dataDir: join(home, ".postern", "data") }
const rule = ruleEntry("user", "deny", Result.getOrThrow(parse("read(.env)", { list: "deny", tools })))

const script = "chmod 700 sub .git; cat sub/.env; echo x > .git/hooks/new; echo end"

await Effect.runPromise(Effect.scoped(
  Effect.gen(function*() {
    const { hidden } = yield* DeniedPaths.of([rule], { cwd: work, roots: [work], home })
    const { output } = yield* Run.bash(script, work, "workspace-write", false, { masks: hidden })
    console.log(output)
  }).pipe(Effect.provide(Run.layer({ home, own })))
))
