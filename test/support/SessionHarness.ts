import { Effect, Layer } from "effect"
import type { LiveSettings } from "../../src/config/LiveSettings.ts"
import { Settings } from "../../src/config/Settings.ts"
import { Agents } from "../../src/session/lifecycle/Agents.ts"
import type { Engine } from "../../src/session/Engine.ts"
import * as PromptContent from "../../src/session/turn/PromptContent.ts"
import { SessionManager } from "../../src/session/lifecycle/SessionManager.ts"
import * as Sqlite from "../../src/store/Sqlite.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { unconfined } from "./Bubblewrap.ts"
import { Script } from "./ScriptedLoop.ts"
import { suiteFolder } from "./SuiteFolder.ts"
import { breakable } from "./BreakableStore.ts"
import { layerSettings } from "./Settings.ts"

export const folder = suiteFolder

/** The real sessions over a database in memory, with a scripted turn loop and a store that can be told to fail. */
export const make = (
  variables: Readonly<Record<string, string>> = unconfined,
  { engine, file = Sqlite.memory }: {
    readonly engine?: Layer.Layer<Engine, never, LiveSettings | Settings>
    readonly file?: string
  } = {}
) => {
  const script = new Script()
  const home = folder()
  const broken = new Set<keyof SessionStore["Service"]>()
  const sqlite = Layer.orDie(Sqlite.layer(file))
  const settings = layerSettings({ configDir: home }, variables)
  const layer = SessionManager.layer.pipe(
    Layer.provideMerge(
      breakable(broken)(SessionStore.layerSql("The test store", "durable")).pipe(Layer.provideMerge(sqlite))
    ),
    Layer.provide(engine ?? script.layer),
    Layer.provideMerge(Agents.layer),
    Layer.provideMerge(settings)
  )
  return { script, broken, layer, home, folder }
}

export const newSession = Effect.fnUntraced(function*(cwd?: string, owner?: string) {
  const sessions = yield* SessionManager
  const agents = yield* Agents
  return yield* sessions.create({ agent: yield* agents.resolve(), cwd, owner, additionalDirectories: [] })
})

/** Starts a turn as the protocol layer does; the effect inside waits for its end. */
export const prompt = Effect.fnUntraced(function*(sessionId: string, text: string) {
  const sessions = yield* SessionManager
  const prepared = yield* PromptContent.prepare([{ type: "text", text }])
  return { end: yield* sessions.within(sessionId, (session) => session.begin(prepared)) }
})

/** An audit trail that keeps nothing. */
export const unrecorded = { audit: () => Effect.void, persist: Effect.void }

export const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: (error) => error._tag, onSuccess: () => "ok" })
