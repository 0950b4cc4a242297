import { Effect } from "effect"
import { dirname, join, resolve } from "node:path"
import * as RegularFile from "../platform/RegularFile.ts"

export interface GitHead {
  readonly branch?: string
  /** The first seven digits of the commit. */
  readonly hash?: string
}

const textOf = (path: string) =>
  Effect.orElseSucceed(Effect.try(() => RegularFile.read(path).toString("utf8").trim()), () => undefined)

/** The `.git` of the folder or of the next one above it; a work tree has a file that says where. */
const gitFolder = Effect.fnUntraced(function*(from: string) {
  for (let folder = from;; folder = dirname(folder)) {
    const path = join(folder, ".git")
    if ((yield* textOf(join(path, "HEAD"))) !== undefined) return path
    const link = /^gitdir: (.+)$/.exec((yield* textOf(path)) ?? "")
    if (link?.[1] !== undefined) return resolve(folder, link[1])
    if (dirname(folder) === folder) return undefined
  }
})

const commitOf = Effect.fnUntraced(function*(git: string, ref: string) {
  const common = yield* textOf(join(git, "commondir"))
  const shared = common === undefined ? git : resolve(git, common)
  const loose = (yield* textOf(join(git, ref))) ?? (yield* textOf(join(shared, ref)))
  if (loose !== undefined) return loose
  const packed = (yield* textOf(join(shared, "packed-refs"))) ?? ""
  return packed.split("\n").find((line) => line.endsWith(` ${ref}`))?.split(" ")[0]
})

/** What is checked out there, read from Git's files: no process is started. */
export const read = Effect.fnUntraced(function*(folder: string): Effect.fn.Return<GitHead> {
  const git = yield* gitFolder(folder)
  const head = git === undefined ? undefined : yield* textOf(join(git, "HEAD"))
  if (git === undefined || head === undefined) return {}
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1]
  const commit = ref === undefined ? head : yield* commitOf(git, ref)
  return {
    ...(ref === undefined ? {} : { branch: ref.replace(/^refs\/heads\//, "") }),
    ...(commit !== undefined && /^[0-9a-f]{7,}$/.test(commit) ? { hash: commit.slice(0, 7) } : {})
  }
})
