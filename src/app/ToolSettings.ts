import { Effect, Layer } from "effect"
import { defaults, FetchAccess, RequestAccess } from "../tool/web/WebAccess.ts"
import { camel } from "./Camel.ts"
import { Settings } from "./Settings.ts"

/** What the configuration says to tools. */
export const layer = Layer.unwrap(Effect.map(Settings, ({ web, webSecrets }) =>
  Layer.mergeAll(
    Layer.succeed(FetchAccess, { ...defaults, ...camel(web.fetch) }),
    Layer.succeed(RequestAccess, { ...defaults, maxResponseSize: 1_000_000, ...camel(web.request), secrets: webSecrets })
  )))
