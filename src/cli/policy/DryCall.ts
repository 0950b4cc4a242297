import { Result, Schema } from "effect"
import { type PolicySettings, settingValues } from "../../domain/PolicySettings.ts"

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const texts = maybe(Schema.Array(Schema.String))

/** Knobs of a dry run: each one given is the session's own choice. */
export const DryKnobs = Schema.Struct({
  mode: maybe(Schema.Literals(settingValues.work_mode)),
  network: maybe(Schema.Literals(settingValues.network)),
  approval: maybe(Schema.Literals(settingValues.tool_approval)),
  response: maybe(Schema.Literals(settingValues.approval_response)),
  sandbox: maybe(Schema.Literals(settingValues.sandbox)),
  level: maybe(Schema.Literals(["readonly", "supervised", "full"])),
  rules: maybe(Schema.Struct({ deny: texts, ask: texts, allow: texts }))
})
export type DryKnobs = typeof DryKnobs.Type

/** One call as a line of `policy explain --batch` has it. */
const Written = Schema.Struct({
  tool: Schema.String,
  arguments: Schema.optionalKey(Schema.Unknown),
  cwd: maybe(Schema.String),
  knobs: Schema.optionalKey(Schema.Unknown)
})

export interface DryCall {
  readonly tool: string
  readonly arguments?: unknown
  readonly cwd?: string | null
  readonly knobs?: DryKnobs | null
}

const readWritten = Schema.decodeUnknownResult(Written)
const readKnobs = Schema.decodeUnknownResult(Schema.NullOr(DryKnobs), { onExcessProperty: "error" })

const oneLine = ({ message }: { readonly message: string }) => message.replace(/\s+/g, " ")

/** Further keys of a call may be the caller's own; a knob that does not exist would lead to a wrong answer. */
export const read = (value: unknown): Result.Result<DryCall, string> => {
  const written = readWritten(value)
  if (Result.isFailure(written)) return Result.fail(oneLine(written.failure))
  const { knobs = null, ...call } = written.success
  return Result.mapBoth(readKnobs(knobs), {
    onSuccess: (knobs) => ({ ...call, knobs }),
    onFailure: (failure) => `knobs: ${oneLine(failure)}`
  })
}

export const lists = ["deny", "ask", "allow"] as const

export const sessionKnobs = ({ approval, mode, network, response, sandbox }: DryKnobs): Partial<PolicySettings> => ({
  ...(mode && { work_mode: mode }),
  ...(network && { network }),
  ...(approval && { tool_approval: approval }),
  ...(response && { approval_response: response }),
  ...(sandbox && { sandbox })
})

/** `more` over `base`, knob by knob; rules of both count. */
export const merge = (base: DryKnobs, more: DryKnobs | null | undefined): DryKnobs => {
  if (!more) return base
  const chosen = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== null && value !== undefined))
  if (!base.rules || !more.rules) return { ...base, ...chosen }
  const both = lists.map((list) => [list, [...base.rules?.[list] ?? [], ...more.rules?.[list] ?? []]])
  return { ...base, ...chosen, rules: Object.fromEntries(both) }
}
