import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { JsonRpcClient } from "./JsonRpcClient.ts"
import type { Json, Message } from "./Wire.ts"

const program = ["chromium", "chromium-browser", "google-chrome"].find((name) =>
  spawnSync(name, ["--version"]).status === 0
)

export const hasBrowser = program !== undefined

/** A headless Chromium, driven by https://chromedevtools.github.io/devtools-protocol/ alone. */
export class Browser extends JsonRpcClient {
  private readonly child: ChildProcess
  private readonly socket: WebSocket
  private readonly folder: string

  private constructor(child: ChildProcess, socket: WebSocket, folder: string) {
    super()
    this.child = child
    this.socket = socket
    this.folder = folder
    socket.addEventListener("message", ({ data }) => this.take(JSON.parse(String(data)) as Message))
    socket.addEventListener("close", () => this.end())
  }

  static async start(): Promise<Browser> {
    const folder = mkdtempSync(join(tmpdir(), "postern-browser-"))
    const child = spawn(program!, [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--no-first-run",
      "--remote-debugging-port=0",
      `--user-data-dir=${folder}`,
      "about:blank"
    ], { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: folder } })
    const address = await new Promise<string>((resolve, reject) => {
      let text = ""
      child.stderr?.setEncoding("utf8").on("data", (more: string) => {
        text += more
        const [, found] = /DevTools listening on (ws:\S+)/.exec(text) ?? []
        if (found !== undefined) resolve(found)
      })
      child.on("exit", () => reject(new Error(`the browser ended: ${text}`)))
    })
    const socket = new WebSocket(address)
    await new Promise((resolve) => socket.addEventListener("open", resolve))
    return new Browser(child, socket, folder)
  }

  /** Its ids are numbers. */
  private lastNumber = 0

  send(...frames: ReadonlyArray<Json>): void {
    for (const frame of frames) this.socket.send(JSON.stringify(frame))
  }

  private async call(method: string, params: Json, sessionId?: string): Promise<Json> {
    const id = ++this.lastNumber
    this.send({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })
    const { error, result } = await this.answer(id)
    if (error) throw new Error(error.message)
    return result as Json
  }

  /** Opens a page, and runs an async function body in it. */
  async run(url: string, body: string): Promise<unknown> {
    const { targetId } = await this.call("Target.createTarget", { url: "about:blank" })
    const { sessionId } = await this.call("Target.attachToTarget", { targetId, flatten: true })
    const page = String(sessionId)
    await this.call("Page.enable", {}, page)
    const since = this.messages.length
    await this.call("Page.navigate", { url }, page)
    await this.waitFor(({ method }) => method === "Page.loadEventFired", since)
    const inPage = (expression: string) =>
      this.call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true }, page)
    const { exceptionDetails, result } = await inPage(`(async () => { ${body} })()`)
    await this.call("Target.closeTarget", { targetId })
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return (result as Json)["value"]
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.child.on("exit", resolve))
    this.child.kill("SIGKILL")
    await ended
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

/** A page, and its origin. */
export const servePage = async (html: string): Promise<{ readonly origin: string; readonly server: Server }> => {
  const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(html))
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return { origin: `http://localhost:${typeof address === "object" ? address?.port : 0}`, server }
}
