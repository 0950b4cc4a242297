import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { maybe, method, sometimes, text, texts } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** The configuration over the protocol; see docs/native-rpc.md#configuration and #setup. */

/** Without `prop` the whole document. */
const Get = method(
  "config/get",
  "config:read",
  { prop: maybe(text) },
  Schema.Union([
    Schema.Struct({ prop: text, value: text, populated: Schema.Boolean }),
    Schema.Record(text, Schema.Unknown)
  ])
)

const ConfigEntry = Schema.Struct({
  path: text,
  category: text,
  kind: Schema.Literals([
    "string",
    "bool",
    "integer",
    "float",
    "enum",
    "alias_ref",
    "string_array",
    "object_array",
    "object"
  ]),
  type_hint: text,
  description: text,
  populated: Schema.Boolean,
  is_secret: Schema.Boolean,
  is_env_overridden: Schema.Boolean,
  section: text,
  tab: sometimes(text),
  multiline: sometimes(Schema.Boolean),
  value: sometimes(text),
  enum_variants: sometimes(texts),
  alias_source: sometimes(text)
})
const List = method(
  "config/list",
  "config:read",
  { prefix: maybe(text) },
  Schema.Struct({ entries: Schema.Array(ConfigEntry) })
)
const Validate = method(
  "config/validate",
  "config:read",
  {},
  Schema.Struct({ valid: Schema.Boolean, warnings: sometimes(texts), error: sometimes(text) })
)
const MapKeys = method("config/map-keys", "config:read", { path: text }, Schema.Struct({ path: text, keys: texts }))
const ReloadStatus = method(
  "config/reload-status",
  "config:read",
  {},
  Schema.Struct({ pending: Schema.Boolean, paths: texts })
)
const Reload = method("config/reload", "config:update", {}, Schema.Struct({ reloading: Schema.Boolean }))
const assignment = { prop: text, value: Schema.Unknown, comment: maybe(text) }
export const Assignment = Schema.Struct(assignment)
const Set = method("config/set", "config:update", assignment, Schema.Struct({ prop: text, set: Schema.Boolean }))
/** Each entry is an {@link Assignment}. They are decoded one by one, so that an error names the index of the entry. */
const SetMany = method(
  "config/set-many",
  "config:update",
  { sets: Schema.Array(Schema.Unknown) },
  Schema.Struct({ props: texts, set: Schema.Boolean })
)
const deletion = { deleted: Schema.Boolean, warnings: sometimes(texts) }
const Delete = method("config/delete", "config:delete", { prop: text }, Schema.Struct({ prop: text, ...deletion }))
const ofKey = { path: text, key: text }
const CreateKey = method(
  "config/map-key-create",
  "config:create",
  ofKey,
  Schema.Struct({ ...ofKey, created: Schema.Boolean })
)
const DeleteKey = method("config/map-key-delete", "config:delete", ofKey, Schema.Struct({ ...ofKey, ...deletion }))
const renaming = { path: text, from: text, to: text }
const RenameKey = method(
  "config/map-key-rename",
  "config:update",
  renaming,
  Schema.Struct({ ...renaming, renamed: Schema.Boolean, rewritten: texts, warnings: texts })
)

export class ConfigMethods extends RpcGroup.make(
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

const Section = Schema.Struct({
  key: text,
  label: text,
  help: text,
  has_picker: Schema.Boolean,
  completed: Schema.Boolean,
  ready: Schema.Boolean,
  group: text,
  group_key: text,
  is_quickstart: Schema.Boolean,
  shape: Schema.Literals(["one_tier_alias_map", "direct_form"]),
  cost_category: Schema.Boolean
})
const Sections = method("config/sections", "config:read", {}, Schema.Struct({ sections: Schema.Array(Section) }))
const Status = method(
  "config/status",
  "config:read",
  {},
  Schema.Struct({
    needs_quickstart: Schema.Boolean,
    reason: text,
    has_partial_state: Schema.Boolean,
    missing: Schema.Array(Schema.Literals(["agents", "providers"]))
  })
)
const ProviderKind = Schema.Struct({ name: text, display_name: text, local: Schema.Boolean })
const Catalog = method(
  "config/catalog",
  "config:read",
  {},
  Schema.Struct({ model_providers: Schema.Array(ProviderKind) })
)
/** US dollars per million tokens. */
const ModelPrices = Schema.Struct({
  input: sometimes(Schema.Finite),
  output: sometimes(Schema.Finite),
  cache_read: sometimes(Schema.Finite),
  cache_write: sometimes(Schema.Finite)
})
/** `provider` is another name of `model_provider`. */
const Models = method(
  "config/catalog-models",
  "config:read",
  { model_provider: maybe(text), provider: maybe(text) },
  Schema.Struct({
    model_provider: text,
    models: texts,
    pricing: sometimes(Schema.Record(text, ModelPrices)),
    local: Schema.Boolean,
    live: Schema.Boolean
  })
)
const Aliases = method(
  "config/resolve-alias-source",
  "config:read",
  { source: text },
  Schema.Struct({ source: text, values: texts })
)
const Template = Schema.Struct({ path: text, kind: Schema.Literal("Map"), value_type: text, description: text })
const Templates = method("config/templates", "config:read", {}, Schema.Struct({ templates: Schema.Array(Template) }))

/** What programs need that help to fill in the configuration. */
export class SetupMethods
  extends RpcGroup.make(Sections, Status, Catalog, Models, Aliases, Templates).middleware(PerNativeConnection)
{}
