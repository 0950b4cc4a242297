/**
 * The actions of one call, as rules see them: every simple command of a shell call however nested, one action for each
 * redirect, and the paths, addresses and names of other tools. See docs/policy.md#parts-of-a-command.
 */

/** A word after quote removal; `null` where it is not literal (an expansion, a glob, a substitution). */
export type Word = string | null

/** A file that a command's arguments name, as an absolute path: only where program and argument are known. */
export interface FileOperand {
  readonly kind: "read" | "write"
  readonly path: string
  /** The path is a shell pattern and stands for every match. */
  readonly glob?: true
  /** Paths below the path are meant: all of them, as in `rm -r`, some of them, or one whose name is unknown. */
  readonly below?: "all" | "some" | "one" | undefined
}

/** Whether exactly one known file is meant. */
export const isNamed = ({ below, glob }: FileOperand): boolean => below === undefined && glob === undefined

/**
 * One simple command. A wrapper is an action of its own, followed by one for what it runs: `sudo rm x` gives `sudo rm
 * x` and, with `wrappers: ["sudo"]`, `rm x`. A bare assignment that affects later commands, as `PATH=…`, has no
 * arguments and an empty program.
 */
export interface CommandAction {
  readonly kind: "command"
  /** As written, for people. */
  readonly text: string
  /** The first word as written, path included; `null` where it is not literal. */
  readonly program: Word
  /** The program and its arguments. */
  readonly argv: ReadonlyArray<Word>
  /**
   * What the words will be for certain, also where they are not literal, and the pattern of one that stands for names;
   * absent where `argv` tells all.
   */
  readonly values?: ReadonlyArray<Word>
  /** The same for each further time that a loop comes here. */
  readonly alternatives?: ReadonlyArray<ReadonlyArray<Word>>
  /** Indexes of words that another action prints or passes on. */
  readonly printed?: ReadonlyArray<number>
  /** A substitution takes what it prints. */
  readonly captured?: true
  readonly assignments: ReadonlyArray<{ readonly name: string; readonly value: Word }>
  /** Programs around this one, outermost first: `["timeout", "sudo"]` for the `rm` of `timeout 5 sudo rm x`. */
  readonly wrappers: ReadonlyArray<string>
  /** The folder it runs in, as far as literal `cd`s tell; `null` where it is unknown. */
  readonly cwd: Word
  readonly touches: ReadonlyArray<FileOperand>
  /** Paths besides these that it may read, as absolute ones: words that look like one and are not told to be anything else. */
  readonly mentions?: ReadonlyArray<string>
  /** It runs in a container, where paths mean other files. */
  readonly contained?: true
  /** Its program or the code it runs is not literal: no wildcard allows it. */
  readonly opaque: boolean
}

/** A redirect of a shell call, or a path a file tool names: absolute, `null` where it is not literal. */
export interface PathAction {
  readonly kind: "read" | "write"
  readonly text: string
  readonly path: Word
}

interface FetchAction {
  readonly kind: "fetch"
  readonly text: string
  readonly url: string
  /** It changes something there, or sends more than an address. */
  readonly changes?: true
}

interface McpAction {
  readonly kind: "mcp"
  readonly text: string
  readonly server: string
  readonly tool: string
}

/** Any other tool, by name and arguments. */
interface ToolAction {
  readonly kind: "tool"
  readonly text: string
  readonly name: string
  readonly parameters: Readonly<Record<string, unknown>>
}

export type CallAction = CommandAction | PathAction | FetchAction | McpAction | ToolAction

/** A danger shape and the action that has it. See docs/policy.md#dangerous-commands. */
export interface RiskFinding {
  /** Short and stable, such as `fs-wipe`. */
  readonly category: string
  readonly part: string
}

/** The context of a call; paths are canonical. */
export interface ActionContext {
  readonly cwd: string
  readonly roots: ReadonlyArray<string>
  readonly home: string
  /**
   * Whether reading the git repository around a folder runs no program that the repository configures; absent: it may.
   */
  readonly isPlainRepository?: (folder: string) => boolean
  /** Whether a program's bare name may lead to a file in a folder that calls write to; absent: it does not. */
  readonly isInFolders?: (program: string) => boolean
  /** Whether the user lists a command, as words, among those that build or test. */
  readonly isTest?: (words: ReadonlyArray<Word>) => boolean
  /** What a path leads to; absent: unknown. */
  readonly kindOf?: (path: string) => "file" | "folder" | "none"
}
