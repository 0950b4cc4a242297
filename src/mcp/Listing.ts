import { Effect } from "effect"
import type { Link } from "./Link.ts"
import * as Protocol from "./Protocol.ts"

/** What a server has to offer. */
export interface Listed {
  readonly tools: ReadonlyArray<Protocol.Tool>
  readonly resources: boolean
  readonly prompts: boolean
}

export type Offers = NonNullable<typeof Protocol.Hello.Type["capabilities"]>

export const nothing: Listed = { tools: [], resources: false, prompts: false }

/** More tools than any model can choose from. */
const maxTools = 256
const maxPages = 64

/** A schema that is larger than this, as JSON, is not worth its place in every request. */
const maxSchema = 64 * 1024

const anything = { type: "object" }

const trimmed = ({ inputSchema, ...tool }: Protocol.Tool): Protocol.Tool => ({
  ...tool,
  inputSchema: inputSchema?.["type"] === "object" && JSON.stringify(inputSchema).length <= maxSchema
    ? inputSchema
    : anything
})

/** All pages; one name is one tool. */
export const read = Effect.fnUntraced(function*(link: Link, { prompts, resources, tools }: Offers) {
  const found = new Map<string, Protocol.Tool>()
  let cursor: string | undefined
  for (let pages = 0; tools !== undefined && pages < maxPages; pages++) {
    const { entries, next } = Protocol.readPage(
      Protocol.Tool,
      "tools",
      yield* link.request("tools/list", cursor === undefined ? {} : { cursor })
    )
    for (const tool of entries) if (!found.has(tool.name) && found.size < maxTools) found.set(tool.name, trimmed(tool))
    if (next === undefined || next === cursor || found.size >= maxTools) break
    cursor = next
  }
  return {
    tools: Array.from(found.values()),
    resources: resources !== undefined,
    prompts: prompts !== undefined
  } satisfies Listed
})

export const same = (one: Listed, other: Listed): boolean => JSON.stringify(one) === JSON.stringify(other)
