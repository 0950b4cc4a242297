/**
 * What an editor is told when the agent cannot start. Runs on every Node.js since 10, so it keeps to the syntax of ES2018 and to what was
 * there already.
 */

/** A client that has said nothing for so long will not. In milliseconds. */
const patience = 10_000

interface Message {
  readonly id?: unknown
  readonly method?: unknown
}

const parsed = (line: string): Message | undefined => {
  try {
    const message: unknown = JSON.parse(line)
    return typeof message === "object" && message !== null ? message : undefined
  } catch {
    return undefined
  }
}

const answerTo = (line: string, message: string, reason: string): string => {
  const request = parsed(line)
  if (request === undefined || typeof request.method !== "string" || request.id === undefined) return ""
  const error = { code: -32603, message, data: { reason } }
  return JSON.stringify({ jsonrpc: "2.0", id: request.id, error }) + "\n"
}

/**
 * Answers the first requests on standard input (mostly `initialize`) with the reason, and then calls `done`: also at the end of input, at
 * a terminal, and after ten seconds without a request. See docs/cli.md#postern-acp.
 */
export const answer = (
  message: string,
  reason: string,
  write: typeof process.stdout.write,
  done: () => void
): void => {
  const input = process.stdin
  if (input.isTTY || input.destroyed) return done()
  let text = ""
  let isDone = false
  const finish = () => {
    if (isDone) return
    isDone = true
    clearTimeout(timer)
    input.pause()
    done()
  }
  const timer = setTimeout(finish, patience)
  const take = (lines: ReadonlyArray<string>) => {
    const answers = lines.map((line) => answerTo(line, message, reason)).join("")
    if (answers !== "") write(answers, finish)
  }
  input.setEncoding("utf8")
  input.on("data", (part: string) => {
    const lines = (text + part).split("\n")
    text = lines.pop() || ""
    take(lines)
  })
  input.on("end", () => {
    const rest = answerTo(text, message, reason)
    if (rest === "") finish()
    else write(rest, finish)
  })
  input.on("error", finish)
}
