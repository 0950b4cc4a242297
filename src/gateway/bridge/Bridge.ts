import { WebSocket } from "@effect/platform-node/NodeWS"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { hostname } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as Forwarding from "./Forwarding.ts"

/** ACP on stdio for editors, over the WebSocket of a gateway (docs/gateway.md#the-bridge). */

export interface BridgeOptions {
  readonly configDir: string
  /** Of the gateway, `http`, `https`, `ws` or `wss`, without `/acp`. */
  readonly url: string
  readonly token?: string | undefined
  readonly tokenFile?: string | undefined
  readonly pairCode?: string | undefined
  readonly agent?: string | undefined
  readonly cwd?: string | undefined
  /** Says nothing while it lasts, only why it ends. */
  readonly isQuiet: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Ends the bridge; the message is one sentence for people. */
export class BridgeFailed extends Error {}

const maxDelay = 5000
const firstDelay = 100
/** Milliseconds that requests under way have for an answer once the editor has closed its side. */
const farewell = 1000
const handshakeTimeout = 10_000
/** Milliseconds without a word of the gateway, which pings every 20 s, until the connection counts as lost. */
const silence = 60_000

const tokenFileOf = (configDir: string) => join(configDir, "acp-bridge-token")

const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

/** The token of an earlier pairing with this very gateway: another one must not see it. */
const cachedToken = ({ configDir, url }: BridgeOptions): string | undefined => {
  const [token = "", address = url] = (readText(tokenFileOf(configDir)) ?? "").split("\n")
  return token.trim() !== "" && (address.trim() === url || address.trim() === "") ? token.trim() : undefined
}

const cacheToken = ({ configDir, url }: BridgeOptions, token: string): void => {
  const file = tokenFileOf(configDir)
  mkdirSync(configDir, { recursive: true })
  writeFileSync(file, `${token}\n${url}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
}

const reasonOf = (cause: unknown): string => {
  const { code = "", message } = cause as { readonly code?: string; readonly message: string }
  if (code === "ECONNREFUSED") return "nothing listens there; is the daemon running, with gateway.enabled?"
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) {
    return `its certificate is not accepted (${code}); NODE_EXTRA_CA_CERTS names further authorities`
  }
  return message
}

const httpUrl = (url: string) => url.replace(/^ws/, "http")

/** A token for a code that the operator was shown. */
const pair = async (options: BridgeOptions, code: string): Promise<string> => {
  const { request } = httpUrl(options.url).startsWith("https:") ? await import("node:https") : await import("node:http")
  const text = await new Promise<string>((resolve, reject) => {
    const sent = request(`${httpUrl(options.url)}/pair`, {
      method: "POST",
      headers: { "x-pairing-code": code, "content-type": "application/json" },
      timeout: handshakeTimeout
    }, (response) => {
      let body = ""
      response.setEncoding("utf8").on("data", (chunk: string) => body += chunk)
      response.on("end", () =>
        response.statusCode === 200
          ? resolve(body)
          : reject(new BridgeFailed(`the gateway at ${options.url} refused the pairing code: ${body.trim()}`)))
    })
    sent.on("error", (cause) => reject(new BridgeFailed(`cannot pair with ${options.url}: ${reasonOf(cause)}`)))
    sent.on("timeout", () => sent.destroy(new Error("it does not answer")))
    sent.end(JSON.stringify({ name: `postern bridge on ${hostname()}` }))
  })
  const { token } = JSON.parse(text) as { readonly token: string }
  cacheToken(options, token)
  return token
}

const askCode = (url: string): Promise<string> => {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true })
  return new Promise((resolve) => {
    lines.question(`Pairing code of ${url} (postern pair shows one): `, (answer) => {
      lines.close()
      resolve(answer.trim())
    })
  })
}

const givenToken = ({ environment, token, tokenFile }: BridgeOptions): string | undefined => {
  if (token !== undefined) return token.trim()
  if (tokenFile !== undefined) {
    const [line = ""] = (readText(tokenFile) ?? "").split("\n")
    if (line.trim() === "") throw new BridgeFailed(`--token-file ${tokenFile} cannot be read, or has no token`)
    return line.trim()
  }
  return environment["POSTERN_BRIDGE_TOKEN"]?.trim() || undefined
}

/** One attempt. `Refused` carries the status of an answer that is no WebSocket. */
class Refused extends Error {
  readonly status: number
  constructor(status: number, text: string) {
    super(text)
    this.status = status
  }
}

const dial = ({ agent, cwd, url }: BridgeOptions, token: string | undefined): Promise<WebSocket> => {
  const target = new URL(`${url.replace(/^http/, "ws")}/acp`)
  if (agent !== undefined) target.searchParams.set("agent", agent)
  if (cwd !== undefined) target.searchParams.set("cwd", cwd)
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(target, ["zeroclaw.acp.v1"], {
      handshakeTimeout,
      maxPayload: 64 * 1024 * 1024,
      perMessageDeflate: false,
      ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
    })
    socket.on("unexpected-response", (request, response: IncomingMessage) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => text += chunk).on("end", () => {
        reject(new Refused(response.statusCode ?? 0, text.trim()))
        request.destroy()
      })
    })
    socket.on("error", reject)
    socket.on("open", () => resolve(socket))
  })
}

const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))

/** Runs until the editor closes its side; fails with one sentence. */
export const run = async (options: BridgeOptions): Promise<void> => {
  const { environment, isQuiet, url } = options
  const note = (text: string) => void (isQuiet || process.stderr.write(`postern: ${text}\n`))
  let token = givenToken(options)
  const isGiven = token !== undefined
  token ??= cachedToken(options)
  const code = options.pairCode ?? (environment["POSTERN_PAIRING_CODE"]?.trim() || undefined)
  if (token === undefined && code !== undefined) token = await pair(options, code)
  else if (token === undefined && process.stdin.isTTY) token = await pair(options, await askCode(url))

  const forwarding = Forwarding.make((text) => {
    // What the editor does not read is not read from the gateway.
    if (!process.stdout.write(`${text}\n`)) {
      current?.pause()
      process.stdout.once("drain", () => current?.resume())
    }
  })
  let current: WebSocket | undefined
  let isOver = false
  let wake = () => {}
  let tried = false

  const ended = (async () => {
    const lines = createInterface({ input: process.stdin, crlfDelay: Infinity })
    for await (const line of lines) if (line.trim() !== "") forwarding.fromEditor(line)
    isOver = true
    wake()
  })()

  const refused = (error: Error): BridgeFailed | undefined => {
    if (!(error instanceof Refused)) return undefined
    if (error.status === 401) return new BridgeFailed(`the gateway at ${url} refused the token: ${error.message}`)
    return error.status >= 400 && error.status < 500 && error.status !== 429
      ? new BridgeFailed(`the gateway at ${url} refused the connection (${error.status}): ${error.message}`)
      : undefined
  }

  /** The first connection fails at once; a lost one is tried for again. */
  const connect = async (): Promise<WebSocket | undefined> => {
    for (let delay = firstDelay;; delay = Math.min(delay * 2, maxDelay)) {
      try {
        return await dial(options, token)
      } catch (cause) {
        const error = cause as Error
        if (!tried && !isGiven && code !== undefined && error instanceof Refused && error.status === 401) {
          tried = true
          token = await pair(options, code)
          continue
        }
        const final = refused(error)
        if (final !== undefined) throw final
        if (!wasConnected) throw new BridgeFailed(`cannot connect to the gateway at ${url}: ${reasonOf(error)}`)
        if (isOver) return undefined
        await Promise.race([sleep(delay * (0.75 + Math.random() / 4)), ended])
        if (isOver) return undefined
      }
    }
  }

  let wasConnected = false
  while (true) {
    const socket = await connect()
    if (socket === undefined) return
    if (wasConnected) note(`connected to ${url} again`)
    wasConnected = true
    current = socket
    const closed = new Promise<number>((resolve) => socket.on("close", (status) => resolve(status)))
    socket.removeAllListeners("error").on("error", () => {})
    socket.on("message", (data) => forwarding.fromAgent(String(data)))
    // While the editor does not read nothing is read from the gateway, its pings included.
    const watchdog: NodeJS.Timeout = setTimeout(
      () => void (socket.isPaused ? watchdog.refresh() : socket.terminate()),
      silence
    ).unref()
    const alive = () => void watchdog.refresh()
    socket.on("ping", alive).on("message", alive).once("close", () => clearTimeout(watchdog))
    forwarding.connected((text) => socket.send(text))
    const status = await Promise.race([closed, ended.then(() => undefined)])
    if (status === undefined) {
      const until = Date.now() + farewell
      while (forwarding.open() > 0 && Date.now() < until && socket.readyState === socket.OPEN) await sleep(5)
      socket.close(1000)
      await Promise.race([closed, sleep(farewell)])
      socket.terminate()
      return
    }
    current = undefined
    forwarding.disconnected()
    if (status === 1008) throw new BridgeFailed(`the gateway at ${url} ended the connection: the token was revoked`)
    note(`the connection to ${url} was lost; trying again`)
  }
}
