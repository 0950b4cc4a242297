import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { maybe, method, text } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** What the daemon has: agents, their skills, what they cost, and the machine underneath (zeroclaw §1.6). */

const ofAgent = { agent: maybe(text) }

const AgentsList = method("agents/list", "agents:read", {})
const AgentsStatus = method("agents/status", "agents:read", {})
const SkillBundles = method("skills/bundles", "skills:read", ofAgent)
const SkillsList = method("skills/list", "skills:read", { ...ofAgent, bundle: maybe(text) })
const SkillsRead = method("skills/read", "skills:read", { ...ofAgent, bundle: maybe(text), name: text })
const CostQuery = method("cost/query", "cost:read", { ...ofAgent, from: maybe(text), to: maybe(text) })
const DoctorRun = method("doctor/run", "system:execute", { static_only: maybe(Schema.Boolean) })
const ListDir = method("fs/list_dir", "files:read", { path: text, show_hidden: maybe(Schema.Boolean) })

export class Catalogue
  extends RpcGroup.make(AgentsList, AgentsStatus, SkillBundles, SkillsList, SkillsRead, CostQuery, DoctorRun, ListDir)
    .middleware(PerNativeConnection)
{}
