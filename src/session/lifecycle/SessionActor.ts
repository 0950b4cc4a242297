import { Clock, Context, Deferred, Effect, Exit, FiberHandle, Scope } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import type { AgentSettings } from "../../config/Snapshot.ts"
import { type SessionRecord, SessionStore, type StoreFailed, TurnRunning } from "../../store/SessionStore.ts"
import type { McpServerConfig } from "../../domain/McpServerConfig.ts"
import { none, type SessionTools, ToolSource } from "../../tool/SessionTools.ts"
import type { ClientSide } from "../../tool/ClientSide.ts"
import * as Jobs from "../../tool/shell/Jobs.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import type { ModelCatalog } from "../../model/ModelCatalog.ts"
import type { AutonomyLevel } from "../../domain/PolicySettings.ts"
import * as Approvals from "../policy/Approvals.ts"
import type { Attachment } from "./Attachment.ts"
import * as Agents from "./Agents.ts"
import type { SessionEvent } from "../../domain/SessionEvent.ts"
import type { Session } from "./Session.ts"
import * as SessionModel from "../policy/SessionModel.ts"
import * as SessionPolicy from "../policy/SessionPolicy.ts"
import * as Steering from "../turn/Steering.ts"
import { Activity } from "../Activity.ts"
import type { SessionContext, SessionMode, SessionOverrides } from "../SessionContext.ts"
import * as SessionFiles from "../SessionFiles.ts"
import * as PromptContent from "../turn/PromptContent.ts"
import * as Turn from "../turn/Turn.ts"
import { TurnLoop } from "../turn/TurnLoop.ts"
import type { TurnEnd, TurnFault } from "../turn/TurnEnd.ts"

/** Further ones are dropped. */
const maxNoted = 32

