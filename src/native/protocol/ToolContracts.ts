import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { maybe, method, text } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** The tools of the agents, and what their parameters can be chosen from (zeroclaw §1.6). */

const List = method("tools/list", "tools:read", { agent: maybe(text) })
const Options = method("tools/param-options", "tools:read", {
  agent: maybe(text),
  domain: text,
  /** Other arguments of the call; no domain here depends on them. */
  args: maybe(Schema.Unknown)
})

export class AgentTools extends RpcGroup.make(List, Options).middleware(PerNativeConnection) {}
