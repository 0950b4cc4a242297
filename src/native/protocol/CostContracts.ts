import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { maybe, method, text } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** What the agents and their sessions cost (zeroclaw §1.6). */

const Query = method("cost/query", "cost:read", { agent: maybe(text), from: maybe(text), to: maybe(text) })

/** Whatever the file has that somebody else put there, or null. */
const Org = method("cost/org", "cost:read", {}).setSuccess(Schema.Unknown)

export class Costs extends RpcGroup.make(Query, Org).middleware(PerNativeConnection) {}
