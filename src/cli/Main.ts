import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { run } from "./Cli.ts"

/** Everything but the fast path of `postern acp`. */
export const start = (): void => NodeRuntime.runMain(run(process.argv.slice(2)), { disableErrorReporting: true })
