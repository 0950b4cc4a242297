import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Runtime } from "effect"
import * as Signals from "../platform/Signals.ts"
import { run } from "./Cli.ts"

/** Everything but the fast path of `postern acp`. */
export const start = (): void => {
  const signalled = Signals.watch()
  NodeRuntime.runMain(run(process.argv.slice(2)), {
    disableErrorReporting: true,
    teardown: (exit, onExit) => Runtime.defaultTeardown(exit, (code) => onExit(signalled() ?? code))
  })
}
