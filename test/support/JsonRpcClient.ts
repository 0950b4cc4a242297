import { type Id, type Json, type Message, RpcError } from "./Wire.ts"

/** What clients of any transport have in common: the messages they got, and waiting for those to come. */
export abstract class JsonRpcClient {
  readonly messages: Array<Message> = []
  /** Nothing more comes. */
  over = false
  private readonly waiting = new Set<() => void>()
  private lastId = 0

  abstract send(...frames: ReadonlyArray<Json>): void

  protected take(...messages: ReadonlyArray<Message>): void {
    this.messages.push(...messages)
    this.wake()
  }

  protected end(): void {
    this.over = true
    this.wake()
  }

  private wake(): void {
    for (const check of [...this.waiting]) check()
  }

  /** The first message from `since` on that `pick` accepts. */
  waitFor(pick: (message: Message) => boolean, since = 0): Promise<Message> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = this.messages.slice(since).find(pick)
        if (!found && !this.over) return
        this.waiting.delete(check)
        if (found) resolve(found)
        else reject(new Error(`the connection ended; last messages: ${JSON.stringify(this.messages.slice(-3))}`))
      }
      this.waiting.add(check)
      check()
    })
  }

  answer(id: Id): Promise<Message> {
    return this.waitFor((message) => message.method === undefined && message.id === id)
  }

  /** The answer, whether it is a result or an error. */
  exchange(method: string, params?: Json): Promise<Message> {
    const id = `t-${++this.lastId}`
    this.send({ id, method, ...(params === undefined ? {} : { params }) })
    return this.answer(id)
  }

  async result(method: string, params?: Json): Promise<unknown> {
    const { error, result } = await this.exchange(method, params)
    if (error) throw new RpcError(error)
    return result
  }

  async failure(method: string, params?: Json): Promise<NonNullable<Message["error"]>> {
    const { error, result } = await this.exchange(method, params)
    if (!error) throw new Error(`${method} should fail, but gave ${JSON.stringify(result)}`)
    return error
  }
}
