import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { maybe, method, text } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** The configuration over the protocol (zeroclaw §1.6). */

const Get = method("config/get", "config:read", { prop: maybe(text) })
const List = method("config/list", "config:read", { prefix: maybe(text) })
const Validate = method("config/validate", "config:read", {})
const MapKeys = method("config/map-keys", "config:read", { path: text })
const ReloadStatus = method("config/reload-status", "config:read", {})
const Reload = method("config/reload", "config:update", {})
const assigned = { prop: text, value: Schema.Unknown, comment: maybe(text) }
export const Assigned = Schema.Struct(assigned)
const Set = method("config/set", "config:update", assigned)
/** Each entry is an `Assigned`; a fault of one is told with its index. */
const SetMany = method("config/set-many", "config:update", { sets: Schema.Array(Schema.Unknown) })
const Delete = method("config/delete", "config:delete", { prop: text })
const CreateKey = method("config/map-key-create", "config:create", { path: text, key: text })
const DeleteKey = method("config/map-key-delete", "config:delete", { path: text, key: text })
const RenameKey = method("config/map-key-rename", "config:update", { path: text, from: text, to: text })

export class Configuration extends RpcGroup.make(
  Get,
  List,
  Validate,
  MapKeys,
  Set,
  SetMany,
  Delete,
  CreateKey,
  DeleteKey,
  RenameKey,
  Reload,
  ReloadStatus
)
  .middleware(PerNativeConnection)
{}
