import { checkError, checkParams, checkResult } from "./AcpSchema.ts"
import { Ordering } from "./Ordering.ts"
import { type Dialect, isResponse, type Message } from "./Wire.ts"

const envelopes = [
  ["jsonrpc", "method"],
  ["jsonrpc", "method", "params"],
  ["id", "jsonrpc", "method"],
  ["id", "jsonrpc", "method", "params"],
  ["id", "jsonrpc", "result"],
  ["error", "id", "jsonrpc"]
].map((keys) => keys.join())

/** Judges every line an agent writes: JSON-RPC envelope, ACP schema, no keys of its own, order. */
export class Validator {
  readonly problems: Array<string> = []
  private readonly dialect: Dialect
  private readonly ordering: Ordering

  constructor(dialect: Dialect) {
    this.dialect = dialect
    this.ordering = new Ordering(dialect, (problem) => this.problems.push(problem))
  }

  sent(message: Message): void {
    this.ordering.sent(message)
  }

  received(line: string): Message | undefined {
    const message = this.parse(line)
    if (message === undefined) return undefined
    const problem = this.judge(message)
    if (problem) this.problems.push(`${problem} in ${line.slice(0, 300)}`)
    return message
  }

  private parse(line: string): Message | undefined {
    try {
      const value: unknown = JSON.parse(line)
      if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Message
    } catch { /* reported below */ }
    this.problems.push(`stdout carries what is no JSON object: ${JSON.stringify(line.slice(0, 300))}`)
    return undefined
  }

  private judge(message: Message): string | undefined {
    if (message.jsonrpc !== "2.0") return "jsonrpc is not \"2.0\""
    if (!envelopes.includes(Object.keys(message).sort().join())) return "not a JSON-RPC 2.0 envelope"
    const answered = this.ordering.received(message)
    const strict = this.dialect === "acp"
    if (!isResponse(message)) {
      // `reject_with_edit` is a promise of the other dialect, not a value of the specification.
      if (!strict && message.method === "session/request_permission") return undefined
      return checkParams(message.method ?? "", message.params, strict)
    }
    if (message.error === undefined) return answered ? checkResult(answered, message.result, strict) : undefined
    if (typeof message.error.data?.["reason"] !== "string") return "error without data.reason"
    return checkError(message.error)
  }
}
