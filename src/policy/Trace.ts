import type { Decision } from "./Decision.ts"

/** A decision as `policy explain` and `_rules/test` show it. A dry run asks nobody: where a person would be asked it says `ask`. */
export const trace = ({ capabilities, code, facts, gate, gates, outcome, parts, reason, rule, sandbox, shapes }: Decision) => ({
  outcome,
  gate,
  code,
  reason,
  capabilities,
  shapes,
  parts: facts.parseError
    ? [{ program: null, argv: [], opaque: true }]
    : parts.flatMap((part) => part.kind === "command" ? [{ program: part.program, argv: part.argv, opaque: part.opaque }] : []),
  ...(rule === undefined ? {} : { rule: rule.rule }),
  ...(sandbox === undefined ? {} : { sandbox: { mode: sandbox.mode === "workspace-scratch" ? "scratch" as const : sandbox.mode, network: sandbox.network ? "on" as const : "off" as const } }),
  gates
})

export type Trace = ReturnType<typeof trace>
