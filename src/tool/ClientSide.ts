import type { Effect, Scope } from "effect"
import type { ToolFailed } from "./ToolFailed.ts"

/** What a client does for its session, where it offers it (docs/agent-client-protocol.md#client-methods). */

/** Its view of text files with unsaved buffers (`fs/*`). Paths are canonical and checked. */
export interface Editor {
  /** `undefined`: it knows no such file, and the disk is to be read instead. A failure is the client's refusal. */
  readonly read?: (path: string) => Effect.Effect<string | undefined, ToolFailed>
  /** False: it knows no such file, and the disk is to be written instead. A failure is the client's refusal. */
  readonly write?: (path: string, text: string) => Effect.Effect<boolean, ToolFailed>
}

interface TerminalCommand {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Bytes of output to keep, the newest. */
  readonly keep: number
}

export interface Terminal {
  readonly terminalId: string
  readonly output: Effect.Effect<{ readonly text: string; readonly cut: boolean }, ToolFailed>
  readonly exited: Effect.Effect<{ readonly code: number | null; readonly signal: string | null }, ToolFailed>
  readonly kill: Effect.Effect<void>
}

export interface ClientSide {
  readonly editor?: Editor
  /** Runs a command in a terminal of the client: outside every sandbox of ours. It is released with the scope. */
  readonly openTerminal?: (command: TerminalCommand) => Effect.Effect<Terminal, ToolFailed, Scope.Scope>
  /** Of its shell: they stand before those of this process, and are held to the same list. */
  readonly variables?: Readonly<Record<string, string>>
}

/** The only choice of a question that asks for no answer. */
export const seen = "Seen"
