import { Effect } from "effect"
import type { BackendService } from "./Backend.ts"
import { bare, type Report } from "../Confinement.ts"

export const nothing: BackendService = {
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
      runner: bare,
      report: nothing.offer(plan.mode, plan.network) as Report,
      afterwards: () => []
    })
}
