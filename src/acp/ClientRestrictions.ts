import { Effect, Predicate } from "effect"
import type { McpServerConfig } from "../domain/McpServerConfig.ts"
import { PolicyService } from "../session/policy/PolicyService.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import { merged, type SessionRestrictions } from "../session/policy/SessionRestrictions.ts"
import * as Wire from "../rpc/Wire.ts"

/**
 * What a client narrows a session to when it opens one: `_meta.postern.options`, the same under `_meta.claudeCode.options`, which
 * clients of Claude's adapter send, and a system prompt. See docs/agent-client-protocol.md#restrictions
 */

type Fields = Readonly<Record<string, unknown>>

/** What a request says of restrictions. */
interface Requested {
  readonly restrictions: SessionRestrictions
  /** Values of policy settings that the session begins with. */
  readonly settings: Readonly<Record<string, string>>
}

const own = ["allowedTools", "disallowedTools", "maxTurns", "permissionMode", "systemPrompt", "tools"]

/** Options of Claude's adapter that restrict something and that nothing here does. Its other options change no permission. */
const unsupported = new Set([
  "canUseTool",
  "hooks",
  "managedSettings",
  "maxBudgetUsd",
  "permissionPromptToolName",
  "sandbox",
  "settings",
  "skills",
  "strictMcpConfig",
  "taskBudget"
])

/** Which settings a permission mode stands for. Modes that permit more than the configuration does are refused. */
const permissionModes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  default: {},
  plan: { work_mode: "pl" },
  dontAsk: { approval_response: "never" }
}

const isNames = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every(Predicate.isString)

const refused = (field: string, message: string, reason = "invalid_params") =>
  Effect.fail(Wire.invalidParams({ reason, field }, `${field}: ${message}`))

const textOf = (content: unknown): string | undefined => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return undefined
  const parts = content.map((part) =>
    typeof part === "string"
      ? part
      : Predicate.hasProperty(part, "text") && typeof part.text === "string"
      ? part.text
      : undefined
  )
  return parts.includes(undefined) ? undefined : parts.join("\n\n")
}

/** A text, `{append}`, `{replace}`, `{type: "preset", append?}` or `{mode, content}`. */
const systemPromptOf = (value: unknown): SessionRestrictions["systemPrompt"] | "none" | undefined => {
  const of = (mode: "append" | "override", content: unknown) => {
    const text = textOf(content)
    return text === undefined ? undefined : text.trim() === "" ? "none" : { mode, text }
  }
  if (!Predicate.isObject(value)) return of("override", value)
  const { append, content, mode, override, replace, type } = value as Fields
  if (mode === "append" || mode === "override") return of(mode, content)
  if (mode === "replace") return of("override", content)
  if (mode !== undefined) return undefined
  if (append !== undefined) return of("append", append)
  if (type === "preset") return "none"
  return of("override", replace ?? override)
}

const systemPrompt = (field: string, value: unknown) => {
  const read = systemPromptOf(value)
  if (read === undefined) {
    return refused(
      field,
      "it must be a text, {append: TEXT}, {replace: TEXT} or {mode: \"append\" | \"override\", content}"
    )
  }
  return Effect.succeed<SessionRestrictions>(read === "none" ? {} : { systemPrompt: read })
}

const readKey = Effect.fnUntraced(
  function*(field: string, key: string, value: unknown): Effect.fn.Return<Partial<Requested>, Wire.RpcFault> {
    switch (key) {
      case "allowedTools":
      case "disallowedTools":
        return isNames(value)
          ? { restrictions: { [key]: value } }
          : yield* refused(field, "it must be a list of names of tools")
      case "tools":
        if (Predicate.hasProperty(value, "type") && value.type === "preset") return {}
        return isNames(value)
          ? { restrictions: { allowedTools: value } }
          : yield* refused(field, "it must be a list of names of tools")
      case "maxTurns":
        return Number.isSafeInteger(value) && (value as number) > 0
          ? { restrictions: { maxTurns: value as number } }
          : yield* refused(field, "it must be a whole number of at least 1")
      case "permissionMode": {
        const settings = typeof value === "string" && Object.hasOwn(permissionModes, value)
          ? permissionModes[value]
          : undefined
        return settings === undefined
          ? yield* refused(
            field,
            `${JSON.stringify(value)} is not one of ${
              Object.keys(permissionModes).join(", ")
            }; what needs no approval is set with the option tool_approval`,
            "unsupported_option"
          )
          : { settings }
      }
      default:
        return { restrictions: yield* systemPrompt(field, value) }
    }
  }
)

