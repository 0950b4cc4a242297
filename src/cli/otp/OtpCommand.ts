import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import type { LiveSettings } from "../../config/LiveSettings.ts"
import type { Settings } from "../../config/Settings.ts"
import { lazily, settingsFlags, toggle, whileRead } from "../Flags.ts"
import type * as Otp from "./Otp.ts"

const onCodes = <A, E>(use: (otp: typeof Otp) => Effect.Effect<A, E, LiveSettings | Settings>) =>
  whileRead(Effect.flatMap(settingsFlags, (flags) =>
    lazily(
      () => Promise.all([import("./Otp.ts"), import("../../app/App.ts")]),
      ([otp, { layerBase }]) => Effect.provide(use(otp), layerBase(flags))
    )))

const code = Argument.String("code").pipe(Argument.withDescription("Six digits, as the authenticator shows them now"))

const enroll = Command.make("enroll", {}, () => onCodes((otp) => otp.enroll)).pipe(
  Command.withDescription("Make a secret and show it, as a QR code and as an address, for an authenticator app")
)

const verify = Command.make("verify", { code }, (given) => onCodes((otp) => otp.verify(given))).pipe(
  Command.withDescription("Check a code, which then counts no more")
)

const disable = Command.make("disable", { code }, (given) => onCodes((otp) => otp.disable(given))).pipe(
  Command.withDescription("Remove the secret; needs a code")
)

const status = Command.make(
  "status",
  { json: toggle("json", "As JSON") },
  (given) => onCodes((otp) => otp.status(given))
).pipe(Command.withDescription("Show whether a secret is enrolled, and what asks for a code"))

const approve = Command.make("approve", {
  id: Argument.String("id").pipe(Argument.withDescription("As the question shows it")),
  code
}, (given) => onCodes((otp) => otp.approve(given))).pipe(
  Command.withDescription("Give the code for a call that waits for it, from any terminal")
)

export const otp = Command.make("otp").pipe(
  Command.withSubcommands([enroll, verify, disable, status, approve]),
  Command.withDescription("One-time codes (RFC 6238) for the calls that [security.otp] names."),
  Command.withShortDescription("One-time codes for what is dangerous")
)
