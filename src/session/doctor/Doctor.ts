import { Context, Effect, Layer } from "effect"

/** One thing that was looked at. `fail`: Postern cannot do its work; `warn`: it can do less. */
export interface Finding {
  readonly name: string
  readonly status: "ok" | "warn" | "fail"
  /** What was found, on one line without secrets. */
  readonly detail: string
  /** What an operator can do. */
  readonly remedy?: string
}

/** Checks what Postern needs on this machine: configuration, agent, stored sessions, sandbox, programs, MCP servers. */
export class Doctor extends Context.Service<Doctor, {
  readonly run: Effect.Effect<ReadonlyArray<Finding>>
}>()("postern/session/Doctor") {
  /** Loads the checks when they are first run. */
  static readonly lazy = <R>(load: Effect.Effect<Layer.Layer<Doctor, never, R>>): Layer.Layer<Doctor, never, R> =>
    Layer.effect(
      Doctor,
      Effect.map(Effect.context<R>(), (services) => ({
        run: Effect.flatMap(load, (layer) => Effect.provide(Doctor.use(({ run }) => run), layer)).pipe(
          Effect.provide(services)
        )
      }))
    )
}
