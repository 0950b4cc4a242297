import { type Effect, Schema } from "effect"
import type { EffectiveSandbox } from "../domain/PolicySettings.ts"
import type { BackendChoice } from "../domain/SandboxBackend.ts"
import type { Protection } from "./plan/Protection.ts"

/** What one call may reach (docs/sandbox.md#effective-mode). All paths are canonical and absolute. */
export interface SandboxRequest {
  readonly mode: EffectiveSandbox
  readonly network: boolean
  readonly cwd: string
  /** The folders of the session; what `mode` says about the workspace holds for each of them. */
  readonly roots: ReadonlyArray<string>
  /** Further folders that may be read, also where everything else is hidden. */
  readonly readable?: ReadonlyArray<string>
  /** Further files and folders to hide, such as those of the user's own deny rules. */
  readonly masks?: ReadonlyArray<string>
  /** Files and folders to show although they would be hidden for what usually lies there; `masks` win. */
  readonly visible?: ReadonlyArray<string>
  /**
   * Further files and folders to show read-only, wherever they lie and with the links on the way to them; `masks` and
   * Postern's own state win. Absolute, as somebody named them; they need not exist.
   */
  readonly named?: ReadonlyArray<string>
  /** Further files and folders of the session's own that must not be written to. */
  readonly readOnly?: ReadonlyArray<string>
  /** What is protected in `roots`, by a look at them a moment ago; without it they are looked at. */
  readonly protection?: Protection
  /** A folder below Postern's data that may be written to in every mode, as {@link Sandbox.cache} made it. */
  readonly cache?: string
  /** The session's; without it each command has temporary folders of its own. */
  readonly temporary?: PrivateTmp
  /** The whole environment of the command, already free of secrets. */
  readonly env: Readonly<Record<string, string>>
  /** `auto` when absent. */
  readonly backend?: BackendChoice
}

export type BackendName = "bubblewrap" | "landlock" | "seatbelt" | "firejail" | "docker" | "none"

/** What is enforced for one call, as a fact. `net` is `none` too where the network is meant to be open. */
export interface EnforcementReport {
  readonly backend: BackendName
  readonly mode: EffectiveSandbox
  readonly network: boolean
  readonly files: "full" | "partial" | "none"
  readonly net: "full" | "none"
  readonly processes: "full" | "partial" | "none"
  readonly notes: ReadonlyArray<string>
}

/** What the end of a confined process means (docs/sandbox.md#what-a-refusal-looks-like). */
export type Attribution =
  | { readonly kind: "ordinary" }
  /** The command ran, and what it printed looks like a refusal by the sandbox; a fact next to the exit code. */
  | { readonly kind: "denied"; readonly note: string }
  /** The sandbox was set up, and the program to run does not exist. */
  | { readonly kind: "not-found"; readonly note: string }
  /** The command never ran. */
  | { readonly kind: "runner-failed"; readonly note: string }

export interface RunnerExit {
  readonly code: number | null
  /** We ended it ourselves. */
  readonly stopped: boolean
  /** What came through the status descriptor. */
  readonly status: string
  /** The last part of it. */
  readonly stderr: string
  /** Why the sandbox was not let run, though it stood. */
  readonly refused?: string | undefined
}

/**
 * One it reports through, one on which a living host answers, one that keeps it waiting until the sandbox was looked
 * at, bytes that it reads to their end, or a file or folder that is held from before the start.
 */
type Descriptor = "status" | "alive" | "gate" | Uint8Array | { readonly path: string }

/** `pending`: the sandbox is still being set up. */
export type Admission = "pending" | "admitted" | { readonly refused: string }

/** The program that confines: what it is given besides its arguments, and how its end is read. */
export interface Runner {
  /** From 3 on. */
  readonly descriptors: ReadonlyArray<Descriptor>
  /** The process whose group holds the command, once the runner reported it; the runner itself ends when that does. */
  readonly innerPid: (status: string) => number | undefined
  /** Whether it reported the command's end, so that nothing is left of it. */
  readonly finished: (status: string) => boolean
  /** Looks at the sandbox from outside, with its first process, until it is no longer pending. For the gate. */
  readonly admit?: (pid: number) => Admission
  readonly attribute: (ending: RunnerExit) => Attribution
}

/** A command that is ready to be started: `Processes.run` takes it as it is. */
export interface ConfinedCommand {
  readonly argv: readonly [string, ...ReadonlyArray<string>]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly runner: Runner
  readonly report: EnforcementReport
  /** Ends, with the reason in words, when the command has to be stopped for what it uses. */
  readonly exceeded?: Effect.Effect<string>
}

/** The call cannot be held to what was asked, and therefore does not run. `remedy` is for the operator. */
export class SandboxUnavailable extends Schema.TaggedError<SandboxUnavailable>()("SandboxUnavailable", {
  missing: Schema.String,
  remedy: Schema.String
}) {
  override get message() {
    return `The sandbox is not available: ${this.missing}`
  }
}

/** Runs nothing but the command itself. */
export const plainRunner: Runner = {
  descriptors: [],
  innerPid: () => undefined,
  finished: () => true,
  attribute: () => ({ kind: "ordinary" })
}

/** What commands find as `/tmp` and `/var/tmp` in place of the machine's (docs/sandbox.md#temporary-files). */
export interface TemporaryFolders {
  readonly tmp: string
  readonly varTmp: string
  /** More is in them than may be: a command may delete and not write. */
  readonly full: boolean
}

/** The private temporary folders of one session. */
export interface PrivateTmp {
  /** For a command that can write. `shown` are folders that keep their place although it is inside `/tmp`. */
  readonly forWriting: (shown: ReadonlyArray<string>) => Effect.Effect<TemporaryFolders, SandboxUnavailable>
  /** For a command that only reads: once something is in them. */
  readonly forReading: (
    shown: ReadonlyArray<string>
  ) => Effect.Effect<TemporaryFolders | undefined, SandboxUnavailable>
  /** Waits until more is in them than may be, looking every second; says so. Stops nothing by itself. */
  readonly exceeded: Effect.Effect<string>
}
