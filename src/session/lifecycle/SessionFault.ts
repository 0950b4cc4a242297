import type { BadCursor, StoreFailed } from "../../store/SessionStore.ts"
import type { AgentUnresolved } from "./Agents.ts"
import type { DirectoryRefused } from "./Folders.ts"
import type { SettingRefused } from "../policy/SessionPolicy.ts"
import type { RuleRefused } from "../policy/PolicyService.ts"
import type { PromptInvalid } from "../turn/PromptContent.ts"
import type { SessionLimit } from "./LiveSessions.ts"
import type { TurnFault } from "../turn/TurnEnd.ts"

/** Whatever an operation on sessions can fail with; each dialect has its own numbers for it. */
export type SessionFault =
  | AgentUnresolved
  | BadCursor
  | DirectoryRefused
  | SettingRefused
  | PromptInvalid
  | RuleRefused
  | SessionLimit
  | TurnFault

/** Why a session cannot be made active. */
export type ActivationFault = SessionLimit | AgentUnresolved | DirectoryRefused | StoreFailed
