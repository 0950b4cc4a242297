import { Effect, type JsonSchema, Result, Schema, type Scope } from "effect"
import { existsSync } from "node:fs"
import { resolve as resolvePath } from "node:path"
import { fileURLToPath } from "node:url"
import type { Capability, NetworkNeed } from "../domain/Capability.ts"
import type { UserNotice } from "../domain/SessionEvent.ts"
import type { EffectiveSandbox } from "../domain/PolicySettings.ts"
import type { CommandLimits } from "../policy/decision/Limits.ts"
import type { ToolRequirements } from "../policy/decision/ToolRequirements.ts"
import type { ConfinedCommand } from "../sandbox/Confinement.ts"
import type { TextOrigin } from "../security/Untrusted.ts"
import { unquoted } from "../platform/QuotedName.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { ClientSide } from "./ClientSide.ts"
import {
  type PlanEntry,
  textContent,
  type ToolCallItem,
  type ToolCallLocation,
  type ToolKind
} from "../domain/Content.ts"
import type { Jobs } from "./shell/Jobs.ts"
import type { MayRead } from "./file/ReadFilter.ts"
import { type ToolFailed } from "./ToolFailed.ts"
import { beginning } from "../domain/Cut.ts"

export { fail, ToolFailed } from "./ToolFailed.ts"

/** What a tool may touch during one call. */
export interface ToolContext {
  readonly sessionId: string
  readonly workspace: Workspace
  /** What a call may come across below the paths it names; `undefined` is everything. */
  readonly mayRead: Effect.Effect<MayRead | undefined, ToolFailed>
  /**
   * Whether the gates let this tool have another address than the one it was called with, such as a redirect's,
   * unasked.
   */
  readonly mayFetch: (url: string) => Effect.Effect<boolean, ToolFailed>
  /** What people saw, and may have approved: the run works on that file as it was then, or fails. */
  readonly preview?: ToolPreview
  /**
   * Replaces what people see of the running call (`tool_call_update` in progress). `printed` is what came since the last
   * time.
   */
  readonly progress: (content: ReadonlyArray<ToolCallItem>, printed?: string) => Effect.Effect<void>
  /**
   * The user's answer, one of the choices where there are any; with a form (a JSON schema), what was filled in, as
   * JSON.
   */
  readonly askUser: (
    question: string,
    choices: ReadonlyArray<string>,
    options?: {
      readonly form?: Readonly<Record<string, unknown>> | undefined
      /** Where free text cannot be asked, it is enough that the user has seen it: the answer is then `Seen`. */
      readonly acknowledges?: true
    }
  ) => Effect.Effect<string, ToolFailed>
  /** The folder for files that are handed over, made when it is asked for. */
  readonly attachments: () => string
  /** Nothing may be written in the workspace, the plan included. */
  readonly writesNothing: boolean
  /** Tells the user something, now, without waiting for an answer. */
  readonly notify: (notice: UserNotice) => Effect.Effect<void>
  /** Replaces the session's plan. */
  readonly plan: (entries: ReadonlyArray<PlanEntry>) => Effect.Effect<void>
  /** The session's commands in the background. */
  readonly jobs: Jobs
  /** What the client does for the session; paths are checked before it is asked. */
  readonly client: ClientSide
}

/** What the gates let one call reach (docs/sandbox.md#effective-mode). */
export interface Confinement {
  readonly mode: EffectiveSandbox
  readonly network: boolean
  readonly capabilities: ReadonlyArray<Capability>
  /** Whether the policy saw nothing but reads. */
  readonly reads: boolean
  readonly commands: CommandLimits
  /**
   * A command that can reach no more than that, for `Processes.run`. What it needs on disk goes when the scope closes.
   * `only`: it finds nothing but the session's folders, this one and the system's programs, and can write nothing.
   */
  readonly confine: (
    argv: ConfinedCommand["argv"],
    where: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly only?: string }
  ) => Effect.Effect<ConfinedCommand, ToolFailed, Scope.Scope>
}

/** A call that the gates let run. */
export interface RunContext extends ToolContext {
  readonly confinement: Confinement
}

/** How a call looks before it runs: what the client shows and what a permission request names. */
interface ToolPreview {
  readonly title: string
  readonly locations?: ReadonlyArray<ToolCallLocation>
  readonly content?: ReadonlyArray<ToolCallItem>
  readonly rawInput?: unknown
  /** Of the content that the diff is against. */
  readonly version?: string
}

/** What only a look at the files that a call touches shows. */
interface ToolDisclosure extends Pick<ToolPreview, "version"> {
  readonly locations?: ReadonlyArray<ToolCallLocation>
  readonly content: ReadonlyArray<ToolCallItem>
}

export interface ToolOutput {
  /** What the model reads. */
  readonly text: string
  /** What people see; the text as output when absent. */
  readonly content?: ReadonlyArray<ToolCallItem>
  readonly title?: string
  readonly locations?: ReadonlyArray<ToolCallLocation>
  readonly rawOutput?: unknown
  /** What a command printed since the last progress. */
  readonly printed?: string
}

/** A result that is a sentence to people, not output. */
export const said = (text: string): ToolOutput => ({ text, content: [textContent(text)] })

