import { Effect } from "effect"
import type { SandboxBackend } from "./Backend.ts"
import { type EnforcementReport, plainRunner } from "../Confinement.ts"

export const nothing: SandboxBackend = {
  name: "none",
  offer: (mode, network) => ({
    backend: "none",
    mode,
    network,
    files: "none",
    net: "none",
    processes: "none",
    notes: ["nothing is confined"]
  }),
  confine: (plan, { argv, env }) =>
    Effect.succeed({
      argv,
      env,
      cwd: plan.cwd,
      runner: plainRunner,
      report: nothing.offer(plan.mode, plan.network) as EnforcementReport,
      afterwards: () => []
    })
}
