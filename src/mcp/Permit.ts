import { realpathSync } from "node:fs"
import { Effect } from "effect"
import { ceiling, grants } from "../domain/PolicySettings.ts"
import { RuleBooks } from "../policy/rules/source/RuleBooks.ts"
import type { ConfinementInput } from "../tool/CallConfinement.ts"
import type { ToolHost } from "../tool/SessionTools.ts"
import { capabilitiesOf, type McpServerConfig, needsNetwork } from "../domain/McpServerConfig.ts"
import { Unreachable } from "./McpConnection.ts"

/** What the session's policy lets a server start with at the moment. */
export interface Permit {
  /** Changes as soon as a process would have to be confined in another way. */
  readonly key: string
  readonly network: boolean
  readonly held: ConfinementInput
}

const urlsOf = ({ transport }: McpServerConfig): ReadonlyArray<string> => "url" in transport ? [transport.url] : []

const no = (reason: string) => new Unreachable({ reason })

/** The sandbox opens the folder that a link leads to now, whatever becomes of the link. */
const canonical = (folder: string) =>
  Effect.try({
    try: () => realpathSync.native(folder),
    catch: () => no(`the folder ${folder}, which is opened to it, does not exist`)
  })

/**
 * A server is not started when the Work mode grants none of its tools (docs/policy.md#capabilities), or when it needs a
 * network and there is none (docs/policy.md#network-access).
 */
export const make = Effect.gen(function*() {
  const books = yield* RuleBooks

  return Effect.fnUntraced(
    function*(
      config: McpServerConfig,
      { limits, settings, source, stop, workspace }: ToolHost
    ): Effect.fn.Return<Permit, Unreachable> {
      const rulesNow = yield* source
      const now = settings()
      const { network: access, sandbox, work_mode } = now.values
      const capabilities = capabilitiesOf(config).filter((capability) => grants(work_mode, capability))
      const network = needsNetwork(config)
      const halted = stop.refusal({ network, urls: urlsOf(config) })
      if (halted !== undefined) return yield* no(halted.reason)
      if (capabilities.length === 0) return yield* no(`the Work mode ${work_mode} grants nothing to its tools`)
      if (network && access === "off") return yield* no("Network access is off, and it needs a network")
      const { rules } = yield* Effect.mapError(books.load(rulesNow), ({ message }) => no(message))
      const found = yield* limits
      const readable = yield* Effect.forEach(config.readable, canonical)
      const writable = yield* Effect.forEach(config.writable, canonical)
      const wished = config.sandbox ?? sandbox
      const mode = ceiling(capabilities, wished)
      const denied = rules.entries.filter(({ list, rule }) => list === "deny" && rule.specifier?._tag === "Path").map((
        { id }
      ) => id)
      return {
        key: JSON.stringify([
          mode,
          network,
          denied,
          found.forbiddenPaths,
          found.visiblePaths,
          found.foreign,
          found.allowedRoots,
          found.backend
        ]),
        network,
        held: {
          decision: { capabilities, sandbox: { mode, network, note: "" } },
          settings: { ...now, values: { ...now.values, sandbox: wished } },
          limits: found,
          rules,
          workspace: {
            ...workspace,
            roots: [...workspace.roots, ...writable],
            readable: [...workspace.readable, ...readable]
          }
        }
      }
    }
  )
})
