import { Effect } from "effect"
import { TerminalCapabilities } from "effect/cli"
import * as DoctorLayer from "../../app/DoctorLayer.ts"
import { Doctor } from "../../session/doctor/Doctor.ts"
import { failure } from "../Failure.ts"
import { paint as painter } from "../terminal/Style.ts"
import { json, oneLine } from "../terminal/Text.ts"
import { table } from "../terminal/Table.ts"

const print = (text: string) => Effect.sync(() => void process.stdout.write(text))

/** Fails where something does that Postern cannot work without. */
export const doctor = Effect.fnUntraced(function*(options: { readonly json: boolean }) {
  const findings = yield* Effect.provide(Doctor.use(({ run }) => run), DoctorLayer.layer)
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const paint = painter(canColor)
  const colour = { ok: paint.green, warn: paint.yellow, fail: paint.red }
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
