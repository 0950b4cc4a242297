import { RpcGroup } from "effect/rpc"
import { maybe, method, text } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** What programs need to know that help to fill in the configuration (zeroclaw §1.6). */

const Sections = method("config/sections", "config:read", {})
const Status = method("config/status", "config:read", {})
const Catalog = method("config/catalog", "config:read", {})
/** `provider` is another name of `model_provider`. */
const Models = method("config/catalog-models", "config:read", { model_provider: maybe(text), provider: maybe(text) })
const Aliases = method("config/resolve-alias-source", "config:read", { source: text })
const Templates = method("config/templates", "config:read", {})

export class Setup
  extends RpcGroup.make(Sections, Status, Catalog, Models, Aliases, Templates).middleware(PerNativeConnection)
{}
