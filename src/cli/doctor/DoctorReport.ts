import { Effect } from "effect"
import { TerminalCapabilities } from "effect/cli"
import * as DoctorLayer from "../../app/DoctorLayer.ts"
import { Doctor } from "../../session/doctor/Doctor.ts"
import { failure } from "../Failure.ts"
import { json, oneLine } from "../terminal/Text.ts"
import { print, table, textStyles } from "../terminal/Output.ts"

/** Fails if a check fails that Postern cannot work without. */
export const doctor = Effect.fnUntraced(function*(options: { readonly json: boolean }) {
  const findings = yield* Effect.provide(Doctor.use(({ run }) => run), DoctorLayer.layer)
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const styles = textStyles(canColor)
  const colour = { ok: styles.green, warn: styles.yellow, fail: styles.red }
  yield* print(
    options.json
      ? findings.map((finding) => `${json(finding)}\n`).join("")
      : table(
        ["", "STATUS", "FOUND"],
        findings.map((
          { detail, name, remedy, status }
        ) => [
          name,
          colour[status](status),
          oneLine(remedy === undefined ? detail : `${detail}. ${remedy}`.replace("..", "."))
        ])
      )
  )
  const broken = findings.filter(({ status }) => status === "fail").map(({ name }) => name)
  if (broken.length > 0) return yield* failure(`something is missing: ${broken.join(", ")}`)
})
