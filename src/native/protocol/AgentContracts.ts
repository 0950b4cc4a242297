import { RpcGroup } from "effect/rpc"
import { count, maybe, method, text, wanted } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** What the agents remember (zeroclaw §1.6). */

const ofAgent = { agent: maybe(text) }

const List = method("memory/list", "memory:read", { ...ofAgent, category: maybe(text), session_id: maybe(text) })
const Search = method("memory/search", "memory:read", {
  ...ofAgent,
  query: wanted,
  limit: maybe(count),
  session_id: maybe(text),
  since: maybe(text),
  until: maybe(text)
})
const Get = method("memory/get", "memory:read", { ...ofAgent, key: text })
const Store = method("memory/store", "memory:create", {
  ...ofAgent,
  key: text,
  content: text,
  category: maybe(text),
  session_id: maybe(text)
})
const Delete = method("memory/delete", "memory:delete", { ...ofAgent, key: text })

export class Memories extends RpcGroup.make(List, Search, Get, Store, Delete).middleware(PerNativeConnection) {}