/** A tool: contract, declared needs and the work itself. `P` are its decoded parameters. */
export interface Tool<P> {
  readonly name: string
  readonly description: string
  readonly parameters: Schema.Codec<P, unknown>
  /** The JSON schema for models, for tools whose server checks the parameters. */
  readonly inputSchema?: JsonSchema.JsonSchema
  /** The server it belongs to, and what it is called there. */
  readonly mcp?: { readonly server: string; readonly tool: string }
  readonly kind: ToolKind
  /** Every capability a call of it may need; it is offered to the model while one of them is granted. */
  readonly capabilities: readonly [Capability, ...ReadonlyArray<Capability>]
  /**
   * What models read besides the description where the Work mode grants only some of them (docs/policy.md#work-modes).
   */
  readonly limitedDescription?: (granted: (capability: Capability) => boolean) => string
  /** Whether a call is of no use without a network; a shell command's own words tell. */
  readonly network?: NetworkNeed
  /** The source of result text from outside Postern; the model receives such text marked as data. */
  readonly origin?: TextOrigin
  /** What a call with these parameters needs. Pure. */
  readonly needs: (parameters: P) => ToolRequirements
  /** From the parameters alone, whatever becomes of the call. */
  readonly preview: (parameters: P, context: ToolContext) => Effect.Effect<ToolPreview>
  /**
   * Is asked once the gates have not refused the call, and shown where a person is asked, or the call runs. Must not
   * change anything and must not fail: an unreadable target simply gives less to show.
   */
  readonly disclose?: (parameters: P, context: ToolContext) => Effect.Effect<ToolDisclosure | undefined>
  /** Interruption withdraws the call: its processes end, half-written files do not stay. */
  readonly run: (parameters: P, context: RunContext) => Effect.Effect<ToolOutput, ToolFailed, Scope.Scope>
}

/** A tool whose parameter type is known only to itself. */
export type AnyTool = Tool<any>

export const make = <P>(tool: Tool<P>): Tool<P> => tool

/** An optional parameter; models send `null` for "not given". */
export const optional = <S extends Schema.Constraint>(schema: S, description: string) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ description }))

/** One line of at most `limit` characters, for titles. */
export const firstLine = (text: string, limit: number): string => {
  const line = text.trimStart().split(/\r?\n/, 1)[0] ?? ""
  return line.length > limit || line.length < text.trim().length ? `${beginning(line, limit - 1).trimEnd()}…` : line
}

/** A call that no gate can judge. */
interface InvalidCall {
  readonly code: "UNKNOWN_TOOL" | "BAD_ARGUMENTS"
  readonly message: string
}

const parsedOnce = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Fields of a schema of an object; none where it is another one. */
const fieldsOf = (schema: Schema.Top): Readonly<Record<string, Schema.Top>> =>
  "fields" in schema && isRecord(schema.fields) ? schema.fields as Readonly<Record<string, Schema.Top>> : {}

/**
 * The arguments with what the model encoded as text decoded once more: the whole, or values that the schema takes only
 * then. Nothing else is guessed.
 */
const decodedOnceMore = (schema: Schema.Top, given: unknown): unknown => {
  const whole = (typeof given === "string" ? parsedOnce(given) : given) ?? {}
  if (!isRecord(whole)) return given
  const fields = fieldsOf(schema)
  return Object.fromEntries(
    Object.entries(whole).map(([key, value]) => {
      const field = fields[key]
      if (typeof value !== "string" || field === undefined) return [key, value]
      const accepts = Schema.is(Schema.Struct({ [key]: field }))
      const parsed = parsedOnce(value)
      return [key, !accepts({ [key]: value }) && accepts({ [key]: parsed }) ? parsed : value]
    })
  )
}

const escape = /%[0-9a-f]{2}/i

/** Absent where it is no path after all. */
const attempt = (decode: () => string): string | undefined => {
  try {
    return decode()
  } catch {
    return undefined
  }
}

/**
 * Clients name files by address, and models repeat what they read: `file://`, percent-encoding and the quotes of
 * listings are taken as the path they stand for, unless there is a file of that very name.
 */
const asPath = (named: string, cwd: string): string => {
  const isAddress = /^file:\/\//i.test(named)
  const inQuotes = isAddress ? undefined : unquoted(named)
  if (!isAddress && inQuotes === undefined && !escape.test(named)) return named
  const isThere = (path: string) => existsSync(resolvePath(cwd, path))
  if (isThere(named)) return named
  if (inQuotes !== undefined) return isThere(inQuotes) ? inQuotes : named
  if (isAddress) {
    const path = attempt(() => fileURLToPath(named.replace(/^file:\/\/localhost(?=\/)/i, "file://")))
    if (path !== undefined) return path
    return named
  }
  const path = attempt(() => decodeURIComponent(named))
  return path !== undefined && isThere(path) ? path : named
}

const withPath = ({ mcp, parameters: schema }: AnyTool, parameters: unknown, cwd: string): unknown =>
  mcp === undefined && isRecord(parameters) && typeof parameters["path"] === "string" && "path" in fieldsOf(schema)
    ? { ...parameters, path: asPath(parameters["path"], cwd) }
    : parameters

/** The tool a call is for, and its parameters as that tool reads them in a session's folder. */
export const decodeCall = Effect.fnUntraced(
  function*(
    tools: ReadonlyMap<string, AnyTool>,
    name: string,
    parameters: unknown,
    cwd: string
  ): Effect.fn.Return<
    Result.Result<{ readonly tool: AnyTool; readonly parameters: unknown }, InvalidCall>
  > {
    const tool = tools.get(name)
    if (tool === undefined) {
      return Result.fail({ code: "UNKNOWN_TOOL", message: `there is no tool ${name}` })
    }
    const decode = Schema.decodeUnknownEffect(tool.parameters)
    const decoded = yield* Effect.result(Effect.catch(
      decode(parameters),
      (error) => Effect.mapError(decode(decodedOnceMore(tool.parameters, parameters)), () => error)
    ))
    return Result.isSuccess(decoded)
      ? Result.succeed({ tool, parameters: withPath(tool, decoded.success, cwd) })
      : Result.fail({
        code: "BAD_ARGUMENTS",
        message: `the arguments of ${name} do not fit: ${decoded.failure.message.replace(/\s+/g, " ")}`
      })
  }
)
