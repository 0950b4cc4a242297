import type { AutonomyLevel, PolicySettings } from "../../domain/PolicySettings.ts"
import type { OperatorLimits } from "../../policy/decision/Limits.ts"
import { explanation } from "../../security/Untrusted.ts"
import type { Skill } from "../../workspace/Skills.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import { beginning } from "../../domain/Cut.ts"
import type { SessionRestrictions } from "../policy/SessionRestrictions.ts"
import { quoted } from "../../platform/QuotedName.ts"

/** A file with instructions for the agent. */
export interface Instruction {
  readonly path: string
  readonly text: string
}

/** What the system prompt contains of files. */
export interface PromptFiles {
  readonly identity: ReadonlyArray<Instruction>
  readonly project: ReadonlyArray<Instruction>
  readonly skills: ReadonlyArray<Skill>
}

/** Everything the system prompt is made of: the same values give the same text. */
export interface SystemPromptValues extends PromptFiles {
  readonly agent: string
  readonly model: string
  /** With the offset from UTC, to the day: a clock would make every request new. */
  readonly date: string
  /** The system, its release and the architecture. */
  readonly platform: string
  readonly workspace: Pick<Workspace, "cwd" | "roots" | "readable" | "allowed">
  /** Names of the advertised tools. */
  readonly tools: ReadonlySet<string>
  readonly settings: PolicySettings
  readonly limits: OperatorLimits
  /** What the session's client adds, or puts in the place of the agent's and the project's instructions. */
  readonly ofClient?: SessionRestrictions["systemPrompt"] | undefined
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
  files.map(({ path, text }) => `<file path="${quoted(path)}">\n${text}\n</file>`)

const skillLines = (skills: ReadonlyArray<Skill>, tools: ReadonlySet<string>): ReadonlyArray<string> =>
  skills.length === 0 || !isTouching(tools) ? [] : [
    `Before you do what one of these is for, read it (${
      tools.has("read_skill") ? "read_skill" : "file_read of its path"
    }) and follow it.`,
    "",
    ...skills.map(({ description, name, path }) =>
      `- ${name}: ${description}${tools.has("read_skill") ? "" : ` (${quoted(path)})`}`
    )
  ]

const listed = (what: string, folders: ReadonlyArray<string>) =>
  folders.length === 0 ? [] : [`${what}: ${folders.map(quoted).join(", ")}.`]

const place = (
  { allowed, cwd, readable, roots }: SystemPromptValues["workspace"],
  confined: boolean
): ReadonlyArray<string> => [
  `The working directory is ${quoted(cwd)}. Relative paths mean paths in it.`,
  ...listed("The session's further folders", roots.slice(1)),
  ...listed("Folders that may be used as well", allowed),
  ...listed("Folders that may be read as well", readable.filter((folder) => folder !== cwd)),
  ...(confined ? ["Everything else is out of reach for the file tools."] : [])
]

/** Truncation shortens the files first: the model needs what follows them. */
const fitted = (render: (files: (text: string) => string) => string, maxChars: number): string => {
  const whole = render((text) => text)
  if (maxChars === 0 || whole.length <= maxChars) return whole
  const bare = render(() => "").length
  let room = Math.max(0, maxChars - bare)
  const shortened = render((text) => {
    const kept = beginning(text, room)
    room = Math.max(0, room - text.length)
    return kept
  })
  return beginning(shortened, maxChars)
}

const safety: { readonly [L in AutonomyLevel]: string } = {
  readonly: "This session may look, and change nothing: every tool that writes or executes is refused.",
  supervised:
    "A person supervises this session: calls that change something may be shown to them first, and dangerous ones are refused.",
  full:
    "Calls run without a question. Nobody checks them before they take effect: be as careful as if the machine were your own."
}

const workModes: { readonly [M in PolicySettings["work_mode"]]: string } = {
  chat: "You can talk and plan; no tool touches anything.",
  ro: "You can read files and run commands that only read; nothing can be changed.",
  pl: "You are planning: read as much as you need and write the plan (plan_write), but change nothing else.",
  sw: "You can read and write files; commands may only read, build and test.",
  aw: "You can read and write files and run commands."
}

const approvals: { readonly [A in PolicySettings["tool_approval"]]: string } = {
  manual: "Every call is shown to the user before it runs.",
  whitelist_accept: "Calls that only read run at once; others are shown to the user first.",
  blacklist_reject: "Calls that write or execute are refused; dangerous ones are shown to the user.",
  universal_accept: "Calls run at once; dangerous ones are shown to the user first.",
  universal_reject: "Calls are refused unless a rule allows them."
}

const sandboxes: { readonly [S in PolicySettings["sandbox"]]: string } = {
  "workspace-read": "Commands see the workspace only and change nothing.",
  "read-only": "Commands can read the system and change nothing.",
  "workspace-write": "Commands can read the system and change only the workspace.",
  "danger-full-access": "Commands are not confined."
}

/** Describes the current policy to the model, never how the policy could be changed. */
const policyLines = (
  values: PolicySettings,
  { allowedCommands, forbiddenCommands, forbiddenPaths }: OperatorLimits,
  hasShell: boolean
): ReadonlyArray<string> => [
  workModes[values.work_mode],
  ...(values.work_mode === "chat" ? [] : [
    approvals[values.tool_approval],
    ...(values.approval_response === "never"
      ? ["Nobody can be asked: a call that would have to be shown first is refused."]
      : []),
    values.network === "on" ? "The network may be used." : "There is no network.",
    ...(hasShell ? [sandboxes[values.sandbox]] : []),
    ...(hasShell ? listed("The only commands that may run", allowedCommands) : []),
    ...(hasShell ? listed("Commands that are refused", forbiddenCommands) : []),
    ...listed("Paths that are refused", forbiddenPaths)
  ])
]

/**
 * The system prompt, what changes least first, so that a provider's cache holds as long as it can. Empty sections
 * vanish. See docs/sessions.md#system-prompt
 */
export const render = (values: SystemPromptValues): string => {
  const {
    agent,
    date,
    identity,
    settings,
    limits,
    maxChars,
    model,
    ofClient,
    platform,
    project,
    skills,
    tools,
    workspace
  } = values
  const hasShell = tools.has("shell")
  const ofAgent = (files: (text: string) => string) => [
    `You are "${agent}", a coding agent in Postern, which checks each of your tool calls against a policy before it runs.`,
    section("Work", working(tools)),
    section("Safety", [safety[limits.level]]),
    hasShell ? section("Shell", shell) : "",
    files(section("Who you are", documents(identity))),
    files(section("The project's instructions", documents(project))),
    files(section("Skills", skillLines(skills, tools)))
  ]
  return fitted((files) =>
    [
      ...(ofClient?.mode === "override" ? [files(ofClient.text), explanation] : ofAgent(files)),
      ofClient?.mode === "append" ? files(section("Instructions of the client", [ofClient.text])) : "",
      section("Place", place(workspace, limits.workspaceOnly)),
      section("Policy", bullets(policyLines(settings, limits, hasShell))),
      `System: ${platform}. Model: ${model}. Today: ${date}.`
    ].filter((part) => part !== "").join("\n\n"), maxChars)
}
