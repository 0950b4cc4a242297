import type { PolicySettings } from "../../domain/PolicySettings.ts"
import type { OperatorLimits } from "../../policy/decision/Limits.ts"
import { explanation } from "../../security/Untrusted.ts"
import type { Skill } from "../../workspace/Skills.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import type { Instruction } from "./Instructions.ts"
import { policyWords, safetyWords } from "../policy/PolicyWords.ts"

/** All that the system prompt is made of: the same facts give the same text. */
export interface Facts {
  readonly agent: string
  readonly model: string
  /** With the offset from UTC, to the day: a clock would make every request new. */
  readonly date: string
  /** The system, its release and the architecture. */
  readonly platform: string
  readonly workspace: Pick<Workspace, "cwd" | "roots" | "readable" | "allowed">
  /** Names of what is offered. */
  readonly tools: ReadonlySet<string>
  readonly knobs: PolicySettings
  readonly limits: OperatorLimits
  readonly identity: ReadonlyArray<Instruction>
  readonly project: ReadonlyArray<Instruction>
  readonly skills: ReadonlyArray<Skill>
  /** 0 is no limit. */
  readonly maxChars: number
}

const section = (title: string, lines: ReadonlyArray<string>): string =>
  lines.length === 0 ? "" : `# ${title}\n\n${lines.join("\n")}`

const bullets = (lines: ReadonlyArray<string>) => lines.map((line) => `- ${line}`)

const isTouching = (tools: ReadonlySet<string>) => tools.has("file_read") || tools.has("shell")

const working = (tools: ReadonlySet<string>): ReadonlyArray<string> =>
  isTouching(tools)
    ? bullets([
      "Look before you change something, and change no more than the task needs. Keep to the style of the code around it.",
      "Say only what you have seen: never claim that a file was changed, a command was run or a test passed when no tool result shows it.",
      "When a call fails or is refused, read why. Do not repeat it unchanged and do not try to reach the same effect another way.",
      "After a change, check it with the project's own tests, type checks or build where it has them.",
      ...(tools.has("TodoWrite")
        ? ["Keep a plan with TodoWrite for work of three or more steps, and keep it up to date."]
        : []),
      ...(tools.has("ask_user")
        ? ["Ask the user only what you cannot find out yourself and what changes what you do."]
        : []),
      explanation,
      "Answer briefly, in Markdown. End with what you did and what is left."
    ])
    : bullets([
      "No tool of yours reaches files or commands. Say so where that is needed, and claim nothing you cannot know.",
      "Answer briefly, in Markdown."
    ])

const shell = bullets([
  "Commands run in bash where there is one, else in sh, starting in the working directory. Each call is a shell of its own: nothing carries over.",
  "There is no terminal and no input: use flags that do not ask, and no pagers or editors.",
  "Quote paths. Prefer the file and search tools to cat, sed, find and grep."
])

const documents = (files: ReadonlyArray<Instruction>): ReadonlyArray<string> =>
  files.map(({ path, text }) => `<file path="${path}">\n${text}\n</file>`)

const skillLines = (skills: ReadonlyArray<Skill>, tools: ReadonlySet<string>): ReadonlyArray<string> =>
  skills.length === 0 || !isTouching(tools) ? [] : [
    `Before you do what one of these is for, read it (${
      tools.has("read_skill") ? "read_skill" : "file_read of its path"
    }) and follow it.`,
    "",
    ...skills.map(({ description, name, path }) =>
      `- ${name}: ${description}${tools.has("read_skill") ? "" : ` (${path})`}`
    )
  ]

const listed = (what: string, folders: ReadonlyArray<string>) =>
  folders.length === 0 ? [] : [`${what}: ${folders.join(", ")}.`]

const place = ({ allowed, cwd, readable, roots }: Facts["workspace"], confined: boolean): ReadonlyArray<string> => [
  `The working directory is ${cwd}. Relative paths mean paths in it.`,
  ...listed("The session's further folders", roots.slice(1)),
  ...listed("Folders that may be used as well", allowed),
  ...listed("Folders that may be read as well", readable.filter((folder) => folder !== cwd)),
  ...(confined ? ["Everything else is out of reach for the file tools."] : [])
]

/** Truncation takes from the files first: what follows them has to be known. */
const fitted = (render: (files: (text: string) => string) => string, maxChars: number): string => {
  const whole = render((text) => text)
  if (maxChars === 0 || whole.length <= maxChars) return whole
  const bare = render(() => "").length
  let room = Math.max(0, maxChars - bare)
  const shortened = render((text) => {
    const kept = text.slice(0, room)
    room = Math.max(0, room - text.length)
    return kept
  })
  return shortened.slice(0, maxChars)
}

/**
 * The system prompt (zeroclaw.md §4.3), what changes least first, so that a provider's cache holds as long as it can. Empty sections
 * vanish.
 */
export const render = (facts: Facts): string => {
  const { agent, date, identity, knobs, limits, maxChars, model, platform, project, skills, tools, workspace } = facts
  const hasShell = tools.has("shell")
  return fitted((files) =>
    [
      `You are "${agent}", a coding agent in Postern, which checks each of your tool calls against a policy before it runs.`,
      section("Work", working(tools)),
      section("Safety", [safetyWords(limits.level)]),
      hasShell ? section("Shell", shell) : "",
      files(section("Who you are", documents(identity))),
      files(section("The project's instructions", documents(project))),
      files(section("Skills", skillLines(skills, tools))),
      section("Place", place(workspace, limits.workspaceOnly)),
      section("Policy", bullets(policyWords(knobs, limits, hasShell))),
      `System: ${platform}. Model: ${model}. Today: ${date}.`
    ].filter((part) => part !== "").join("\n\n"), maxChars)
}
