import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { count, maybe, method, searchText, sometimes, text, texts } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** What an agent has beside its sessions: memory, skills, personality and tools; see docs/native-rpc.md#memory and the headings after it. */

const ofAgent = { agent: maybe(text) }

const MemoryEntry = Schema.Struct({
  id: text,
  key: text,
  content: text,
  category: text,
  timestamp: text,
  session_id: Schema.NullOr(text),
  /** From 0 to 1, in answers to a search. */
  score: Schema.NullOr(Schema.Finite),
  namespace: text,
  importance: Schema.Null,
  superseded_by: Schema.Null,
  kind: Schema.Null,
  pinned: Schema.Boolean,
  /** The principal that the entry belongs to; null: the operator. */
  tenant_id: Schema.NullOr(text),
  agent_alias: text,
  agent_id: Schema.Null
})
const MemoryEntries = Schema.Struct({ entries: Schema.Array(MemoryEntry), count: Schema.Int })

const MemoryList = method(
  "memory/list",
  "memory:read",
  { ...ofAgent, category: maybe(text), session_id: maybe(text) },
  MemoryEntries
)
const MemorySearch = method("memory/search", "memory:read", {
  ...ofAgent,
  query: searchText,
  limit: maybe(count),
  session_id: maybe(text),
  since: maybe(text),
  until: maybe(text)
}, MemoryEntries)
const MemoryGet = method(
  "memory/get",
  "memory:read",
  { ...ofAgent, key: text },
  Schema.Struct({ entry: Schema.NullOr(MemoryEntry) })
)
const MemoryStore = method("memory/store", "memory:create", {
  ...ofAgent,
  key: text,
  content: text,
  category: maybe(text),
  session_id: maybe(text)
}, Schema.Struct({ key: text, stored: Schema.Boolean }))
const MemoryDelete = method(
  "memory/delete",
  "memory:delete",
  { ...ofAgent, key: text },
  Schema.Struct({ key: text, deleted: Schema.Boolean })
)

export class MemoryMethods
  extends RpcGroup.make(MemoryList, MemorySearch, MemoryGet, MemoryStore, MemoryDelete).middleware(PerNativeConnection)
{}

/** A bundle is a folder of skills. */
const Bundle = Schema.Struct({ alias: text, directory: text, include: texts, exclude: texts })
const SkillsBundles = method(
  "skills/bundles",
  "skills:read",
  ofAgent,
  Schema.Struct({ bundles: Schema.Array(Bundle) })
)
const ofSkill = { bundle: text, name: text }
const ListedSkill = Schema.Struct({
  ...ofSkill,
  directory: text,
  frontmatter: Schema.Struct({ name: text, description: text })
})
const SkillsList = method(
  "skills/list",
  "skills:read",
  { ...ofAgent, bundle: maybe(text) },
  Schema.Struct({ skills: Schema.Array(ListedSkill) })
)
const SkillsRead = method(
  "skills/read",
  "skills:read",
  { ...ofAgent, bundle: maybe(text), name: text },
  Schema.Struct({
    ...ofSkill,
    directory: text,
    frontmatter: Schema.Record(text, Schema.Unknown),
    body: text,
    content: text
  })
)
const SkillsWrite = method("skills/write", "skills:update", {
  ...ofAgent,
  ...ofSkill,
  /** Fields and text of a `SKILL.md`; `name`, where it is there, is the name of the skill. */
  frontmatter: maybe(Schema.Record(text, Schema.Unknown)),
  body: maybe(text),
  /** The whole file, instead of both. */
  content: maybe(text)
}, Schema.Struct({ ...ofSkill, written: Schema.Boolean }))
const SkillsDelete = method(
  "skills/delete",
  "skills:delete",
  { ...ofAgent, ...ofSkill },
  Schema.Struct({ ...ofSkill, deleted: Schema.Boolean, archive: sometimes(text) })
)

export class SkillMethods
  extends RpcGroup.make(SkillsBundles, SkillsList, SkillsRead, SkillsWrite, SkillsDelete).middleware(
    PerNativeConnection
  )
{}

const PersonalityFile = Schema.Struct({
  filename: text,
  exists: Schema.Boolean,
  size: Schema.Int,
  mtime_ms: sometimes(Schema.Int)
})
const PersonalityList = method(
  "personality/list",
  "personality:read",
  ofAgent,
  Schema.Struct({ files: Schema.Array(PersonalityFile), max_chars: Schema.Int })
)
const PersonalityGet = method(
  "personality/get",
  "personality:read",
  { ...ofAgent, filename: text },
  Schema.Struct({
    filename: text,
    content: Schema.NullOr(text),
    exists: Schema.Boolean,
    truncated: Schema.Boolean,
    mtime_ms: sometimes(Schema.Int)
  })
)
const PersonalityPut = method("personality/put", "personality:update", {
  ...ofAgent,
  filename: text,
  content: text,
  /** The time of the file when the client read it; without it, whatever is there is replaced. */
  expected_mtime_ms: maybe(Schema.Int)
}, Schema.Struct({ bytes_written: Schema.Int, mtime_ms: Schema.Int }))
const PersonalityTemplates = method(
  "personality/templates",
  "personality:read",
  ofAgent,
  Schema.Struct({ preset: text, files: Schema.Array(Schema.Struct({ filename: text, content: text })) })
)

export class PersonalityMethods
  extends RpcGroup.make(PersonalityList, PersonalityGet, PersonalityPut, PersonalityTemplates).middleware(
    PerNativeConnection
  )
{}

const Tool = Schema.Struct({
  name: text,
  description: text,
  /** JSON Schema of an object. */
  parameters: Schema.ObjectKeyword
})
const ToolsList = method("tools/list", "tools:read", ofAgent, Schema.Struct({ tools: Schema.Array(Tool) }))
const ToolsOptions = method("tools/param-options", "tools:read", {
  ...ofAgent,
  domain: text,
  /** Other arguments of the call; no domain here depends on them. */
  args: maybe(Schema.Unknown)
}, Schema.Struct({ options: Schema.Array(Schema.Struct({ value: text })) }))

export class ToolMethods extends RpcGroup.make(ToolsList, ToolsOptions).middleware(PerNativeConnection) {}
