import type { Decision } from "./Decision.ts"

/** What a person must know to answer: the whole call, its parts, its dangers, why it is asked about, and what it would run in (policy §1.9 E21). */
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

/** What the model and people read of a refusal (policy §1.9 E22). */
export const denial = ({ code, gate, reason }: Pick<Decision, "gate" | "code" | "reason">): string =>
  `Denied by ${gate} (${code}): ${reason}`
