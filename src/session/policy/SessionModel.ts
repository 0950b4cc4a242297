import { Effect, Result, type Scope } from "effect"
import { ModelCatalog } from "../../model/ModelCatalog.ts"
import { isThoughtLevel, type ThoughtLevel } from "../../model/RequestOptions.ts"
import { SessionStore, type StoreFailed } from "../../store/SessionStore.ts"
import type { Configured } from "../lifecycle/Agents.ts"
import { SettingRefused } from "./SessionPolicy.ts"

type ModelOption = "model" | "thought_level"

export const isModelOption = (id: string): id is ModelOption => id === "model" || id === "thought_level"

/** The model of a session and its thought level; each is stored, changed and restored independently. */
export interface SessionModel {
  /** A reference, `"<provider alias>/<model id>"`. */
  readonly model: () => string
  readonly thoughtLevel: () => ThoughtLevel
  /** References to choose from, the current one among them. */
  readonly choices: () => ReadonlyArray<string>
  /** Whether the current model can be told how much to think. */
  readonly thinks: () => boolean
  /** Whether the current model takes images. */
  readonly seesImages: () => boolean
  /** In force from the next request to the model on, also in the middle of a turn. */
  readonly set: (
    option: ModelOption,
    value: unknown,
    source: "client" | "user"
  ) => Effect.Effect<void, SettingRefused | StoreFailed>
  /** Asks the providers which models they have; does nothing where the session uses the offline model. */
  readonly refresh: Effect.Effect<void>
}

export const make = Effect.fnUntraced(
  function*(sessionId: string, configured: () => Configured, changed: Effect.Effect<void>): Effect.fn.Return<
    SessionModel,
    StoreFailed,
    ModelCatalog | SessionStore | Scope.Scope
  > {
    const { policy: store } = yield* SessionStore
    const catalog = yield* ModelCatalog
    const stored = yield* store.settings(sessionId)
    const level = stored.get("thought_level")
    /** Absent: the agent's. */
    let chosen = stored.get("model")
    const model = () => chosen ?? configured().agent.model
    let thoughtLevel: ThoughtLevel = isThoughtLevel(level) ? level : "default"
    yield* catalog.onChange(changed)

    const provider = () => Result.getOrUndefined(catalog.provider(model()))
    const isRemote = () => {
      const kind = provider()?.kind
      return kind !== undefined && kind !== "offline"
    }

    const refusal = (option: ModelOption, value: unknown): string | undefined => {
      if (option === "thought_level") {
        return isThoughtLevel(value)
          ? undefined
          : `${JSON.stringify(value)} is no value of thought_level`
      }
      if (typeof value !== "string") return `${JSON.stringify(value)} is no model`
      return Result.match(catalog.provider(value), { onFailure: ({ message }) => message, onSuccess: () => undefined })
    }

    return {
      model,
      thoughtLevel: () => thoughtLevel,
      choices: () => catalog.references().includes(model()) ? catalog.references() : [model(), ...catalog.references()],
      thinks: isRemote,
      seesImages: () => provider()?.vision ?? false,
      set: (option, value, source) =>
        Effect.gen(function*() {
          const message = refusal(option, value)
          if (message !== undefined) {
            return yield* new SettingRefused({ setting: option, message, reason: "unknown_value" })
          }
          yield* store.setSetting(sessionId, option, value as string, source)
          if (option === "model") {
            chosen = value as string
          } else thoughtLevel = value as ThoughtLevel
          yield* changed
        }),
      refresh: Effect.suspend(() => isRemote() ? catalog.refresh : Effect.void)
    }
  }
)
