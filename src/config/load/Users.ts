import { dotted } from "../schema/Lookup.ts"
import type { Fault } from "./Consistency.ts"
import type { ConfigTable } from "../schema/Schema.ts"

type Users = NonNullable<ConfigTable["users"]>

const named = (alias: string) => dotted(["users", alias])

/** Who calls as another user is that user (zeroclaw §1.10): each has an id and a uid of its own. */
export const confused = (users: Users): Fault | undefined => {
  const ids = new Map<string, string>()
  const uids = new Map<number, string>()
  for (const [alias, { principal_id: id, uid }] of Object.entries(users)) {
    const twin = ids.get(id ?? alias)
    const double = uid === undefined ? undefined : uids.get(uid)
    if (twin !== undefined) {
      const path = ["users", id === undefined ? twin : alias, "principal_id"]
      const both = `${named(twin)} and ${named(alias)} have the same principal id, ${JSON.stringify(id ?? alias)}`
      return { path, problem: `${dotted(path)}: ${both}; each needs its own` }
    }
    if (double !== undefined && uid !== undefined) {
      const path = ["users", alias, "uid"]
      return { path, problem: `${dotted(path)}: ${named(double)} and ${named(alias)} have the same uid, ${uid}` }
    }
    ids.set(id ?? alias, alias)
    if (uid !== undefined) uids.set(uid, alias)
  }
  return undefined
}
