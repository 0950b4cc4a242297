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

/** On one line, in a span of code that the text cannot end. */
const code = (text: string): string => {
  const line = text.replace(/\s*\n\s*/g, " ⏎ ")
  const longest = Array.from(line.matchAll(/`+/g)).reduce((most, [run]) => Math.max(most, run.length), 0)
  const tick = "`".repeat(longest + 1)
  return /^`|`$/.test(line) ? `${tick} ${line} ${tick}` : `${tick}${line}${tick}`
}

/**
 * The details of a question beside its plain reason, one a line, as Markdown: the actions of the call, its risks, what
 * the gate says, the sandbox, and the rules that an "always" answer adds. See docs/policy.md#what-a-question-shows.
 */
export const details = (
  { code: word, gate, parts, reason, sandbox, shapes }: Decision,
  rules: { readonly allow: ReadonlyArray<string>; readonly deny: ReadonlyArray<string> }
): ReadonlyArray<string> => {
  const commands = parts.filter((part) => part.kind !== "tool")
  const adds = (answer: string, texts: ReadonlyArray<string>) =>
    texts.length === 0
      ? []
      : [`${answer} adds ${texts.length === 1 ? "the rule" : "the rules"} ${texts.map(code).join(", ")}`]
  return [
    ...(commands.length > 1
      ? commands.map(({ kind, text }) => `${kind === "command" ? "runs" : `${kind}s`} ${code(text)}`)
      : []),
    ...shapes.map(({ category, part }) => `dangerous (${category}): ${code(part)}`),
    `asked by ${gate} (${word}): ${reason}`,
    ...(sandbox === undefined
      ? []
      : [`runs in ${sandbox.mode}, network ${sandbox.network ? "on" : "off"} (${sandbox.note})`]),
    ...adds("“Always allow”", rules.allow),
    ...adds("“Always reject”", rules.deny)
  ]
}

/** The text of a refusal for the model and people. See docs/policy.md#refusals. */
export const denial = ({ code, gate, reason }: Pick<Decision, "gate" | "code" | "reason">): string =>
  `Denied by ${gate} (${code}): ${reason}`
