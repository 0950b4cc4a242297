import { topicOf } from "./CommandNames.ts"

/** The first line of what the session was first asked to do. */
export const titleOf = (prompt: string): string | null => {
  const line = (topicOf(prompt) ?? "").trim().split("\n", 1)[0]!.trim()
  return line === "" ? null : line.length > 80 ? `${line.slice(0, 79)}…` : line
}
