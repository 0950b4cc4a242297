/** JSON objects as they come off the wire: looked at by tests, not typed. */
export type Json = Record<string, any>

export type Id = string | number | null

export type Dialect = "acp" | "zeroclaw"

export interface Message extends Json {
  readonly jsonrpc: "2.0"
  readonly id?: Id
  readonly method?: string
  readonly params?: Json
  readonly result?: Json
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json }
}

export const isResponse = (message: Message): boolean => message.method === undefined && message.id !== undefined

/** What a request was answered with when it failed. */
export class RpcError extends Error {
  readonly code: number
  readonly data: Json | undefined
  constructor(error: NonNullable<Message["error"]>) {
    super(error.message)
    this.code = error.code
    this.data = error.data
  }
}

/** Sees one line of the wire, without its end. */
export type Tap = (direction: "sent" | "received", line: string) => unknown

export const tapped = (tap: Tap | undefined, bytes: string | Buffer): void => {
  if (tap === undefined) return
  for (const line of bytes.toString().replace(/\n$/, "").split("\n")) tap("sent", line)
}
