import { type ChildProcess, spawn } from "node:child_process"
import { Readable, Writable } from "node:stream"
import {
  client,
  type ClientConnection,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type SessionNotification,
  type Stream
} from "@agentclientprotocol/sdk"
import { bundle, type Host } from "./Host.ts"

/** The protocol's own client, over any transport. */
export class SdkPeer {
  readonly updates: Array<SessionNotification> = []
  readonly asked: Array<RequestPermissionRequest> = []
  choose: (request: RequestPermissionRequest) => string = () => "allow-once"
  readonly connection: ClientConnection

  constructor(stream: Stream) {
    const app = client({ name: "an editor" })
      .onRequest(methods.client.session.requestPermission, ({ params }) => {
        this.asked.push(params)
        return { outcome: { outcome: "selected", optionId: this.choose(params) } }
      })
      .onNotification(methods.client.session.update, ({ params }) => void this.updates.push(params))
    this.connection = app.connect(stream)
  }

  get agent() {
    return this.connection.agent
  }

  initialize() {
    return this.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} })
  }

  kinds(sessionId: string): ReadonlyArray<string> {
    return this.updates.filter((u) => u.sessionId === sessionId).map((u) => u.update.sessionUpdate)
  }

  text(sessionId: string, kind = "agent_message_chunk"): string {
    return this.updates
      .filter((u) => u.sessionId === sessionId && u.update.sessionUpdate === kind)
      .map(({ update }) => "content" in update && update.content && "text" in update.content ? update.content.text : "")
      .join("")
  }
}

/** The protocol's own client, as an editor would use it. */
export class SdkClient extends SdkPeer {
  readonly child: ChildProcess
  readonly exited: Promise<number | null>

  constructor(host: Host, env: NodeJS.ProcessEnv = {}) {
    const child = spawn(process.execPath, [bundle, "acp"], {
      env: { ...host.env, ...env },
      stdio: ["pipe", "pipe", "inherit"]
    })
    const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>
    super(ndJsonStream(Writable.toWeb(child.stdin), input))
    this.child = child
    this.exited = new Promise((resolve) => child.on("exit", resolve))
  }

  async close(): Promise<void> {
    this.connection.close()
    this.child.stdin?.end()
    const timer = setTimeout(() => this.child.kill("SIGKILL"), 3000)
    await this.exited
    clearTimeout(timer)
  }
}
