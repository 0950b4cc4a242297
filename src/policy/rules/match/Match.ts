import type { CallAction, CommandAction, PathAction } from "../../decision/CallAction.ts"
import type { ReachedPath, RuleCall } from "./RuleCall.ts"
import * as HostPattern from "../pattern/HostPattern.ts"
import { matchesParameters, type McpPattern } from "../pattern/NamePattern.ts"
import * as Paths from "../pattern/PathPattern.ts"
import type { PathCertainty } from "../pattern/PathPattern.ts"
import type { Rule, RuleTool, ToolFamily } from "../Rule.ts"
import * as Views from "./Views.ts"

const familyOf = (tool: RuleTool): ToolFamily | undefined =>
  tool._tag === "Family" ? tool.name : tool._tag === "Id" ? tool.family : undefined

const isMcp = ({ server, tool }: McpPattern, part: CallAction): boolean =>
  part.kind === "mcp" && server(part.server) && (tool === undefined || tool(part.tool))

/** For deny and ask, the id of a tool tells its server. */
const namesMcp = ({ server, tool }: McpPattern, part: CallAction): boolean => {
  const [, from, name] = part.kind === "tool" ? /^mcp__(.+?)__(.+)$/.exec(part.name) ?? [] : []
  return from !== undefined && name !== undefined && server(from) && (tool === undefined || tool(name))
}

/** Whether a bare tool name matches this call. */
const isTool = (tool: RuleTool, { family, tool: called }: RuleCall): boolean => {
  switch (tool._tag) {
    case "Glob":
      return tool.test(called)
    case "Id":
      return tool.name === called
    // A deny rule for reads also covers edits, because an edit shows the old text.
    case "Family":
      return tool.name === family || (tool.name === "read" && family === "write")
  }
}

/** Patterns, and folders with everything in them, count as touched; other paths below a folder only may be. */
const isCertain = ({ below, kind }: ReachedPath, family: ToolFamily | undefined): boolean =>
  (kind === "write" || family === "read") && (below === undefined || (below === "all" && kind === "write"))

const reach = (
  pattern: Paths.PathPattern,
  { written, canonical, ...what }: ReachedPath,
  { place }: RuleCall
): PathCertainty | undefined => {
  const found = [written, canonical].flatMap((path) =>
    path === undefined ? [] : [Paths.reach(pattern, { ...what, path }, place)]
  )
  return found.includes("sure") ? "sure" : found.find((each) => each !== undefined)
}

/** For deny and ask rules that do not match: whether the call may reach their paths without naming them. */
export const mayHit = ({ specifier, tool }: Rule, call: RuleCall): boolean =>
  specifier?._tag === "Path" && (tool._tag !== "Id" || tool.name === call.tool)
  && [...call.parts, ...call.inner].some((part) =>
    part.kind === "command" &&
    call.reached(part).some((what) =>
      (what.kind === "write" || familyOf(tool) === "read") && reach(specifier.pattern, what, call) !== undefined
    )
  )

const hitsPath = (
  pattern: Paths.PathPattern,
  family: ToolFamily | undefined,
  part: CommandAction | PathAction,
  call: RuleCall
): boolean => {
  const hit = (path: Paths.NamedPath) => Paths.hit(pattern, path, call.place)
  if (part.kind === "command") {
    const { reads, writes } = call.touched(part)
    return writes.some(hit) || (family === "read" && reads.some(hit))
      || call.reached(part).some((what) => isCertain(what, family) && reach(pattern, what, call) === "sure")
  }
  if (part.kind === "read" && family !== "read") return false
  return part.path === null ? pattern.everything : hit(call.locate(part.path, call.place.cwd))
}

const hitsPart = (rule: Rule, part: CallAction, call: RuleCall): boolean => {
  const { specifier, tool } = rule
  if (specifier === undefined) {
    if (tool._tag !== "Family") return false
    return tool.name === (part.kind === "command" ? "shell" : part.kind) ||
      (tool.name === "read" && part.kind === "write")
  }
  switch (specifier._tag) {
    case "Command":
      return part.kind === "command" && Views.hit(specifier.pattern, call.views(part))
    case "Path":
      return (part.kind === "command" || part.kind === "read" || part.kind === "write")
        && hitsPath(specifier.pattern, familyOf(tool), part, call)
    case "Host":
      if (part.kind === "command") {
        return call.touched(part).urls.some((url) => HostPattern.matchesUrl(specifier.pattern, url))
      }
      return part.kind === "fetch" && HostPattern.matchesUrl(specifier.pattern, part.url)
    case "Mcp":
      return isMcp(specifier.pattern, part) || namesMcp(specifier.pattern, part)
    case "Parameters":
      return part.kind === "tool" && matchesParameters(specifier.tests, part.parameters)
  }
}

/** For deny and ask: whether one action matches. */
export const hits = (rule: Rule, call: RuleCall): boolean => {
  if (rule.specifier === undefined && isTool(rule.tool, call)) return true
  if (rule.tool._tag === "Id" && rule.tool.name !== call.tool) return false
  if (rule.specifier?._tag === "Parameters" && !isTool(rule.tool, call)) return false
  return call.parts.some((part) => hitsPart(rule, part, call)) || call.inner.some((part) => hitsPart(rule, part, call))
}

const isDynamic = (part: CallAction): boolean =>
  part.kind === "command" ? part.opaque : (part.kind === "read" || part.kind === "write") && part.path === null

/** A redirect's path has its `..` removed, which names another file after a link. */
const mayClimb = (text: string) => text.includes("$'") || /(^|[\s/])\.\.(\/|$)/.test(text.replace(/["'\\]/g, ""))

const coversPath = (pattern: Paths.PathPattern, part: PathAction, call: RuleCall): boolean =>
  part.path !== null && !(call.family === "shell" && mayClimb(part.text))
  && Paths.cover(pattern, call.locate(part.path, call.place.cwd), call.place)

/** For allow: whether the rule covers this action. Actions that are not literal are never covered. */
export const covers = (
  { specifier, tool }: Rule,
  part: CallAction,
  call: RuleCall,
  acceptsPrinted = false
): boolean => {
  if (isDynamic(part) || (tool._tag === "Id" && tool.name !== call.tool)) return false
  if (specifier === undefined) {
    if (tool._tag !== "Family") return tool._tag === "Id"
    if (part.kind === "fetch" && part.changes === true) return false
    return tool.name === part.kind || (tool.name === call.family && (tool.name === "shell" || part.kind === "tool"))
  }
  switch (specifier._tag) {
    case "Command":
      return part.kind === "command"
        ? Views.cover(specifier.pattern, part, call.facts.which ?? (() => undefined), acceptsPrinted)
        : specifier.pattern.everything && call.family === "shell"
    case "Path":
      return part.kind === familyOf(tool) && coversPath(specifier.pattern, part as PathAction, call)
    case "Host":
      // A family is allowed to read; what changes something is allowed by the name of its tool.
      return part.kind === "fetch" && (part.changes !== true || tool._tag === "Id") &&
        URL.canParse(part.url) && HostPattern.matchesUrl(specifier.pattern, part.url)
    case "Mcp":
      return isMcp(specifier.pattern, part)
    case "Parameters":
      return false
  }
}

/** For allow: whether a rule without specifier covers a call that names no path, URL or command. */
export const coversTool = ({ specifier, tool }: Rule, call: RuleCall): boolean =>
  specifier === undefined && call.family !== "shell" && isTool(tool, call) &&
  !(tool.name === "read" && call.family !== "read")
