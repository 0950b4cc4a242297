import { Effect } from "effect"
import { gatewayAddress } from "../../config/GatewayAddress.ts"
import { Settings } from "../../config/Settings.ts"

/** How this machine reaches a gateway that serves every address. */
const here: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }

/** The address of the gateway that the configuration describes. */
export const configuredUrl = (configDir: string | undefined): Promise<string> =>
  Effect.runPromise(
    Effect.map(Settings.load({ configDir }), ({ started: { gateway } }) => gatewayAddress(gateway, here[gateway.host]))
  )
