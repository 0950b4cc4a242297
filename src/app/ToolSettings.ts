import { Effect, Layer } from "effect"
import { LeakDetection } from "../security/LeakDetector.ts"
import { defaults, FetchAccess, RequestAccess } from "../tool/web/WebAccess.ts"
import { camel } from "./Camel.ts"
import { Settings } from "./Settings.ts"

/** What the configuration says to tools, and about what they say to models. */
export const layer = Layer.unwrap(Effect.map(Settings, ({ leakDetection, web, webSecrets }) =>
  Layer.mergeAll(
    Layer.effect(LeakDetection, Effect.map(LeakDetection, (usual) => ({ ...usual, ...camel(leakDetection) }))),
    Layer.succeed(FetchAccess, { ...defaults, ...camel(web.fetch) }),
    Layer.succeed(RequestAccess, {
      ...defaults,
      maxResponseSize: 1_000_000,
      ...camel(web.request),
      secrets: webSecrets
    })
  )))
