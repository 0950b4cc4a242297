import { Effect } from "effect"
import { Command } from "effect/cli"
import { lazily, settingsFlags, toggle, whileRead } from "../Flags.ts"

export const doctor = Command.make(
  "doctor",
  { json: toggle("json", "One JSON object a line") },
  (given) =>
    whileRead(Effect.flatMap(settingsFlags, (flags) =>
      lazily(
        () => Promise.all([import("./DoctorReport.ts"), import("../../app/App.ts")]),
        ([{ doctor }, { layerBase }]) => Effect.provide(doctor(given), layerBase(flags))
      )))
).pipe(
  Command.withDescription(
    "Check the configuration, the agent's model, the stored sessions, the sandbox and the programs that Postern uses, and report what is missing."
  ),
  Command.withShortDescription("What works on this machine, and what is missing")
)
