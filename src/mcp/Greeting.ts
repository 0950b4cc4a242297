import { pathToFileURL } from "node:url"
import { basename } from "node:path"
import { Effect, Schema, Semaphore } from "effect"
import { version } from "../domain/Version.ts"
import * as Wire from "../rpc/Wire.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type * as Calls from "./Calls.ts"
import type { Dial } from "./Dialer.ts"
import type { Link, Listener } from "./Link.ts"
import * as Listing from "./Listing.ts"
import type { Permit } from "./Permit.ts"
import * as Protocol from "./Protocol.ts"
import * as ServerLog from "./ServerLog.ts"
import type { McpServerConfig } from "../domain/McpServerConfig.ts"
import { Unreachable } from "./Unreachable.ts"

export interface Greeted {
  readonly config: McpServerConfig
  readonly workspace: Workspace
  readonly calls: ReturnType<typeof Calls.make>
  readonly dial: Dial
  /** What the server has to offer, as soon as that is known and whenever it changes. */
  readonly onListed: (listed: Listing.Listed) => void
}

const readHello = Schema.decodeUnknownEffect(Protocol.Hello)

const unreadable = () => new Unreachable({ reason: "its answer to initialize is not readable" })

/** From nothing to a server that has said what it offers, and is answered whatever it asks. */
export const make = ({ calls, config, dial, onListed, workspace }: Greeted) => {
  const log = ServerLog.make(config.name)

  const listenerOf = (relist: () => Effect.Effect<void>): Listener => ({
    request: (method, params) => {
      switch (method) {
        case "ping":
          return Effect.succeed({})
        case "roots/list":
          return Effect.succeed({
            roots: workspace.roots.map((root) => ({ uri: pathToFileURL(root).href, name: basename(root) }))
          })
        case "elicitation/create":
          return calls.elicit(params)
        default:
          return Effect.fail(Wire.methodNotFound({ method }, method))
      }
    },
    notified: (method, params) => {
      switch (method) {
        case "notifications/tools/list_changed":
          return relist()
        case "notifications/message":
          return log(params)
        default:
          return Effect.void
      }
    }
  })

  const lister = (link: Link, offers: Listing.Offers) => {
    const oneAtATime = Semaphore.makeUnsafe(1)
    let waiting = false
    const now = oneAtATime.withPermit(Effect.suspend(() => {
      waiting = false
      return Effect.map(Listing.read(link, offers), onListed)
    }))
    // One that waits will see whatever changes until then.
    const again = Effect.suspend(() => {
      if (waiting) return Effect.void
      waiting = true
      return Effect.ignore(now, { log: "Debug" })
    })
    return { now, again }
  }

  return Effect.fnUntraced(function*(permit: Permit) {
    let again: Effect.Effect<void> = Effect.void
    const { initialized, link } = yield* dial(config, permit, listenerOf(() => again))
    const hello = yield* link.request("initialize", {
      protocolVersion: Protocol.revision,
      capabilities: { roots: {}, elicitation: {} },
      clientInfo: { name: "postern", title: "Postern", version }
    })
    const { capabilities = {}, protocolVersion } = yield* Effect.mapError(readHello(hello), unreadable)
    yield* initialized(protocolVersion)
    yield* link.notify("notifications/initialized")
    const list = lister(link, capabilities)
    again = list.again
    yield* list.now
    return link
  })
}
