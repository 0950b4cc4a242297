import type { ServerResponse } from "node:http"

/** Server-sent events for one reader at a time; what nobody reads yet waits. Each event is one message of JSON on one line. */
export class EventStream {
  private readonly queue: Array<string> = []
  private reader: ServerResponse | undefined
  /** The reader took nothing between two keep-alive comments. */
  private isSlow = false
  /** Characters that wait. */
  private waiting = 0
  private readonly counted: (characters: number) => void
  private readonly lost: () => void

  /** `counted` hears how many characters more, or less, wait; `lost` that the reader has gone. */
  constructor(counted: (characters: number) => void, lost: () => void) {
    this.counted = counted
    this.lost = lost
  }

  get hasReader(): boolean {
    return this.reader !== undefined
  }

  /** How many events wait. */
  get depth(): number {
    return this.queue.length
  }

  private count(characters: number): void {
    this.waiting += characters
    this.counted(characters)
  }

  push(line: string): void {
    this.queue.push(line)
    this.count(line.length)
    this.pump()
  }

  private pump(): void {
    while (this.reader !== undefined && !this.reader.writableNeedDrain) {
      const line = this.queue.shift()
      if (line === undefined) return
      this.reader.write(`data: ${line}\n\n`)
      this.count(-line.length)
    }
  }

  /** `false` where somebody reads it already. */
  open(response: ServerResponse, headers: Readonly<Record<string, string>>): boolean {
    if (this.reader !== undefined) return false
    this.reader = response
    this.isSlow = false
    const drained = () => {
      this.isSlow = false
      this.pump()
    }
    response.on("error", () => {}).on("drain", drained).once("close", () => {
      if (this.reader !== response) return
      this.reader = undefined
      this.lost()
    })
    // Proxies that collect answers leave these alone.
    response.writeHead(200, { "content-type": "text/event-stream", "x-accel-buffering": "no", ...headers })
    response.flushHeaders()
    this.pump()
    return true
  }

  /** A comment for proxies that close what is silent. A reader that has taken nothing since the last one is disconnected. */
  keepAlive(): void {
    const { reader } = this
    if (reader === undefined) return
    if (!reader.writableNeedDrain) {
      this.isSlow = false
      reader.write(":\n\n")
    } else if (this.isSlow) reader.destroy()
    else this.isSlow = true
  }

  end(): void {
    const { reader } = this
    this.reader = undefined
    this.count(-this.waiting)
    this.queue.length = 0
    reader?.end()
  }
}
