import { quoted } from "../../platform/QuotedName.ts"
import type { CallAction } from "./CallAction.ts"
import type { Decision } from "./Decision.ts"
import { escalationCode } from "./Escalation.ts"

/**
 * Why a person is asked, in one sentence for somebody who knows nothing of gates. See
 * docs/policy.md#what-a-question-shows.
 */

/** The ends of sentences that begin with "This command", by the category of docs/policy.md#categories. */
export const dangers: Readonly<Record<string, string>> = {
  "fs-wipe": "deletes or overwrites what cannot be made again",
  disk: "writes to a disk device, or formats or partitions one",
  perms: "changes the permissions or owners of files in a way that may not be undone",
  "remote-exec": "runs code that it has only just downloaded",
  obfuscated: "runs code that is decoded or put together first",
  resource: "may use up the memory, the processor or the disk",
  privilege: "takes the rights of another user",
  "power-service": "shuts the machine down, or stops services or processes",
  kernel: "changes the kernel or its settings",
  persistence: "sets something up that runs later by itself",
  credentials: "reads keys, tokens or passwords",
  exfil: "sends files or their content to another machine",
  "reverse-shell": "opens a shell to somebody on the network",
  "net-config": "changes the configuration of the network",
  "git-destructive": "throws away commits or changes that git could bring back no more",
  "option-exec": "has an option that runs another program",
  container: "reaches the host from a container, or removes what containers hold",
  "publish-deploy": "publishes, deploys, or changes something on another machine",
  database: "deletes data from a database",
  interpreter: "runs code that starts programs, deletes files or opens connections",
  "system-write": "writes into folders of the system",
  accounts: "changes users or passwords",
  tamper: "changes what later commands do",
  packages: "removes packages of the system"
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`

const hostOf = (url: string): string => {
  try {
    return new URL(url).host
  } catch {
    return quoted(url)
  }
}

const ofAction = (action: CallAction): string | undefined => {
  switch (action.kind) {
    case "write":
      return `This writes ${quoted(action.text)}.`
    case "read":
      return `This reads ${quoted(action.text)}.`
    case "fetch":
      return action.changes === true
        ? `This sends a request to ${hostOf(action.url)} that may change something there.`
        : `This reads from the network, from ${hostOf(action.url)}.`
    case "mcp":
      return `This calls the tool ${quoted(action.tool)} of the MCP server ${
        quoted(action.server)
      }, which may change things.`
    default:
      return undefined
  }
}

const ofCapabilities = ({ capabilities, parts, shell }: Decision): string => {
  if (!shell) return parts.map(ofAction).find((one) => one !== undefined) ?? "This call may change something."
  return capabilities.includes("shell_rw")
    ? "This command may change files or start other programs."
    : "This command builds or tests, which runs code of the project."
}

/** The reason of a Tool approval policy without the name of that policy. */
const bare = (reason: string): string => reason.replace(/^[a-z_]+: /, "")

export const plainReason = (decision: Decision): string => {
  const { code, facts, reason, rule, settings, shapes, shell } = decision
  const subject = shell ? "This command" : "This call"
  const danger = shapes.map(({ category }) => dangers[category]).find((one) => one !== undefined)
  switch (code) {
    case escalationCode:
      return `${subject} asks for more access than the session gives, this once.`
    case "GUARD_ALLOW":
      return danger === undefined
        ? `A part of ${subject.toLowerCase()} is not literal, so that no rule can allow it by itself.`
        : `${subject} ${danger}, so that no rule allows it by itself.`
    case "OTP_REQUIRED":
      return `${subject} takes a one-time code.`
    case "RULE_ASK":
      return rule?.list === "ask" ? `A rule says to ask about ${subject.toLowerCase()}.` : sentence(reason)
    case "UNANALYSED":
      return sentence(reason.replace(/^the command/, "this command"))
    case "POLICY_ASK":
      if (danger !== undefined) return `${subject} ${danger}.`
      if (facts.opaque || facts.parseError) {
        return "What this command does cannot be told: a part of it is only known when it runs."
      }
      if (/, outside the session's folders$/.test(reason)) return sentence(bare(reason))
      return settings?.values.tool_approval === "manual" && !shell &&
          decision.parts.every(({ kind }) => kind === "tool")
        ? "Every call is asked about in this session."
        : ofCapabilities(decision)
    default:
      return sentence(reason)
  }
}
