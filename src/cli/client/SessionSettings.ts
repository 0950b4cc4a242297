import type { SessionConfigOption, SessionModeState } from "../../acp/protocol/SessionSetup.ts"
import type { SessionUpdate } from "../../acp/protocol/SessionUpdate.ts"

type ConfigOption = typeof SessionConfigOption.Type

/** What an agent says about a session when it opens it. */
export interface SessionSetup {
  readonly modes?: typeof SessionModeState.Type | null | undefined
  readonly configOptions?: ReadonlyArray<ConfigOption> | null | undefined
}

export interface SettingValue {
  readonly value: string
  readonly name: string
}

/** A choice of a session that people know by a name of their own. */
export interface Setting {
  /** The option that sets it; `undefined`: a session mode. */
  readonly configId: string | undefined
  readonly current: string
  readonly values: ReadonlyArray<SettingValue>
}

/** Model and mode of a session as its agent last said. */
export interface SessionSettings {
  readonly adopt: (setup: SessionSetup) => void
  readonly update: (update: SessionUpdate) => void
  readonly model: () => Setting | undefined
  readonly mode: () => Setting | undefined
}

const valuesOf = (option: Extract<ConfigOption, { readonly type: "select" }>): ReadonlyArray<SettingValue> =>
  option.options.flatMap((one) => "options" in one ? one.options : [one]).map(({ name, value }) => ({ name, value }))

export const make = (): SessionSettings => {
  let options: ReadonlyArray<ConfigOption> = []
  let modes: typeof SessionModeState.Type | undefined

  const byCategory = (category: string): Setting | undefined => {
    const isIt = (one: ConfigOption) => one.type === "select" && (one.category === category || one.id === category)
    const option = options.find(isIt)
    return option === undefined || option.type !== "select"
      ? undefined
      : { configId: option.id, current: option.currentValue, values: valuesOf(option) }
  }

  return {
    adopt: ({ configOptions, modes: given }) => {
      options = configOptions ?? []
      // The answer to a changed option has the options alone.
      modes = given ?? modes
    },
    update: (update) => {
      if (update.sessionUpdate === "config_option_update") options = update.configOptions
      if (update.sessionUpdate === "current_mode_update") {
        const { currentModeId } = update
        if (modes !== undefined) modes = { ...modes, currentModeId }
        options = options.map((one) =>
          one.type === "select" && one.category === "mode" ? { ...one, currentValue: currentModeId } : one
        )
      }
    },
    model: () => byCategory("model"),
    mode: () => {
      const option = byCategory("mode")
      if (modes === undefined) return option
      const values = modes.availableModes.map(({ id, name }) => ({ value: id, name }))
      return option === undefined
        ? { configId: undefined, current: modes.currentModeId, values }
        // The names of modes are shorter than those of an option among others.
        : { ...option, values: option.values.map((one) => values.find(({ value }) => value === one.value) ?? one) }
    }
  }
}

/** The value that a word means: itself, or the name of one. */
export const valueIn = ({ values }: Setting, word: string): string | undefined =>
  values.find(({ value }) => value === word)?.value ??
    values.find(({ name }) => name.toLowerCase() === word.toLowerCase())?.value

/** `All work (aw)`, or the value alone where it has no other name. */
export const shownSetting = ({ current, values }: Setting): string => {
  const name = values.find(({ value }) => value === current)?.name
  return name === undefined || name === current ? current : `${name} (${current})`
}
