import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { levels } from "../../domain/EmergencyStop.ts"
import { inBothSpellings, maybe, method, sometimes, text, texts } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** The handshake, and what the daemon says of itself and of its machine; see docs/native-rpc.md#handshake and #daemon. */

const Initialize = method(
  "initialize",
  undefined,
  {
    /** Without it 1. */
    protocol_version: maybe(Schema.Int),
    auth_token: maybe(text),
    auth_provider: maybe(text),
    client_capabilities: maybe(Schema.Record(text, Schema.Unknown)),
    tui_id: maybe(text),
    tui_sig: maybe(text),
    env: maybe(Schema.Record(text, text))
  },
  inBothSpellings({
    protocol_version: Schema.Int,
    server_version: text,
    server_pid: Schema.Int,
    tui_id: text,
    tui_sig: sometimes(text),
    capabilities: texts,
    auth_methods: texts,
    principal_id: text,
    commands: Schema.Array(Schema.Struct({ id: text, name: text })),
    features: texts,
    turn_lifetime: sometimes(text)
  })
)

/** What an emergency stop forbids; see docs/emergency-stop.md. */
const stopState = {
  engaged: Schema.Boolean,
  kill_all: Schema.Boolean,
  network_kill: Schema.Boolean,
  blocked_domains: texts,
  frozen_tools: texts,
  updated_at: Schema.NullOr(text),
  problem: Schema.NullOr(text)
}
const StopState = Schema.Struct(stopState)

const Status = method(
  "status",
  "system:read",
  {},
  Schema.Struct({
    server_version: text,
    protocol_version: Schema.Int,
    active_sessions: Schema.Int,
    session_ids: texts,
    config_dir: text,
    config_file: text,
    config_kind: Schema.Literals(["default", "temporary", "custom"]),
    local_ipc_endpoint: text,
    shell_profile: Schema.Struct({ name: text, family: Schema.Literals(["posix", "windows"]) }),
    estop: StopState
  })
)

const Component = Schema.Struct({
  status: Schema.Literals(["ok", "degraded"]),
  updated_at: text,
  last_ok: Schema.NullOr(text),
  last_error: Schema.NullOr(text),
  restart_count: Schema.Int
})
const Health = method(
  "health",
  "system:read",
  {},
  Schema.Struct({
    pid: Schema.Int,
    updated_at: text,
    uptime_seconds: Schema.Int,
    components: Schema.Struct({ daemon: Component, chat_store: Component, acp_store: Component }),
    process: Schema.Struct({
      rss_bytes: Schema.Int,
      system_ram_total_bytes: Schema.Int,
      cpu_percent: Schema.Finite,
      num_cpus: Schema.Int
    })
  })
)

const ConnectedClient = Schema.Struct({
  tui_id: text,
  connected_at: text,
  connected_at_unix: Schema.Int,
  peer_label: text,
  transport: text,
  client_kind: sometimes(text)
})
const TuiList = method("tui/list", "tui:read", {}, Schema.Struct({ tuis: Schema.Array(ConnectedClient) }))

export class CoreMethods extends RpcGroup.make(Initialize, Status, Health, TuiList).middleware(PerNativeConnection) {}

const agent = { alias: text, enabled: Schema.Boolean, channels: texts }
const AgentsList = method(
  "agents/list",
  "agents:read",
  {},
  Schema.Struct({ agents: Schema.Array(Schema.Struct(agent)) })
)
const AgentStatus = Schema.Struct({ ...agent, live_sessions: Schema.Int, persisted_sessions: Schema.Int })
const AgentsStatus = method("agents/status", "agents:read", {}, Schema.Struct({ agents: Schema.Array(AgentStatus) }))

const Finding = Schema.Struct({ severity: Schema.Literals(["ok", "warn", "error"]), category: text, message: text })
const DoctorRun = method(
  "doctor/run",
  "system:execute",
  { static_only: maybe(Schema.Boolean) },
  Schema.Struct({
    results: Schema.Array(Finding),
    summary: Schema.Struct({ ok: Schema.Int, warnings: Schema.Int, errors: Schema.Int }),
    timed_out_phase: sometimes(text)
  })
)

