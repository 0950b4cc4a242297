import type { AutonomyLevel, PolicySettings } from "../../domain/PolicySettings.ts"
import type { OperatorLimits } from "../../policy/decision/Limits.ts"

/** The policy in force, for the model: what is so, never how it could be otherwise. */

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

const listed = (what: string, items: ReadonlyArray<string>) =>
  items.length === 0 ? [] : [`${what}: ${items.join(", ")}.`]

export const safetyWords = (level: AutonomyLevel): string => safety[level]

export const policyWords = (
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
