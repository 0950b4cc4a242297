import type { Decision } from "./Decision.ts"
import type { CallAction, Word } from "./CallAction.ts"

interface TracePart {
  readonly program: Word
  readonly argv: ReadonlyArray<Word>
  readonly opaque: boolean
}

/** The commands of a shell call; for other calls the paths, addresses or tool names, as rules name them. */
const partsOf = ({ facts, parts, shell }: Decision): ReadonlyArray<TracePart> => {
  if (facts.parseError) return [{ program: null, argv: [], opaque: true }]
  return parts.flatMap((part): ReadonlyArray<TracePart> => {
    if (part.kind === "command") return [{ program: part.program, argv: part.argv, opaque: part.opaque }]
    return shell ? [] : [{ ...touched(part), opaque: false }]
  })
}

const touched = (part: Exclude<CallAction, { readonly kind: "command" }>) =>
  part.kind === "tool"
    ? { program: part.name, argv: [part.name] }
    : { program: part.kind, argv: [part.kind, part.text] }

/**
 * A decision as `policy explain` and `_rules/test` show it. A dry run asks nobody: it says `ask` where a person would
 * be asked.
 */
export const trace = (decision: Decision) => {
  const { capabilities, code, gate, gates, outcome, reason, rule, sandbox, shapes } = decision
  return {
    outcome,
    gate,
    code,
    reason,
    capabilities,
    shapes,
    parts: partsOf(decision),
    ...(rule === undefined ? {} : { rule: rule.rule }),
    ...(sandbox === undefined
      ? {}
      : {
        sandbox: {
          mode: sandbox.mode === "workspace-scratch" ? "scratch" as const : sandbox.mode,
          network: sandbox.network ? "on" as const : "off" as const
        }
      }),
    gates
  }
}

/**
 * What a question shows: the whole call, its actions, its risks, the reason for asking, and the sandbox. See
 * docs/policy.md#what-a-question-shows.
 */
export const explain = ({ parts, reason, sandbox, shapes }: Decision): string => {
  const commands = parts.filter((part) => part.kind !== "tool")
  return [
    `Asked because: ${reason}`,
    ...(commands.length > 1
      ? ["Parts:", ...commands.map(({ kind, text }) => kind === "command" ? `  ${text}` : `  ${kind} ${text}`)]
      : []),
    ...shapes.map(({ category, part }) => `Dangerous (${category}): ${part}`),
    ...(sandbox === undefined
      ? []
      : [`Runs in: ${sandbox.mode}, network ${sandbox.network ? "on" : "off"} (${sandbox.note})`])
  ].join("\n")
}

/** The text of a refusal for the model and people. See docs/policy.md#refusals. */
export const denial = ({ code, gate, reason }: Pick<Decision, "gate" | "code" | "reason">): string =>
  `Denied by ${gate} (${code}): ${reason}`
