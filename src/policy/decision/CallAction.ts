/**
 * What one call consists of, as rules see it (policy §2.3): every simple command of a shell call, wherever it hides, one pseudo-part
 * for each redirect, and the paths, hosts and names that other tools touch.
 */

/** A word after quote removal; `null` where it is not literal (an expansion, a glob, a substitution). */
export type Word = string | null

/** A file that a command's arguments name, as an absolute path: only where program and argument are known. */
export interface FileOperand {
  readonly kind: "read" | "write"
  readonly path: string
  /** The path is a pattern of the shell, and stands for whatever fits it. */
  readonly glob?: true
  /** What is meant is not the path but what lies below: all of it, as `rm -r` does, some of it, or a file whose name nobody knows. */
  readonly below?: "all" | "some" | "one" | undefined
}

/** One certain file. */
export const isNamed = ({ below, glob }: FileOperand): boolean => below === undefined && glob === undefined

/**
 * One simple command. A wrapper is a part of its own, followed by a part for what it runs: `sudo rm x` gives `sudo rm x` and, with
 * `wrappers: ["sudo"]`, `rm x`. A bare assignment that matters to later commands, as `PATH=…`, has no arguments and an empty program.
 */
export interface CommandAction {
  readonly kind: "command"
  /** As written, for people. */
  readonly text: string
  /** The first word as written, path included; `null` where it is not literal. */
  readonly program: Word
  /** The program and its arguments. */
  readonly argv: ReadonlyArray<Word>
  readonly assignments: ReadonlyArray<{ readonly name: string; readonly value: Word }>
  /** Programs around this one, outermost first: `["timeout", "sudo"]` for the `rm` of `timeout 5 sudo rm x`. */
  readonly wrappers: ReadonlyArray<string>
  /** The folder it runs in as far as literal `cd`s tell; `null` where that is not known. */
  readonly cwd: Word
  readonly touches: ReadonlyArray<FileOperand>
  /** It runs in a container, where paths are others. */
  readonly contained?: true
  /** Its program or the code it runs is not literal: no wildcard may ever allow it. */
  readonly opaque: boolean
}

/** A redirect of a shell call, or a path a file tool names: absolute, `null` where it is not literal. */
export interface PathAction {
  readonly kind: "read" | "write"
  readonly text: string
  readonly path: Word
}

export interface FetchAction {
  readonly kind: "fetch"
  readonly text: string
  readonly url: string
}

export interface McpAction {
  readonly kind: "mcp"
  readonly text: string
  readonly server: string
  readonly tool: string
}

/** Any other tool, by name and arguments. */
export interface ToolAction {
  readonly kind: "tool"
  readonly text: string
  readonly name: string
  readonly parameters: Readonly<Record<string, unknown>>
}

export type CallAction = CommandAction | PathAction | FetchAction | McpAction | ToolAction

/** A dangerous shape and the part that has it (policy §3). */
export interface RiskFinding {
  /** Short and stable, such as `fs-wipe`. */
  readonly category: string
  readonly part: string
}

/** Where a call happens: paths are canonical. */
export interface ActionContext {
  readonly cwd: string
  readonly roots: ReadonlyArray<string>
  readonly home: string
  /** Whether reads of the git repository around a folder run no programs that it names itself; where absent, they may. */
  readonly isPlainRepository?: (folder: string) => boolean
  /** Whether the user counts a command, as words, among those that build or test. */
  readonly isTest?: (words: ReadonlyArray<Word>) => boolean
  /** What a path leads to; where absent, nobody knows. */
  readonly kindOf?: (path: string) => "file" | "folder" | "none"
}