const optionsIn = (meta: Fields, owner: string) => {
  const options = Predicate.hasProperty(meta[owner], "options") ? meta[owner].options : undefined
  return options === undefined || options === null ? undefined : { options, path: `_meta.${owner}.options` }
}

/** Fields that a client sets to nothing count as absent. */
const given = (fields: Fields) => Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)

/** What a request to open a session restricts, or −32602 with the first key that cannot be honoured. */
const requestedBy = Effect.fnUntraced(function*(
  meta: Fields,
  rootPrompt: unknown
): Effect.fn.Return<Requested, Wire.RpcFault> {
  let requested: Requested = { restrictions: {}, settings: {} }
  const add = ({ restrictions = {}, settings = {} }: Partial<Requested>) => {
    requested = {
      restrictions: merged(requested.restrictions, restrictions),
      settings: { ...requested.settings, ...settings }
    }
  }
  for (const owner of ["claudeCode", "postern"]) {
    const found = optionsIn(meta, owner)
    if (found === undefined) continue
    const { options, path } = found
    if (!Predicate.isObject(options) || Array.isArray(options)) return yield* refused(path, "it must be an object")
    for (const [key, value] of given(options as Fields)) {
      const field = `${path}.${key}`
      if (own.includes(key)) {
        add(yield* readKey(field, key, value))
      } else if (owner === "postern") {
        return yield* refused(field, `not one of the options, which are ${own.join(", ")}`, "unsupported_option")
      } else if (unsupported.has(key)) {
        return yield* refused(field, "Postern cannot keep to this option", "unsupported_option")
      }
    }
  }
  for (const [field, value] of [["_meta.systemPrompt", meta["systemPrompt"]], ["systemPrompt", rootPrompt]] as const) {
    if (value !== undefined && value !== null) add({ restrictions: yield* systemPrompt(field, value) })
  }
  return requested
})

/** Reads the restrictions of a request, and checks that every tool they name is there, before anything is opened. */
export const read = Effect.fnUntraced(function*(
  meta: Fields,
  rootPrompt: unknown,
  servers: ReadonlyArray<McpServerConfig>
) {
  const requested = yield* requestedBy(meta, rootPrompt)
  const policies = yield* PolicyService
  for (const key of ["allowedTools", "disallowedTools"] as const) {
    const [unknown] = yield* policies.unknownTools(requested.restrictions[key] ?? [], servers)
    if (unknown !== undefined) {
      const field = ["postern", "claudeCode"].flatMap((owner) => {
        const options = optionsIn(meta, owner)?.options as Fields | undefined
        const named = (key === "allowedTools" ? [key, "tools"] : [key]).find((each) => {
          const names = options?.[each]
          return isNames(names) && names.includes(unknown)
        })
        return named === undefined ? [] : [`_meta.${owner}.options.${named}`]
      })[0] ?? key
      return yield* refused(field, `there is no tool ${JSON.stringify(unknown)}`, "unknown_tool")
    }
  }
  return requested
})

/** Narrows an opened session to what was read. A permission mode that the level rules out permits more than the level does. */
export const apply = Effect.fnUntraced(function*({ restrictions, settings }: Requested, { policy }: Session) {
  if (Object.keys(restrictions).length > 0) yield* policy.restrict(restrictions)
  for (const [setting, value] of Object.entries(settings)) {
    yield* Effect.catchTag(policy.set(setting, value, "client"), "SettingRefused", () => Effect.void)
  }
})
