import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { maybe, method, text } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** The files that say what an agent is like (zeroclaw §1.6). */

const ofAgent = { agent: maybe(text) }

const List = method("personality/list", "personality:read", ofAgent)
const Get = method("personality/get", "personality:read", { ...ofAgent, filename: text })
const Put = method("personality/put", "personality:update", {
  ...ofAgent,
  filename: text,
  content: text,
  /** As the file was read; without it, whatever is there is replaced. */
  expected_mtime_ms: maybe(Schema.Int)
})
const Templates = method("personality/templates", "personality:read", ofAgent)

export class Personalities extends RpcGroup.make(List, Get, Put, Templates).middleware(PerNativeConnection) {}
