import { Schema } from "effect"
import { flag, map, optional, text, texts, whole, word } from "./ConfigAtoms.ts"

const verbs = Schema.Array(word("create", "read", "update", "delete", "execute"))

/** Who may call the daemon as whom, and what that allows (zeroclaw §1.10). */
export const User = Schema.Struct({
  uid: optional(whole(0)),
  principal_id: optional(text),
  permission_profiles: optional(texts)
})
export const PermissionProfile = Schema.Struct({
  admin: optional(flag),
  allowed_agents: optional(texts),
  config_write_paths: optional(texts),
  allowed_tools: optional(texts),
  allowed_channels: optional(texts),
  grants: map(verbs.annotate({ description: "a list of create, read, update, delete and execute" }))
})
