import { Context, Effect, Layer } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as DaemonLayer from "../../src/app/DaemonLayer.ts"
import * as ConfigWatcher from "../../src/config/ConfigWatcher.ts"
import type { PeerIdentity } from "../../src/native/protocol/NativeConnection.ts"
import { type ConnectionLimits, serveConnection, usualLimits } from "../../src/native/NativeServer.ts"
import { listen, take } from "../../src/platform/socket/UnixSocket.ts"
import { Agents } from "../../src/session/lifecycle/Agents.ts"
import type { Engine } from "../../src/session/Engine.ts"
import { SessionManagers } from "../../src/session/lifecycle/SessionManager.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { SocketClient } from "./SocketClient.ts"
import type { Json } from "./Wire.ts"
import { temporaryHome } from "./TemporaryFolder.ts"
import { breakable } from "./BreakableStore.ts"
import { layerSettings } from "./Settings.ts"

export interface Options {
  readonly config?: string
  readonly limits?: Partial<ConnectionLimits>
  readonly maxConnections?: number
  readonly far?: PeerIdentity
  /** Instead of a new one that is removed at the end. */
  readonly folder?: string
  /** Operations of the stores that fail while they are in here. */
  readonly broken?: ReadonlySet<string>
  /** Hex, as in `.secret_key`. */
  readonly secretKey?: string
  /** Instead of models and tools. */
  readonly engine?: Layer.Layer<Engine>
}

const self: PeerIdentity = { label: "unix:unknown", uid: process.geteuid?.() }

/** The daemon's protocol on a real socket, in this process: clocks and limits are the test's. */
export const served = Effect.fnUntraced(
  function*(
    {
      broken = new Set(),
      config = "",
      engine,
      far = self,
      folder: given,
      limits = {},
      maxConnections = 512,
      secretKey
    }: Options = {}
  ) {
    const folder = given ?? (yield* temporaryHome)
    const project = join(dirname(folder), "project")
    mkdirSync(project, { recursive: true })
    writeFileSync(join(folder, "config.toml"), config)
    if (secretKey !== undefined) writeFileSync(join(folder, ".secret_key"), secretKey)
    const endpoint = join(folder, "data", "daemon.sock")
    const layer = DaemonLayer.layer(endpoint, {}, (file) => breakable(broken)(SessionStore.layerOrMemory(file)), engine)
      .pipe(
        Layer.provideMerge(ConfigWatcher.layer),
        Layer.provideMerge(layerSettings({ configDir: folder }, {}))
      )
    const context = yield* Layer.build(layer)
    const open = (endpoint: string, far: PeerIdentity) =>
      Effect.andThen(
        take(endpoint, true),
        listen(
          { endpoint, maxConnections, drain: Effect.void },
          (transport) => Effect.provideContext(serveConnection(transport, far, { ...usualLimits, ...limits }), context)
        )
      )
    yield* open(endpoint, far)
    const clients: Array<SocketClient> = []
    yield* Effect.addFinalizer(() => Effect.sync(() => clients.forEach((client) => client.close())))
    const client = (make: () => Promise<SocketClient>) =>
      Effect.map(Effect.promise(make), (made) => {
        clients.push(made)
        return made
      })
    return {
      folder,
      project,
      endpoint,
      context,
      connect: (path = endpoint) => client(() => SocketClient.open(path)),
      greet: (params: Json = {}, path = endpoint) => client(() => SocketClient.greeted(path, params)),
      /** A second socket, whose clients are somebody else. */
      openFor: (uid: number) => {
        const path = join(folder, "data", `${uid}.sock`)
        return Effect.as(open(path, { label: "unix:unknown", uid }), path)
      }
    }
  }
)

export const promise = <A>(run: () => Promise<A>) => Effect.promise(run)

/** The error of a call that has to fail. */
export const failure = (client: SocketClient, method: string, params: Json = {}) =>
  promise(() => client.failure(method, params))

/** Its code and its reason. */
export const refusal = (client: SocketClient, method: string, params: Json = {}) =>
  Effect.map(failure(client, method, params), ({ code, data }) => [code, data?.["reason"]])

/** A stored chat session of an id that an ACP session has, as there may be some from before. */
export const twin = Effect.fnUntraced(function*(
  context: Context.Context<SessionManagers | Agents>,
  sessionId: string,
  owner?: string
) {
  const { chat } = Context.get(context, SessionManagers)
  const agent = yield* Context.get(context, Agents).resolve("default")
  yield* chat.create({ agent, sessionId, owner, additionalDirectories: [] })
  yield* chat.close(sessionId)
})
