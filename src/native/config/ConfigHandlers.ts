import { Effect, Schema } from "effect"
import { basename } from "node:path"
import type { ConfigField } from "../../config/schema/Fields.ts"
import { type ConfigChange, type ConfigRemoved, ConfigStore, type MayWrite } from "../../config/edit/ConfigStore.ts"
import { ConfigFailed, type ConfigInvalid, ConfigRefused } from "../../config/Errors.ts"
import { sections } from "../../config/schema/Guide.ts"
import { display, mask } from "../../config/schema/Values.ts"
import * as Wire from "../../rpc/Wire.ts"
import type { Principals } from "../../security/Principals.ts"
import { caller } from "../access/Access.ts"
import { Assignment, ConfigMethods } from "../protocol/ConfigContracts.ts"
import * as Errors from "../protocol/Errors.ts"
import type { NativeConnection } from "../protocol/NativeConnection.ts"
import { Reload } from "./Reload.ts"

/** Errors name no folder of the machine; the log has the details. */
const faults =
  (file: string, field: (refused: ConfigRefused) => string) =>
  (error: ConfigInvalid | ConfigFailed | ConfigRefused | Wire.RpcFault) => {
    switch (error._tag) {
      case "RpcFault":
        return error
      case "ConfigFailed":
        return Errors.disabled("The configuration could not be written; the log says why", "config_failed")
      case "ConfigInvalid":
        return Errors.disabled(error.message.replaceAll(file, basename(file)), "config_invalid")
      case "ConfigRefused": {
        const { index, message, reason } = error
        const at = index === undefined ? {} : { index }
        const named = message.replaceAll(file, basename(file))
        return reason === "forbidden"
          ? Errors.forbidden(named, at)
          : Errors.invalid(named, field(error), reason, at)
      }
    }
  }

type Fault = ConfigInvalid | ConfigFailed | ConfigRefused | Wire.RpcFault

/** Of a call about one path: there is nothing to count. */
const uncounted = <A, E, R>(effect: Effect.Effect<A, E | ConfigRefused, R>) =>
  Effect.mapError(
    effect,
    (error) =>
      error instanceof ConfigRefused ? new ConfigRefused({ reason: error.reason, message: error.message }) : error
  )

const decodeEntry = Schema.decodeUnknownEffect(Assignment)

/** One of several, which are counted from 0. */
const entryAt = (entry: unknown, index: number) =>
  Effect.mapError(decodeEntry(entry), (error) => {
    const { data, message } = Wire.invalidParamsFrom(error)
    const inner: unknown = Object(data)["field"]
    const field = inner === undefined ? `sets.${index}` : `sets.${index}.${String(inner)}`
    return Errors.invalid(`sets.${index}: ${message}`, field, "invalid_params", { index })
  })

/** Fixed keys may be written with `-` for `_`. */
const beginsWith = (prefix: string) => ({ path }: ConfigField): boolean =>
  path.startsWith(prefix) || path.startsWith(prefix.replaceAll("-", "_"))

const entryOf = (
  { aliasSource, category, description, enumVariants, isEnvOverridden, isSecret, kind, path, populated, value }:
    ConfigField
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
  ...(value === undefined ? {} : { value: display(value) }),
  ...(enumVariants === undefined ? {} : { enum_variants: enumVariants }),
  ...(aliasSource === undefined ? {} : { alias_source: aliasSource })
})

const staying = "the agent's folder, its sessions and its memory stay where they are"

/** Warnings where there are some. */
const warned = ({ deleted, warnings }: ConfigRemoved) => ({ deleted, ...(warnings.length === 0 ? {} : { warnings }) })

const assignment = (
  { comment, prop, value }: { readonly prop: string; readonly value: unknown; readonly comment?: string | null }
): ConfigChange => ({ path: prop, value, comment: comment ?? undefined })

