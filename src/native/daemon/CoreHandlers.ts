import { Clock, DateTime, Deferred, Effect } from "effect"
import { realpathSync } from "node:fs"
import { availableParallelism, homedir, tmpdir, totalmem } from "node:os"
import { join } from "node:path"
import { Settings } from "../../config/Settings.ts"
import { version } from "../../domain/Version.ts"
import type { RpcFault } from "../../rpc/Wire.ts"
import * as EmergencyStop from "../../security/EmergencyStop.ts"
import { type NotAuthenticated, Principals } from "../../security/Principals.ts"
import { builtIn } from "../../session/commands/SlashCommands.ts"
import { SessionManagers } from "../../session/lifecycle/SessionManager.ts"
import { caller, mayTouch } from "../access/Access.ts"
import * as ConnectionLog from "./ConnectionLog.ts"
import { CoreMethods } from "../protocol/DaemonContracts.ts"
import { DaemonInfo, isLocal, NativeConnection } from "../protocol/NativeConnection.ts"
import * as Errors from "../protocol/Errors.ts"
import { Identities, type IdentityRefused } from "./Identities.ts"
import { ClientSessions } from "../session/ClientSessions.ts"
import { isRecord, type Params, twins } from "../protocol/Contract.ts"

const protocol = 1

const offersForms = (capabilities: Params): boolean => {
  const offered = capabilities["elicitation"]
  if (!isRecord(offered)) return false
  return Object.keys(offered).length === 0 ||
    (offered["form"] !== undefined && offered["form"] !== false && offered["form"] !== null)
}

/** Where the configuration is, in one word. */
const kindOf = (folder: string) => {
  if (folder === join(homedir(), ".postern")) return "default"
  return folder.startsWith(`${realpathSync(tmpdir())}/`) ? "temporary" : "custom"
}

const iso = (ms: number) => DateTime.formatIso(DateTime.makeUnsafe(ms))

const refusals = <A, R>(greeting: Effect.Effect<A, RpcFault | NotAuthenticated | IdentityRefused, R>) =>
  greeting.pipe(
    Effect.mapError((error) => error._tag === "RpcFault" ? error : Errors.notAuthenticated(error.message)),
    Effect.tapError((fault) =>
      Effect.flatMap(NativeConnection, (connection) => ConnectionLog.refused(connection, fault))
    )
  )

/** `methods` are what the daemon serves, for clients that look before they call. */
export const layer = (methods: () => ReadonlyArray<string>) =>
  CoreMethods.toLayer(Effect.gen(function*() {
    const { configDir, configFile } = yield* Settings
    const stop = EmergencyStop.make(configDir)
    const principals = yield* Principals
    const identities = yield* Identities
    const clientSessions = yield* ClientSessions
    const managers = yield* SessionManagers
    const { connections, endpoint, startedAt } = yield* DaemonInfo

    const component = (now: number, error: string | null = null) => ({
      status: error === null ? "ok" as const : "degraded" as const,
      updated_at: iso(now),
      last_ok: error === null ? iso(now) : null,
      last_error: error,
      restart_count: 0
    })

    const storeOf = (now: number, durability: "durable" | "memory") =>
      component(
        now,
        durability === "durable" ? null : "the store could not be opened; sessions are kept in memory only"
      )

    return CoreMethods.of({
      // The order matters: version, then who it is, then what it calls itself; a repetition that fails leaves everything as it was.
      initialize: Effect.fnUntraced(function*(params) {
        const connection = yield* NativeConnection
        const asked = params.protocol_version ?? protocol
        if (asked !== protocol) return yield* Errors.versionMismatch(asked)
        const principal = connection.peerIdentity.principal ?? (yield* principals.authenticate({
          uid: connection.peerIdentity.uid,
          token: params.auth_token ?? undefined,
          provider: params.auth_provider ?? undefined
        }))
        const isFirst = !connection.initialized
        const identity = isFirst || typeof params.tui_id === "string"
          ? yield* identities.claim(params.tui_id ?? undefined, params.tui_sig ?? undefined)
          : identities.keep(connection.clientId)
        const holder = Array.from(connections).find((one) =>
          one !== connection && one.initialized && one.clientId === identity.id
        )
        if (holder !== undefined && holder.principal !== principal) {
          return yield* Errors.notAuthenticated(
            `the client identity ${JSON.stringify(identity.id)} is that of a client of somebody else`
          )
        }
        const capabilities = params.client_capabilities ?? {}
        const kind = capabilities["client_kind"]
        const keepsTurns = capabilities["turn_lifetime"] === "session"
        Object.assign(connection, {
          initialized: true,
          principal,
          clientId: identity.id,
          clientKind: typeof kind === "string" ? kind : undefined,
          forms: offersForms(capabilities),
          keepsTurns,
          env: params.env ?? {}
        })
        yield* Deferred.succeed(connection.greeted, undefined)
        yield* ConnectionLog.greeted(connection, isFirst)
        return twins({
          protocol_version: protocol,
          server_version: version,
          server_pid: process.pid,
          tui_id: identity.id,
          ...(identity.signature === undefined ? {} : { tui_sig: identity.signature }),
          capabilities: methods(),
          auth_methods: ["peercred"],
          principal_id: principal,
          commands: builtIn.map(({ name }) => ({ id: name, name })),
          features: ["tui.client_kind"],
          ...(keepsTurns ? { turn_lifetime: "session" } : {})
        })
      }, refusals),

      status: Effect.fnUntraced(function*() {
        const me = yield* caller
        const own = clientSessions.all().filter(({ owner }) => mayTouch(me, owner))
        return {
          server_version: version,
          protocol_version: protocol,
          active_sessions: own.length,
          session_ids: own.map(({ session }) => session.sessionId),
          config_dir: configDir,
          config_file: configFile,
          config_kind: kindOf(configDir),
          local_ipc_endpoint: endpoint,
          shell_profile: process.platform === "win32"
            ? { name: "cmd", family: "windows" }
            : { name: "sh", family: "posix" },
          estop: EmergencyStop.written(stop.state())
        }
      }),

      health: Effect.fnUntraced(function*() {
        const now = yield* Clock.currentTimeMillis
        const { system, user } = process.cpuUsage()
        const uptime = (now - startedAt) / 1000
        return {
          pid: process.pid,
          updated_at: iso(now),
          uptime_seconds: Math.floor(uptime),
          components: {
            daemon: component(now),
            chat_store: storeOf(now, managers.chat.store.durability),
            acp_store: storeOf(now, managers.acp.store.durability)
          },
          process: {
            rss_bytes: process.memoryUsage.rss(),
            system_ram_total_bytes: totalmem(),
            cpu_percent: Math.round((user + system) / process.uptime() / 100) / 100,
            num_cpus: availableParallelism()
          }
        }
      }),

      "tui/list": () =>
        Effect.map(caller, (me) => ({
          tuis: Array.from(connections).filter(({ initialized, principal }) => initialized && mayTouch(me, principal))
            .map((
              { clientId, clientKind, connectedAt, peerIdentity }
            ) => ({
              tui_id: clientId,
              connected_at: iso(connectedAt),
              connected_at_unix: Math.floor(connectedAt / 1000),
              peer_label: peerIdentity.label,
              transport: isLocal(peerIdentity) ? "unix" : "websocket",
              ...(clientKind === undefined ? {} : { client_kind: clientKind })
            }))
        }))
    })
  }))
