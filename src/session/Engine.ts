import { Context, Effect, Fiber, Layer } from "effect"
import { none, type SessionTools, type ToolHost, ToolSource } from "../tool/SessionTools.ts"
import { PolicyService } from "./policy/PolicyService.ts"
import { TurnLoop } from "./turn/TurnLoop.ts"

/** Turns and policy, with their models, tools, parser and rules: the half of a process that takes long to load. */
export type Engine = TurnLoop | PolicyService

/** Loads the engine when it is first needed, so that a client's first answers do not wait for it. */
export const lazy = <E, R>(load: Effect.Effect<Layer.Layer<Engine, E, R>>): Layer.Layer<Engine, never, R> =>
  Layer.effectContext(Effect.gen(function*() {
    const scope = yield* Effect.scope
    const services = yield* Effect.context<R>()
    let ready: Effect.Effect<Context.Context<Engine>> = Effect.suspend(() => Effect.delay(engine, "5 millis"))
    const engine: Effect.Effect<Context.Context<Engine>> = yield* load.pipe(
      Effect.flatMap((layer) => Layer.buildWithScope(layer, scope)),
      Effect.orDie,
      Effect.provide(services),
      Effect.uninterruptible,
      Effect.tap((built) =>
        Effect.sync(() => {
          ready = Effect.succeed(built)
        })
      ),
      Effect.cached
    )
    const policy = <A, E>(use: (service: PolicyService["Service"]) => Effect.Effect<A, E>) =>
      Effect.flatMap(engine, (built) => use(Context.get(built, PolicyService)))
    const open = Effect.fnUntraced(function*(host: ToolHost) {
      let opened: SessionTools = none
      const source = Effect.map(ready, (built) => Context.get(built, ToolSource))
      const opening = yield* Effect.forkScoped(
        Effect.tap(Effect.flatMap(source, (one) => one.open(host)), (tools) =>
          Effect.sync(() => {
            opened = tools
          }))
      )
      return {
        current: () => opened.current(),
        begin: Effect.flatMap(Fiber.join(opening), ({ begin }) => begin),
        sought: (name) => Effect.flatMap(Fiber.join(opening), ({ sought }) => sought(name)),
        policyChanged: Effect.suspend(() => opened.policyChanged)
      } satisfies SessionTools
    })
    return Context.make(TurnLoop, {
      run: (input) => Effect.flatMap(engine, (built) => Context.get(built, TurnLoop).run(input))
    }).pipe(
      Context.add(PolicyService, {
        rules: (session) => policy((service) => service.rules(session)),
        add: (session, rule) => policy((service) => service.add(session, rule)),
        remove: (session, id) => policy((service) => service.remove(session, id)),
        look: (session) =>
          Effect.flatMap(Effect.suspend(() => ready), (built) => Context.get(built, PolicyService).look(session)),
        test: (session, tool, parameters) => policy((service) => service.test(session, tool, parameters)),
        readable: (session, path) => policy((service) => service.readable(session, path)),
        unknownTools: (names, servers) => policy((service) => service.unknownTools(names, servers)),
        offered: (session) => policy((service) => service.offered(session))
      }),
      Context.add(ToolSource, { open })
    )
  }))
