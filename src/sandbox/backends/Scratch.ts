import { Effect, type Scope } from "effect"
import { constants } from "node:fs"
import { cp, lstat, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type EnforcementReport, type Runner, SandboxUnavailable } from "../Confinement.ts"
import type { Plan } from "../plan/Plan.ts"
import type { FindProgram } from "./BackendProbe.ts"

/** How the folders of a scratch call take writes that must not last. */
export type ScratchMounts =
  | { readonly kind: "overlay" }
  /** Overlays lie over the folders already, in a mount namespace around this one. */
  | { readonly kind: "mounted" }
  | { readonly kind: "copies"; readonly of: ReadonlyMap<string, string> }
  | { readonly kind: "read-only" }

/**
 * How a scratch call lets a command write and forgets it afterwards (docs/sandbox.md#scratch); the first that works
 * here.
 */
export type ScratchMethod =
  | { readonly kind: "overlay" }
  | { readonly kind: "mounted"; readonly tools: Tools }
  | { readonly kind: "copies" }
  | { readonly kind: "read-only" }

interface Tools {
  readonly unshare: string
  readonly mount: string
  readonly mkdir: string
  readonly setpriv: string
  readonly sh: string
}

interface Wrapped {
  readonly argv: readonly [string, ...Array<string>]
  readonly descriptors: Runner["descriptors"]
}

const toolsOf = (find: FindProgram): Tools | undefined => {
  const [unshare, mount, mkdir, setpriv, sh] = ["unshare", "mount", "mkdir", "setpriv", "sh"].map(find)
  return unshare && mount && mkdir && setpriv && sh ? { unshare, mount, mkdir, setpriv, sh } : undefined
}

export const choose = (find: FindProgram, works: (way: ScratchMethod) => boolean): ScratchMethod => {
  const tools = toolsOf(find)
  const ways: ReadonlyArray<ScratchMethod> = [
    { kind: "overlay" },
    ...(tools === undefined ? [] : [{ kind: "mounted", tools } as const])
  ]
  return ways.find(works) ?? { kind: "copies" }
}

export const scratchMounts = (way: ScratchMethod): ScratchMounts =>
  way.kind === "copies" ? { kind: "read-only" } : { kind: way.kind }

/** A path that mount would take apart. */
const awkward = /[,:\\"]/

/**
 * A mount namespace around bubblewrap's, where overlays lie over the folders already. The upper layers are in memory, mounted
 * over an empty folder, and go with the namespace. Without giving the capabilities back bubblewrap would refuse to start.
 */
const script = ({ mkdir, mount, setpriv }: Tools): string =>
  `set -e
stage=$1
shift
"${mount}" -t tmpfs -o size=2g,mode=0700 postern "$stage"
number=0
while [ "$1" != "--" ]; do
  "${mkdir}" -p "$stage/$number/up" "$stage/$number/work"
  "${mount}" -t overlay -o "userxattr,lowerdir=$1,upperdir=$stage/$number/up,workdir=$stage/$number/work" postern "$1"
  number=$((number + 1))
  shift
done
shift
exec "${setpriv}" --ambient-caps=-all --inh-caps=-all "$@"`

export const wrap = (
  way: ScratchMethod,
  { argv, descriptors }: Wrapped,
  roots: ReadonlyArray<string>,
  stage: string
): Wrapped =>
  way.kind !== "mounted" ? { argv, descriptors } : {
    argv: [
      way.tools.unshare,
      "--user",
      "--map-current-user",
      "--mount",
      "--keep-caps",
      way.tools.sh,
      "-c",
      script(way.tools),
      "sh",
      stage,
      ...roots,
      "--",
      ...argv
    ],
    descriptors
  }

/** What tools write next to the sources goes to the private temporary folder instead. */
export const caches = (tmp: string): Readonly<Record<string, string>> => ({
  npm_config_cache: join(tmp, "npm"),
  XDG_CACHE_HOME: join(tmp, "cache"),
  CARGO_TARGET_DIR: join(tmp, "target"),
  GOCACHE: join(tmp, "go"),
  PYTHONDONTWRITEBYTECODE: "1",
  PYTEST_ADDOPTS: "-p no:cacheprovider"
})

interface Prepared {
  readonly way: ScratchMethod
  /** An empty folder, for overlays that are mounted around bubblewrap. */
  readonly stage: string
  readonly mounts: ScratchMounts
  readonly env: Readonly<Record<string, string>>
}

const readOnly: Prepared = { way: { kind: "read-only" }, stage: "", mounts: { kind: "read-only" }, env: caches("/tmp") }

const largest = { bytes: 20 * 1024 ** 2, entries: 2000 }

/** Copying is for small folders only. */
const isSmall = async (folders: ReadonlyArray<string>): Promise<boolean> => {
  let [bytes, entries] = [0, 0]
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      bytes += entry.isFile() ? (await lstat(join(entry.parentPath, entry.name))).size : 0
      if (++entries > largest.entries || bytes > largest.bytes) return false
    }
  }
  return true
}

const copyFolder = (folder: string) =>
  Effect.tryPromise({
    try: async () => {
      if (!await isSmall([folder])) return undefined
      const copy = await mkdtemp(join(tmpdir(), ".postern-scratch-"))
      await cp(folder, copy, {
        recursive: true,
        verbatimSymlinks: true,
        preserveTimestamps: true,
        mode: constants.COPYFILE_FICLONE
      })
      return copy
    },
    catch: () =>
      new SandboxUnavailable({
        missing: `${folder} could not be copied for a scratch call.`,
        remedy: "Install bubblewrap 0.11."
      })
  })

const remove = (path: string | undefined) =>
  path === undefined ? Effect.void : Effect.ignore(Effect.tryPromise(() => rm(path, { recursive: true, force: true })))

export const prepare = Effect.fnUntraced(
  function*(way: ScratchMethod, plan: Plan): Effect.fn.Return<Prepared, SandboxUnavailable, Scope.Scope> {
    const overlays = way.kind === "overlay" ||
      (way.kind === "mounted" && !plan.roots.some((root) => awkward.test(root)))
    if (overlays) {
      const stage = way.kind === "mounted"
        ? yield* Effect.acquireRelease(Effect.promise(() => mkdtemp(join(tmpdir(), ".postern-stage-"))), remove)
        : ""
      return { way, stage, mounts: scratchMounts(way), env: {} }
    }
    if (way.kind === "read-only") return readOnly
    const copies = new Map<string, string>()
    for (const root of plan.roots) {
      const copy = yield* Effect.acquireRelease(copyFolder(root), remove)
      if (copy === undefined) return readOnly
      copies.set(root, copy)
    }
    return { way: { kind: "copies" }, stage: "", mounts: { kind: "copies", of: copies }, env: {} }
  }
)

const notes: { readonly [K in ScratchMethod["kind"]]: string } = {
  overlay: "changes are discarded (scratch)",
  mounted: "changes are discarded (scratch)",
  copies: "changes are discarded (scratch, on a copy of a small workspace; a larger one is read-only)",
  "read-only":
    "scratch: this machine has no overlay, so the workspace is read-only and only caches go to a private temporary folder"
}

export const report = (report: EnforcementReport, way: ScratchMethod): EnforcementReport => ({
  ...report,
  files: way.kind === "read-only" ? "partial" : report.files,
  notes: [...report.notes.filter((note) => !Object.values(notes).includes(note)), notes[way.kind]]
})
