import { Cause, Effect, Exit } from "effect"
import type { Capability } from "../../domain/Capability.ts"
import type { EffectiveSandbox } from "../../domain/PolicySettings.ts"
import * as ProtectedPaths from "../../sandbox/plan/ProtectedPaths.ts"
import { isScratch } from "../../sandbox/SandboxModes.ts"
import type { Protection } from "../../sandbox/plan/Protection.ts"
import type { Sandbox } from "../../sandbox/Sandbox.ts"
import * as CallConfinement from "../../tool/CallConfinement.ts"
import type { AnyTool } from "../../tool/Tool.ts"
import type { Decided } from "../policy/Authorization.ts"
import { quoted } from "../../platform/QuotedName.ts"
import type { TurnContext } from "./TurnLoop.ts"

/**
 * A call that may write files that last, of whatever tool: the place for everything that has to know how files were
 * before a call or what became of them. See docs/sandbox.md#what-a-call-changed
 */
export interface WritingCall {
  readonly sessionId: string
  /** The number of the turn in its session. */
  readonly turn: number
  readonly toolCallId: string
  readonly tool: string
  /** Who writes: Postern itself, a command, or a server that runs already. */
  readonly writer: "file tool" | "command" | "server"
  readonly capabilities: ReadonlyArray<Capability>
  readonly mode: EffectiveSandbox
  /** What it may write to; in `danger-full-access` it may write to everything else as well. */
  readonly folders: ReadonlyArray<string>
}

/**
 * `before` runs right before the call, which waits for it. What it gives runs right after, also when the call failed
 * or was cut off; it gives sentences for the result, which nobody reads of a call that was cut off.
 */
export interface WriteObserver {
  readonly before: (call: WritingCall) => Effect.Effect<(isCutOff: boolean) => Effect.Effect<ReadonlyArray<string>>>
}

const nothing = () => Effect.succeed<ReadonlyArray<string>>([])

const writing: ReadonlySet<Capability> = new Set(["rw", "rw_plan", "shell_rw"])

/** `undefined`: nothing that it writes lasts. */
export const of = (
  tool: AnyTool,
  toolCallId: string,
  { decision, settings, workspace }: Decided,
  { sessionId, turn }: TurnContext
): WritingCall | undefined => {
  const mode = CallConfinement.modeOf({ decision, settings })
  const { capabilities } = decision
  if (!capabilities.some((capability) => writing.has(capability)) || isScratch(mode)) return undefined
  return {
    sessionId,
    turn,
    toolCallId,
    tool: tool.name,
    writer: tool.mcp !== undefined ? "server" : capabilities.includes("shell_rw") ? "command" : "file tool",
    capabilities,
    mode,
    folders: CallConfinement.foldersOf(workspace)
  }
}

interface Observed<A, E> {
  readonly exit: Exit.Exit<A, E>
  readonly notes: ReadonlyArray<string>
}

/** Runs a call between the two looks of each observer. */
export const around = <A, E, R>(
  call: WritingCall | undefined,
  observers: ReadonlyArray<WriteObserver>,
  run: Effect.Effect<A, E, R>
): Effect.Effect<Observed<A, E>, never, R> =>
  call === undefined
    ? Effect.map(Effect.exit(run), (exit) => ({ exit, notes: [] }))
    : Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
      const after = yield* Effect.forEach(observers, ({ before }) => before(call))
      const exit = yield* Effect.exit(restore(run))
      const isCutOff = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
      const notes = yield* Effect.forEach(after, (look) => look(isCutOff))
      return { exit, notes: notes.flat() }
    }))

/**
 * Says what became of protected paths that could not be held. Postern's own file tools do not write there. A command in
 * the background works between the calls: what it did is said in the next result.
 */
export const protectedPaths = (
  sandbox: Sandbox["Service"],
  { jobs, state }: TurnContext,
  first: Effect.Effect<Protection>
): WriteObserver => ({
  before: Effect.fnUntraced(function*({ folders, mode, writer }) {
    if (mode !== "workspace-write" || writer === "file tool") return nothing
    const stateIn = Effect.map(({ found }: Protection) => ProtectedPaths.stateOf(found))
    const look = stateIn(sandbox.protection(folders))
    const before = yield* stateIn(first)
    const known = state.protected
    const since = known !== undefined && (known.isUnseen || jobs.all().length > 0)
      ? ProtectedPaths.changes(known.state, before).map((line) => `since the command before this one, ${line}`)
      : []
    return (isCutOff) => {
      state.protected = { state: known?.state ?? before, isUnseen: true }
      return isCutOff ? nothing() : Effect.map(look, (after) => {
        state.protected = jobs.all().length > 0 ? { state: after, isUnseen: false } : undefined
        return [...since, ...ProtectedPaths.changes(before, after)]
      })
    }
  })
})

/** Says which paths that deny rules name a call has made: no command could be kept from a path that is not there. */
export const deniedPaths = (
  input: CallConfinement.ConfinementInput,
  before: ReturnType<typeof CallConfinement.deniedPaths>
): WriteObserver => ({
  before: Effect.fnUntraced(function*({ mode, writer }) {
    if (mode === "danger-full-access" || writer === "file tool") return nothing
    const { rules } = yield* before
    return (isCutOff) =>
      isCutOff ? nothing() : Effect.map(
        CallConfinement.deniedPaths(input),
        (after) =>
          Array.from(after.rules).filter(([path]) => !rules.has(path)).map(([path, rule]) =>
            `${quoted(path)} was created, which the rule deny ${rule} covers; it is held from the next call on`
          )
      )
  })
})
