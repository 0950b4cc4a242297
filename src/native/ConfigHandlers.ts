import { Effect } from "effect"
import type { Field } from "../app/ConfigFields.ts"
import { ConfigFailed, ConfigRefused, ConfigStore, type Entry, type MayWrite } from "../app/ConfigStore.ts"
import { sections } from "../app/ConfigGuide.ts"
import { mask, shown } from "../app/ConfigValue.ts"
import type { ConfigInvalid } from "../app/ConfigFile.ts"
import type { RpcFault } from "../rpc/Wire.ts"
import type { Principals } from "../security/Principals.ts"
import { caller } from "./Access.ts"
import { Configuration } from "./ConfigContracts.ts"
import * as Faults from "./Faults.ts"
import type { NativeConnection } from "./NativeConnection.ts"

/** `named`: the param that has the path. */
const faultOf = (named: string) => (error: ConfigInvalid | ConfigFailed | ConfigRefused | RpcFault): RpcFault => {
  switch (error._tag) {
    case "RpcFault":
      return error
    case "ConfigFailed":
      return Faults.disabled(error.message, "config_failed")
    case "ConfigInvalid":
      return Faults.invalid(error.message, error.path?.join(".") ?? "", "invalid")
    case "ConfigRefused": {
      const { alias, index, message, reason } = error
      const at = index === undefined ? {} : { index }
      const field = index === undefined ? alias ?? named : `sets.${index}`
      return reason === "forbidden"
        ? Faults.forbidden(message, at)
        : Faults.invalid(message, field, reason, at)
    }
  }
}

const faulty = <A, R>(
  effect: Effect.Effect<A, ConfigInvalid | ConfigFailed | ConfigRefused | RpcFault, R>,
  named = "prop"
) => Effect.mapError(effect, faultOf(named))

/** Of a call about one path: there is nothing to count. */
const uncounted = <A, E, R>(effect: Effect.Effect<A, E | ConfigRefused, R>) =>
  Effect.mapError(
    effect,
    (error) =>
      error instanceof ConfigRefused ? new ConfigRefused({ reason: error.reason, message: error.message }) : error
  )

const entryOf = (
  { aliasSource, category, description, enumVariants, isEnvOverridden, isSecret, kind, path, populated, value }: Field
) => ({
  path,
  category,
  kind,
  type_hint: description,
  description,
  populated,
  is_secret: isSecret,
  is_env_overridden: isEnvOverridden,
  section: category,
  ...(sections[category] === undefined ? {} : { tab: sections[category].group.toLowerCase() }),
  ...(typeof value === "string" && value.includes("\n") ? { multiline: true } : {}),
  ...(value === undefined ? {} : { value: shown(value) }),
  ...(enumVariants === undefined ? {} : { enum_variants: enumVariants }),
  ...(aliasSource === undefined ? {} : { alias_source: aliasSource })
})

const staying = "the agent's folder, its sessions and its memory stay where they are"

const assignment = (
  { comment, prop, value }: { readonly prop: string; readonly value: unknown; readonly comment?: string | null }
): Entry => ({ path: prop, value, comment: comment ?? undefined })

export const layer = Configuration.toLayer(Effect.gen(function*() {
  const config = yield* ConfigStore
  /** What the caller may write, whenever it is asked; nothing once it is gone. */
  const authority = Effect.map(Effect.context<NativeConnection | Principals>(), (services) =>
    caller.pipe(
      Effect.map(({ mayConfigure }): MayWrite => mayConfigure),
      Effect.orElseSucceed((): MayWrite => () => false),
      Effect.provideContext(services)
    ))

  return Configuration.of({
    "config/get": ({ prop }) =>
      faulty(
        prop === undefined || prop === null
          ? Effect.map(config.document, (document) => document as Record<string, unknown>)
          : Effect.map(
            config.get(prop),
            ({ isSecret, path, populated, value }) => ({
              prop: path,
              value: !populated ? "" : isSecret ? mask : shown(value),
              populated
            })
          )
      ),

    "config/list": ({ prefix }) =>
      faulty(Effect.map(config.list(prefix ?? undefined), (fields) => ({ entries: fields.map(entryOf) })), "prefix"),

    "config/validate": () =>
      Effect.match(config.validate, {
        onSuccess: () => ({ valid: true }),
        onFailure: ({ message }) => ({ valid: false, error: message })
      }),

    "config/map-keys": ({ path }) => faulty(Effect.map(config.keys(path), (keys) => ({ path, keys })), "path"),

    "config/set": (asked) =>
      faulty(Effect.gen(function*() {
        const [prop] = yield* uncounted(config.set([assignment(asked)], yield* authority))
        return { prop, set: true }
      })),

    "config/set-many": ({ sets }) =>
      faulty(Effect.gen(function*() {
        return { props: yield* config.set(sets.map(assignment), yield* authority), set: true }
      })),

    "config/delete": ({ prop }) =>
      faulty(Effect.gen(function*() {
        return { prop, deleted: yield* config.remove(prop, yield* authority) }
      })),

    "config/map-key-create": ({ key, path }) =>
      faulty(
        Effect.gen(function*() {
          return { path, key, created: yield* config.createKey(path, key, yield* authority) }
        }),
        "path"
      ),

    "config/map-key-delete": ({ key, path }) =>
      faulty(
        Effect.gen(function*() {
          const deleted = yield* config.removeKey(path, key, yield* authority)
          return { path, key, deleted, ...(deleted && path.trim() === "agents" ? { warnings: [staying] } : {}) }
        }),
        "path"
      ),

    "config/map-key-rename": ({ from, path, to }) =>
      faulty(
        Effect.gen(function*() {
          const { rewritten, warnings } = yield* config.renameKey(path, from, to, yield* authority)
          return { path, from, to, renamed: true, rewritten, warnings }
        }),
        "path"
      )
  })
}))
