import { Schema } from "effect"
import { flag, map, optional, text, texts, whole } from "./Atoms.ts"

/** What permissions are about; not all of it exists in this version. Letter case does not count (zeroclaw §1.10). */
export const resources: ReadonlyArray<string> = [
  "system",
  "sessions",
  "memory",
  "cron",
  "config",
  "agents",
  "cost",
  "skills",
  "personality",
  "logs",
  "tui",
  "files",
  "locales",
  "quickstart",
  "channels",
  "providers",
  "models",
  "peer_groups",
  "plugins",
  "tools",
  "sops",
  "canvas"
]

const verbs = Schema.Array(
  Schema.String.check(Schema.isPattern(/^(create|read|update|delete|execute)$/i)).annotate({
    description: "one of create, read, update, delete, execute"
  })
)

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
