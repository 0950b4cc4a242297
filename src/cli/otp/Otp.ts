import { Clock, Effect } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import * as OneTimeCodes from "../../security/OneTimeCodes.ts"
import { qrCode } from "../terminal/QrCode.ts"
import { orFail, print, table } from "../terminal/Output.ts"
import { json, oneLine } from "../terminal/Text.ts"

const make = Effect.zipWith(Settings, LiveSettings, (settings, { last }) => ({
  codes: OneTimeCodes.make(settings),
  otp: last().otp
}))

export const enroll = Effect.gen(function*() {
  const { codes, otp } = yield* make
  const address = yield* orFail(codes.enroll(otp))
  yield* print(`${qrCode(address, process.stdout.isTTY)}\n${address}\n\n`)
  yield* print("Scan it, or type the secret into an authenticator app; it is not shown again.\n")
  yield* print(
    otp.gates.enabled
      ? "Check it with: postern otp verify CODE\n"
      : "Nothing asks for a code yet: postern config set security.otp.enabled true\n"
  )
})

export const verify = Effect.fnUntraced(function*({ code }: { readonly code: string }) {
  const { codes, otp } = yield* make
  yield* orFail(codes.verify(code, otp))
  yield* print("The code is right.\n")
})

export const disable = Effect.fnUntraced(function*({ code }: { readonly code: string }) {
  const { codes, otp } = yield* make
  yield* orFail(codes.disable(code, otp))
  yield* print(
    otp.gates.enabled
      ? "The secret is removed. What takes a code is refused until another one is enrolled.\n"
      : "The secret is removed.\n"
  )
})

export const status = Effect.fnUntraced(function*(given: { readonly json: boolean }) {
  const { codes, otp: { gates: { actions, categories, domains, enabled }, cacheSecs, maxAttempts, method } } =
    yield* make
  const enrolled = codes.isEnrolled()
  const paused = yield* codes.pausedUntil
  if (given.json) {
    return yield* print(
      `${
        json({
          enrolled,
          enabled,
          method,
          gated_actions: actions,
          gated_domains: domains,
          gated_domain_categories: categories,
          paused_until: paused ?? null
        })
      }\n`
    )
  }
  const now = yield* Clock.currentTimeMillis
  yield* print(table(["ONE-TIME CODES", ""], [
    ["method", method],
    ["secret", enrolled ? "enrolled" : "none; postern otp enroll makes one"],
    ["asked for", enabled ? "yes" : "no; security.otp.enabled is false"],
    ["actions", actions.join(", ") || "none"],
    ["domains", oneLine([...domains, ...categories].join(", ")) || "none"],
    ["an approval counts for", `${cacheSecs} s in its session`],
    [
      "wrong codes in a row",
      paused === undefined ? `at most ${maxAttempts}` : `paused for ${Math.ceil((paused - now) / 1000)} s`
    ]
  ]))
})

export const approve = Effect.fnUntraced(function*({ code, id }: { readonly code: string; readonly id: string }) {
  const { codes, otp } = yield* make
  const what = yield* orFail(codes.approve(id, code, otp))
  yield* print(`Approved: ${oneLine(what)}\n`)
})
