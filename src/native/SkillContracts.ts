import { RpcGroup } from "effect/rpc"
import { maybe, method, text } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** The skills of the agents; a bundle is the folder that some of them lie in (zeroclaw §1.6). */

const ofAgent = { agent: maybe(text) }

const Bundles = method("skills/bundles", "skills:read", ofAgent)
const List = method("skills/list", "skills:read", { ...ofAgent, bundle: maybe(text) })
const Read = method("skills/read", "skills:read", { ...ofAgent, bundle: maybe(text), name: text })

export class SkillBundles extends RpcGroup.make(Bundles, List, Read).middleware(PerNativeConnection) {}
