import { Context } from "effect"
import type { KnownTools } from "./Rule.ts"

/** The tools of this process that rules may name. The floor that has the tools provides it. */
export class ToolVocabulary extends Context.Service<ToolVocabulary, KnownTools>()("postern/policy/ToolVocabulary") {}
