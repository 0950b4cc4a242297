import { Effect } from "effect"
import type { BackendService } from "./Backends.ts"
import { bare, type Report } from "./Confinement.ts"

/** The backend that confines nothing, whatever the mode: only for where the operator and the session both ask for it. */
export const unconfined = "unconfined"

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