export const layer = ConfigMethods.toLayer(Effect.gen(function*() {
  const config = yield* ConfigStore
  const reload = yield* Reload
  /** What the caller may write, whenever it is asked; nothing once it is gone. */
  const authority = Effect.map(Effect.context<NativeConnection | Principals>(), (services) =>
    caller.pipe(
      Effect.map(({ mayConfigure }): MayWrite => mayConfigure),
      Effect.orElseSucceed((): MayWrite => () => false),
      Effect.provideContext(services)
    ))

  /** `field` is the parameter that a refusal is about. */
  const about = (field: (refused: ConfigRefused) => string) => <A, R>(effect: Effect.Effect<A, Fault, R>) =>
    effect.pipe(
      Effect.tapError((error) => error._tag === "ConfigFailed" ? Effect.logError(error.message) : Effect.void),
      Effect.mapError(faults(config.file, field))
    )

  const ofProp = about(() => "prop")
  const ofKey = about(({ alias }) => alias ?? "path")

  return ConfigMethods.of({
    "config/get": ({ prop }) =>
      ofProp(
        prop === undefined || prop === null
          ? Effect.map(config.document, (document) => document as Record<string, unknown>)
          : Effect.map(config.get(prop), ({ fallback, isSecret, path, populated, value }) => ({
            prop: path,
            value: isSecret && populated ? mask : display(value ?? fallback ?? ""),
            populated
          }))
      ),

    "config/list": ({ prefix }) =>
      about(() => "prefix")(
        Effect.map(config.list(), (fields) => ({ entries: fields.filter(beginsWith(prefix ?? "")).map(entryOf) }))
      ),

    "config/validate": () =>
      Effect.match(config.validate, {
        onSuccess: (warnings) => ({ valid: true, ...(warnings.length === 0 ? {} : { warnings }) }),
        onFailure: ({ message }) => ({ valid: false, error: message })
      }),

    "config/map-keys": ({ path }) => ofKey(Effect.map(config.keys(path), (keys) => ({ path, keys }))),

    "config/reload-status": () => Effect.map(reload.waiting, (paths) => ({ pending: paths.length > 0, paths })),

    "config/reload": () =>
      reload.begin.pipe(
        Effect.mapError(({ message, path = [] }) =>
          Errors.invalid(message.replaceAll(config.file, basename(config.file)), path.join("."), "config_invalid")
        ),
        Effect.as({ reloading: true })
      ),

    "config/set": (asked) =>
      ofProp(Effect.gen(function*() {
        const [prop] = yield* uncounted(config.set([assignment(asked)], yield* authority))
        return { prop: prop ?? asked.prop, set: true }
      })),

    "config/set-many": ({ sets }) =>
      about(({ index }) => index === undefined ? "sets" : `sets.${index}`)(Effect.gen(function*() {
        const entries = yield* Effect.forEach(sets, entryAt)
        return { props: yield* config.set(entries.map(assignment), yield* authority), set: true }
      })),

    "config/delete": ({ prop }) =>
      ofProp(Effect.gen(function*() {
        return { prop, ...warned(yield* config.remove(prop, yield* authority)) }
      })),

    "config/map-key-create": ({ key, path }) =>
      ofKey(Effect.gen(function*() {
        return { path, key, created: yield* config.createKey(path, key, yield* authority) }
      })),

    "config/map-key-delete": ({ key, path }) =>
      ofKey(Effect.gen(function*() {
        const { deleted, warnings } = yield* config.removeKey(path, key, yield* authority)
        const kept = deleted && path.trim() === "agents" ? [staying] : []
        return { path, key, ...warned({ deleted, warnings: [...warnings, ...kept] }) }
      })),

    "config/map-key-rename": ({ from, path, to }) =>
      ofKey(Effect.gen(function*() {
        const { rewritten, warnings } = yield* config.renameKey(path, from, to, yield* authority)
        return { path, from, to, renamed: true, rewritten, warnings }
      }))
  })
}))
