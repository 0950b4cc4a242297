import { Effect, Layer } from "effect"
import { LeakDetection } from "../domain/secrets/LeakDetector.ts"
import { defaults, FetchAccess, RequestAccess, requestDefaults } from "../tool/web/WebAccess.ts"
import { LiveSettings } from "../config/LiveSettings.ts"

/** What the configuration says to tools, and about what they say to models. */
export const layer = Layer.unwrap(Effect.map(LiveSettings, ({ last }) =>
  Layer.mergeAll(
    Layer.effect(
      LeakDetection,
      Effect.map(LeakDetection, (usual) => () => ({ ...usual(), ...last().leakDetection }))
    ),
    Layer.succeed(FetchAccess, () => ({ ...defaults, ...last().web.fetch })),
    Layer.succeed(RequestAccess, () => ({
      ...requestDefaults,
      ...last().web.request,
      secrets: last().webSecrets
    }))
  )))
