import { Context, Effect, Layer } from "effect"
import { ModelCatalog } from "../../model/ModelCatalog.ts"
import { SessionStore } from "../../store/SessionStore.ts"
import { Sessions } from "./Sessions.ts"
import type { SessionQuota } from "./Setup.ts"
import type { Mode } from "../SessionContext.ts"

/** Sessions of one mode: they have a store of their own, so that the same id means two different sessions in two modes. */
export interface Host {
  readonly mode: Mode
  readonly sessions: Sessions["Service"]
  readonly store: SessionStore["Service"]
}

/** Chat and ACP sessions of a long-running process, which share one limit and are never put away for being idle (zeroclaw §1.7). */
export class Hosts extends Context.Service<Hosts, {
  readonly chat: Host
  readonly acp: Host
  readonly room: SessionQuota
}>()("postern/session/Hosts") {
  static readonly layer = (limit: () => number, stores: { readonly [M in Mode]: Layer.Layer<SessionStore> }) =>
    Layer.effect(
      Hosts,
      Effect.gen(function*() {
        const room: SessionQuota = { limit, taken: 0 }
        const host = Effect.fnUntraced(function*(mode: Mode) {
          const store = Context.get(yield* Layer.build(Layer.fresh(stores[mode])), SessionStore)
          const sessions = yield* Effect.provideService(
            Sessions.make({ mode, room, keepIdle: true }),
            SessionStore,
            store
          )
          return { mode, sessions, store } satisfies Host
        })
        return { chat: yield* host("chat"), acp: yield* host("acp"), room }
      })
    ).pipe(Layer.provideMerge(ModelCatalog.layer))
}
