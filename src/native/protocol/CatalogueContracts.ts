import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { maybe, method, text } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** What the daemon has: its agents, its words, and the machine underneath (zeroclaw §1.6). */

const AgentsList = method("agents/list", "agents:read", {})
const AgentsStatus = method("agents/status", "agents:read", {})
const DoctorRun = method("doctor/run", "system:execute", { static_only: maybe(Schema.Boolean) })
const ListDir = method("fs/list_dir", "files:read", { path: text, show_hidden: maybe(Schema.Boolean) })
const LocalesList = method("locales/list", "locales:read", {})
const LocalesFetch = method("locales/fetch", "locales:read", { locale: text, catalog: maybe(Schema.Array(text)) })

export class Catalogue
  extends RpcGroup.make(AgentsList, AgentsStatus, DoctorRun, ListDir, LocalesList, LocalesFetch).middleware(
    PerNativeConnection
  )
{}
