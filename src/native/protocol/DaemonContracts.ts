import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { maybe, method, text } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** Greeting and state of the daemon (zeroclaw §1.5, §1.6). */

export const Initialize = method("initialize", undefined, {
  /** Missing reads as 1. */
  protocol_version: maybe(Schema.Int),
  auth_token: maybe(text),
  auth_provider: maybe(text),
  client_capabilities: maybe(Schema.Record(text, Schema.Unknown)),
  tui_id: maybe(text),
  tui_sig: maybe(text),
  env: maybe(Schema.Record(text, text))
})
export const Status = method("status", "system:read", {})
export const Health = method("health", "system:read", {})
export const TuiList = method("tui/list", "tui:read", {})

export class Core extends RpcGroup.make(Initialize, Status, Health, TuiList).middleware(PerNativeConnection) {}