const DirectoryEntry = Schema.Struct({
  name: text,
  full_path: text,
  is_dir: Schema.Boolean,
  is_hidden: Schema.Boolean,
  size: Schema.Finite,
  /** Seconds since the epoch. */
  mtime: Schema.Int
})
const ListDir = method(
  "fs/list_dir",
  "files:read",
  { path: text, show_hidden: maybe(Schema.Boolean) },
  Schema.Struct({ entries: Schema.Array(DirectoryEntry), cwd: text })
)

const LocalesList = method(
  "locales/list",
  "locales:read",
  {},
  Schema.Struct({ locales: Schema.Array(Schema.Struct({ code: text, label: text })) })
)
const LocalesFetch = method(
  "locales/fetch",
  "locales:read",
  { locale: text, catalog: maybe(texts) },
  Schema.Struct({ locale: text, catalogs: Schema.Array(Schema.Unknown), skipped: texts })
)

/** The agents, the machine underneath, and the languages of the daemon. */
export class CatalogueMethods
  extends RpcGroup.make(AgentsList, AgentsStatus, DoctorRun, ListDir, LocalesList, LocalesFetch).middleware(
    PerNativeConnection
  )
{}

/** US dollars by name. */
const costs = Schema.Record(text, Schema.Finite)
const CostQuery = method(
  "cost/query",
  "cost:read",
  { agent: maybe(text), from: maybe(text), to: maybe(text) },
  Schema.Struct({
    session_cost_usd: Schema.Finite,
    daily_cost_usd: Schema.Finite,
    monthly_cost_usd: Schema.Finite,
    total_tokens: Schema.Int,
    request_count: Schema.Int,
    by_model: costs,
    by_agent: costs
  })
)

/** Whatever JSON another program left in the file, or null. */
const CostOrg = method("cost/org", "cost:read", {}, Schema.Unknown)

export class CostMethods extends RpcGroup.make(CostQuery, CostOrg).middleware(PerNativeConnection) {}

const PairingOpen = method(
  "pairing/open",
  "system:execute",
  { user: maybe(text) },
  Schema.Struct({ code: text, addresses: texts })
)
const PairingWait = method(
  "pairing/wait",
  "system:execute",
  { code: text },
  Schema.Struct({ id: text, name: text, address: text })
)
const PairingRevoke = method(
  "pairing/revoke",
  "system:execute",
  { id: text },
  Schema.Struct({ revoked: Schema.Boolean })
)

/** Clients of the gateway that pair, for the operator alone; see docs/native-rpc.md#pairing. */
export class PairingMethods
  extends RpcGroup.make(PairingOpen, PairingWait, PairingRevoke).middleware(PerNativeConnection)
{}

const EstopStatus = method("estop/status", "system:read", {}, StopState)
const EstopEngage = method(
  "estop/engage",
  "system:execute",
  { level: maybe(Schema.Literals(levels)), domain: maybe(text), tool: maybe(text) },
  StopState
)
const EstopResume = method(
  "estop/resume",
  "system:execute",
  { network: maybe(Schema.Boolean), domain: maybe(text), tool: maybe(text), otp: maybe(text) },
  StopState
)

/** The emergency stop of the daemon's configuration; see docs/native-rpc.md#emergency-stop. */
export class EmergencyStopMethods
  extends RpcGroup.make(EstopStatus, EstopEngage, EstopResume).middleware(PerNativeConnection)
{}

const OtpApprove = method(
  "otp/approve",
  "system:execute",
  { id: text, code: text },
  Schema.Struct({ approved: Schema.Boolean, what: text })
)

/** One-time codes for calls that wait for one; see docs/native-rpc.md#one-time-codes. */
export class OneTimeCodeMethods extends RpcGroup.make(OtpApprove).middleware(PerNativeConnection) {}