/** The session of a stored row, in the scope it is made in: closing that ends the turn first. */
export const make = Effect.fnUntraced(function*(
  initial: SessionRecord,
  workspace: Workspace,
  agent: AgentSettings,
  mode: SessionMode,
  brought: ReadonlyArray<McpServerConfig> = []
): Effect.fn.Return<
  Session,
  StoreFailed,
  LiveSettings | ModelCatalog | SessionStore | Settings | TurnLoop | Scope.Scope
> {
  const store = yield* SessionStore
  const turnServices = Context.make(SessionStore, store).pipe(Context.add(TurnLoop, yield* TurnLoop))
  const activity = yield* Activity
  activity.sessions.add("opened")
  const live = yield* LiveSettings
  const configured = Agents.follow(live, agent)
  const { sessionId } = initial
  const attachments = new Set<Attachment>()
  const publish = (event: SessionEvent) =>
    Effect.forEach(attachments, (attachment) => attachment.publish(event), { discard: true })
  let opened = none
  const tools: SessionTools = {
    current: () => opened.current(),
    begin: Effect.suspend(() => opened.begin),
    sought: (name) => Effect.suspend(() => opened.sought(name)),
    policyChanged: Effect.suspend(() => opened.policyChanged)
  }
  // Made before the jobs, closed after them.
  const remains = yield* Scope.fork(yield* Effect.scope, "sequential")
  const jobs = yield* Jobs.make((call) => policy.stop.untilRefused(call))
  /** Ends background jobs and servers that the changed policy no longer permits. */
  const held = Effect.suspend(() => Effect.andThen(tools.policyChanged, jobs.policyChanged(policy.settings())))
  const changed = Effect.andThen(held, publish({ _tag: "PolicyChanged" }))
  const policy: SessionPolicy.SessionPolicy = yield* SessionPolicy.make(initial, configured, workspace, changed)
  const model = yield* SessionModel.make(sessionId, configured, publish({ _tag: "OptionsChanged" }))
  yield* live.onChange(Effect.suspend(() => policy.renewed() ? changed : held))
  const source = yield* ToolSource
  const scope = yield* Effect.scope
  const servers = () => [...live.last().mcp.servers, ...brought]
  /** Most sessions have no servers, and nothing is kept for any. */
  const openTools = Effect.suspend(() =>
    opened !== none || servers().length === 0 ? Effect.void : Effect.map(
      Scope.provide(source.open({ ...policy, workspace, servers }), scope),
      (tools) => void (opened = tools)
    ).pipe(
      // Servers run between turns as well, and an emergency stop ends those that it forbids.
      Effect.andThen(Effect.forkIn(policy.stop.follow(held), scope))
    )
  )
  yield* openTools
  const approvals = Approvals.make(attachments, () => configured().risk?.approvalRoute)
  /** Of several clients that offer an operation, the one attached first performs it. */
  const client = (): ClientSide => Object.assign({}, ...Array.from(attachments, ({ client }) => client ?? {}).reverse())
  let record = initial
  let lastActive = yield* Clock.currentTimeMillis
  let current: Turn.Turn | undefined
  let last: { readonly promptId: string; readonly turn: Turn.Turn } | undefined
  let begun = false
  /** What clients added while no turn ran, for the next one. */
  const noted: Array<string> = []
  let settling = 0
  let overrides: SessionOverrides = {}
  // Acquired last, released first: the turn ends before anything it uses.
  const handle = yield* FiberHandle.make<void>()

  const { dataDir } = yield* Settings
  const context: SessionContext = {
    sessionId,
    files: SessionFiles.make(workspace.cwd, dataDir, sessionId, policy.settings),
    agent: initial.agent,
    mode,
    configured,
    workspace,
    policy,
    model,
    tools,
    jobs,
    approvals,
    client,
    publish,
    remains,
    state: {}
  }

  const touch = Effect.map(Clock.currentTimeMillis, (now) => {
    lastActive = now
  })

  const run = (turn: Turn.Turn, previous: Turn.Turn | undefined, level: AutonomyLevel | undefined) =>
    Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
      if (previous) yield* Effect.exit(Deferred.await(previous.outcome))
      yield* live.current
      yield* openTools
      const startedAt = yield* Clock.currentTimeMillis
      const exit = yield* Effect.exit(
        policy.lowered(level)(Turn.execute(turn, context, record, overrides, restore))
      )
      const ended = Exit.isSuccess(exit) ? exit.value.end : Exit.failCause(exit.cause)
      activity.turnEnded(ended, (yield* Clock.currentTimeMillis) - startedAt)
      if (Exit.isSuccess(exit)) record = exit.value.record
      yield* touch
      if (current === turn) current = undefined
      yield* model.refresh
      yield* Deferred.done<TurnEnd, TurnFault>(
        turn.outcome,
        Exit.isSuccess(exit) ? exit.value.end : Exit.failCause(exit.cause)
      )
    })).pipe(Effect.provideContext(turnServices))

  const interrupt = Effect.suspend(() => {
    current?.steering.close()
    return current === undefined ? Effect.void : FiberHandle.clear(handle)
  })

  const begin: Session["begin"] = (prompt, promptId, level) =>
    Effect.suspend(() => {
      const previous = current
      if (settling > 0 || (previous && !previous.cancelled)) return Effect.fail(new TurnRunning({ sessionId }))
      const turn = Turn.make([...prompt, ...noted.splice(0).map((text) => PromptContent.marked(text))])
      current = turn
      begun = true
      last = promptId === undefined ? undefined : { promptId, turn }
      return Effect.as(
        FiberHandle.run(handle, run(turn, previous, level), { startImmediately: true }),
        Deferred.await(turn.outcome)
      )
    })

  const steer = (message: PromptContent.PreparedPrompt) =>
    Effect.suspend(() => Steering.say(sessionId, current?.steering, message))

  // Functions that every session has of its own are plain ones: each that `fnUntraced` makes takes half a kilobyte.
  return {
    ...context,
    record: () => record,
    rename: (title) =>
      Effect.gen(function*() {
        yield* store.rename(sessionId, title)
        record = yield* store.get(sessionId)
        yield* publish({ _tag: "InfoChanged", title: record.title, updatedAt: record.updatedAt })
        return record.title ?? ""
      }),
    attach: (attachment) => {
      attachments.add(attachment)
      return () => void attachments.delete(attachment)
    },
    attachments: () => Array.from(attachments).filter(({ isPresent }) => isPresent !== false).length,
    attached: () => attachments,
    turnOf: (promptId) => last?.promptId === promptId ? Deferred.await(last.turn.outcome) : undefined,
    begin,
    steer,
    say: (text) => {
      const message = [PromptContent.marked(text)]
      return Effect.catchTag(steer(message), "NoTurn", () => Effect.asVoid(begin(message)))
    },
    note: (text) =>
      Effect.catchTag(steer([PromptContent.marked(text)]), "NoTurn", () =>
        Effect.sync(() => {
          if (noted.length < maxNoted) noted.push(text)
        })),
    cancel: Effect.suspend(() => {
      if (current) current.cancelled = true
      return interrupt
    }),
    interrupt,
    overrides: () => overrides,
    override: (next) => {
      overrides = next
    },
    settle: Effect.suspend(() => {
      settling++
      return (current ? Effect.asVoid(Effect.exit(Deferred.await(current.outcome))) : Effect.void).pipe(
        Effect.onInterrupt(() => Effect.sync(() => settling--))
      )
    }),
    flush: Effect.suspend(() => current?.checkpoint ?? Effect.void),
    isUnprompted: () => !begun && record.title === null && record.usage === null,
    idleSince: () => current ? undefined : lastActive,
    touch
  }
})
