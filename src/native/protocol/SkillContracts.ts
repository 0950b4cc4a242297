import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { maybe, method, text } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** The skills of the agents; a bundle is the folder that some of them lie in (zeroclaw §1.6). */

const ofAgent = { agent: maybe(text) }

const Bundles = method("skills/bundles", "skills:read", ofAgent)
const List = method("skills/list", "skills:read", { ...ofAgent, bundle: maybe(text) })
const Read = method("skills/read", "skills:read", { ...ofAgent, bundle: maybe(text), name: text })

export class SkillBundles extends RpcGroup.make(Bundles, List, Read).middleware(PerNativeConnection) {}

const Write = method("skills/write", "skills:update", {
  ...ofAgent,
  bundle: text,
  name: text,
  /** Fields and text of a `SKILL.md`; `name` is that of the skill, where it is there. */
  frontmatter: maybe(Schema.Record(text, Schema.Unknown)),
  body: maybe(text),
  /** Instead of both: the whole file. */
  content: maybe(text)
})
const Delete = method("skills/delete", "skills:delete", { ...ofAgent, bundle: text, name: text })

export class SkillChanges extends RpcGroup.make(Write, Delete).middleware(PerNativeConnection) {}
