import { Effect, Scope } from "effect"
import { networkInterfaces } from "node:os"
import { gatewayAddress } from "../../config/GatewayAddress.ts"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import type { GatewaySettings } from "../../config/Snapshot.ts"
import { PairedTokens, type TokensUnusable } from "../../security/PairedTokens.ts"
import { type PairedClient, Pairing } from "../../security/Pairing.ts"
import { PairingMethods } from "../protocol/DaemonContracts.ts"
import * as Errors from "../protocol/Errors.ts"
import { NativeConnection, type NativeState } from "../protocol/NativeConnection.ts"
import { operatorOnly } from "./Access.ts"

/** The methods `pairing/*`; see docs/native-rpc.md#pairing. */

/** Where clients of a gateway that serves every address find it. */
const addressesOf = (settings: GatewaySettings): ReadonlyArray<string> => {
  if (!["0.0.0.0", "::"].includes(settings.host)) return [gatewayAddress(settings)]
  const found = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ family, internal }) => !internal && family === "IPv4").map(({ address }) => address)
  )
  return [...found, "127.0.0.1"].map((address) => gatewayAddress(settings, address))
}

/** A token could have any right that the configuration gives: only who has all of them gives one away. */
const mayPair = operatorOnly("pair clients")

const unusable = ({ message }: TokensUnusable) => Errors.unavailable(message)

export const layer = PairingMethods.toLayer(Effect.gen(function*() {
  const pairing = yield* Pairing
  const tokens = yield* PairedTokens
  const { started: { gateway } } = yield* Settings
  const { current } = yield* LiveSettings
  /** The codes that each client opened. */
  const opened = new WeakMap<NativeState, Map<string, Effect.Effect<PairedClient>>>()

  return PairingMethods.of({
    "pairing/open": Effect.fnUntraced(function*({ user }) {
      yield* mayPair
      if (!gateway.enabled) {
        return yield* Errors.disabled(
          "The gateway is off: set gateway.enabled = true and reload the daemon",
          "gateway_disabled"
        )
      }
      if (typeof user === "string" && (yield* current).table.users?.[user] === undefined) {
        return yield* Errors.invalid(`user: there is no table [users.${user}]`, "user", "unknown")
      }
      const connection = yield* NativeConnection
      const { code, used } = yield* Scope.provide(pairing.open(user ?? undefined), connection.scope)
      const own = opened.get(connection) ?? new Map<string, Effect.Effect<PairedClient>>()
      opened.set(connection, own.set(code, used))
      return { code, addresses: addressesOf(gateway) }
    }),

    "pairing/wait": Effect.fnUntraced(function*({ code }) {
      yield* mayPair
      const used = opened.get(yield* NativeConnection)?.get(code)
      return used === undefined
        ? yield* Errors.invalid("code: this client has not opened it", "code", "unknown")
        : { ...yield* used }
    }),

    "pairing/revoke": Effect.fnUntraced(function*({ id }) {
      yield* mayPair
      return { revoked: yield* Effect.mapError(tokens.revoke(id), unusable) }
    })
  })
}))
