import { Effect, Layer } from "effect"
import { SessionStore, StoreFailed } from "../../src/store/SessionStore.ts"

type Store = SessionStore["Service"]
type Operation = (...args: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>

/** The store of a layer; its operations named in `broken` fail while they are in there. */
export const breakable =
  (broken: ReadonlySet<string>) => <E, R>(layer: Layer.Layer<SessionStore, E, R>): Layer.Layer<SessionStore, E, R> =>
    Layer.effect(
      SessionStore,
      Effect.map(SessionStore, (store) =>
        new Proxy(store, {
          get: (target, name: keyof Store) => {
            const operation = target[name]
            if (typeof operation !== "function") return operation
            return (...args: ReadonlyArray<never>) =>
              Effect.suspend(() =>
                broken.has(name)
                  ? Effect.fail(new StoreFailed({ message: "The disk is full", cause: "test" }))
                  : (operation as Operation)(...args)
              )
          }
        }))
    ).pipe(Layer.provide(layer))
