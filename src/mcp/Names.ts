import { createHash } from "node:crypto"

/** Names of servers and tools as models, rules and providers take them. */

/** What every provider accepts. */
const longest = 64

const plain = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, "_")

const mark = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8)

const cut = (name: string, whole: string, most: number): string =>
  name.length <= most ? name : `${name.slice(0, most - 9)}_${mark(whole)}`

/** Ends where the name of the tool begins, so it holds no `__` of its own, at either end neither. */
const serverId = (name: string): string =>
  cut(plain(name).replace(/_{2,}/g, "_").replace(/^_+|_+$/g, "") || "server", name, 24)

/** An id for each, in their order; a name that is taken gets a number. */
export const serverIds = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Set<string>()
  return names.map((name) => {
    const id = serverId(name)
    let free = id
    for (let number = 2; taken.has(free); number++) free = `${id}-${number}`
    taken.add(free)
    return free
  })
}

/**
 * The name of each tool of one server, `server__tool`. Where two would be called the same, only the one that needed no change
 * is; the others are marked, so that no name depends on the order or on which other tools there are next time.
 */
export const toolNames = (server: string, tools: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const wanted = new Map(tools.map((tool) => [tool, cut(`${server}__${plain(tool)}`, tool, longest)]))
  const claims = Map.groupBy(wanted.keys(), (tool) => wanted.get(tool))
  return new Map(Array.from(wanted, ([tool, name]) => {
    const shared = (claims.get(name)?.length ?? 0) > 1 && name !== `${server}__${tool}`
    return [tool, shared ? `${name.slice(0, longest - 9)}_${mark(tool)}` : name]
  }))
}
