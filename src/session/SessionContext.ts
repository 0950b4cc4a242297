import type { Effect, Scope } from "effect"
import type { SessionEvent } from "../domain/SessionEvent.ts"
import type { PrivateTmp } from "../sandbox/Confinement.ts"
import type { ProtectedState } from "../sandbox/plan/ProtectedPaths.ts"
import type { Memory } from "../store/MemoryStore.ts"
import type { ClientSide } from "../tool/ClientSide.ts"
import type { SessionTools } from "../tool/SessionTools.ts"
import type { Jobs } from "../tool/shell/Jobs.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { History } from "./context/History.ts"
import type { PromptFiles } from "./context/SystemPrompt.ts"
import type { Configured } from "./lifecycle/Agents.ts"
import type { Approvals } from "./policy/Approvals.ts"
import type { SessionModel } from "./policy/SessionModel.ts"
import type { SessionFiles } from "./SessionFiles.ts"
import type { SessionPolicy } from "./policy/SessionPolicy.ts"

export type SessionMode = "acp" | "chat"

/** Choices of a client for one session, which take precedence over the configuration of its agent. */
export interface SessionOverrides {
  readonly model?: string
  /** The alias of a provider. */
  readonly modelProvider?: string
  readonly temperature?: number
  /** A chat session does without the agent's memory; ACP sessions never use it. */
  readonly excludeMemory?: boolean
}

/**
 * What the engine keeps of an active session from turn to turn. Everything but `temporary` can be made again from the
 * store and the files.
 */
export interface SessionState {
  /** The model's context as the last turn left it; absent once others needed the room, see `context/ContextWindow.ts`. */
  history?: History | undefined
  /**
   * Tokens to add to an estimate of the messages: the system prompt, the tools, and the error of the estimate. Absent until a
   * provider has counted.
   */
  tokenOffset?: number | undefined
  /** The files of the system prompt; absent: the next turn reads them. */
  promptFiles?: PromptFiles | undefined
  /** The temporary folders of its commands. */
  temporary?: PrivateTmp | undefined
  /** How what is protected was when it was looked at last; unseen, where a command that was cut off came after. */
  protected?: { readonly state: ProtectedState; readonly isUnseen: boolean } | undefined
  /** The content of the project's rules file of which the user was told that it is not trusted. */
  toldDistrust?: string | undefined
  /** Why sessions are kept in memory only, as the user was told. */
  toldTrouble?: string | undefined
  /** The session's own tools together with those of its memory. */
  memoryTools?: { readonly own: SessionTools; readonly memory: Memory; readonly all: SessionTools } | undefined
}

/** What an active session lends to its turns and to the policy: made once, together with the session. */
export interface SessionContext {
  readonly sessionId: string
  /** The alias of its agent. */
  readonly agent: string
  readonly mode: SessionMode
  /** What the configuration says of the agent now. */
  readonly configured: () => Configured
  readonly workspace: Workspace
  readonly policy: SessionPolicy
  readonly model: SessionModel
  /** Those that only this session has, besides the built-in ones. */
  readonly tools: SessionTools
  /** Its commands in the background. */
  readonly jobs: Jobs
  readonly approvals: Approvals
  /** What the clients that watch the session now do for it. */
  readonly client: () => ClientSide
  readonly publish: (event: SessionEvent) => Effect.Effect<void>
  readonly files: SessionFiles
  /** Closes with the session, after its turn and its commands have ended. */
  readonly remains: Scope.Scope
  readonly state: SessionState
}
