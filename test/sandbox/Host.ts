import { Effect } from "effect"
import { join } from "node:path"
import * as Run from "./Run.ts"

/** A host of its own, to be killed: one confined command with a daemon, both known by a marker. */
const [work, home, marker] = process.argv.slice(2) as [string, string, string]
const own = { configDir: join(home, ".postern"), dataDir: join(home, ".postern", "data") }

await Effect.runPromise(Effect.scoped(
  Effect.provide(
    Run.bash(`setsid sleep ${marker} & sleep ${marker}`, work, "workspace-write", false),
    Run.layer({ home, own })
  )
))
