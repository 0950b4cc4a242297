import { Effect } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import type { RpcFault } from "../../rpc/Wire.ts"
import * as OneTimeCodes from "../../security/OneTimeCodes.ts"
import { OneTimeCodeMethods } from "../protocol/DaemonContracts.ts"
import * as Errors from "../protocol/Errors.ts"

/** `field`: the parameter that is wrong where the code is right. */
export const codeFault = (field: string) => ({ message, reason }: OneTimeCodes.CodeRefused): RpcFault =>
  reason === "unusable"
    ? Errors.unavailable(message)
    : Errors.invalid(message, reason === "unknown" ? field : "code", reason)

/** The methods `otp/*`; see docs/native-rpc.md#one-time-codes. */
export const layer = OneTimeCodeMethods.toLayer(Effect.gen(function*() {
  const codes = OneTimeCodes.make(yield* Settings)
  const { current } = yield* LiveSettings

  return OneTimeCodeMethods.of({
    "otp/approve": Effect.fnUntraced(function*({ code, id }) {
      const { otp } = yield* current
      const what = yield* Effect.mapError(codes.approve(id, code, otp), codeFault("id"))
      return { approved: true, what }
    })
  })
}))
