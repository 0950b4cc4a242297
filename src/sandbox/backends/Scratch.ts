import { Effect, type Scope } from "effect"
import { constants } from "node:fs"
import {
  chmod,
  copyFile,
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readlink,
  realpath,
  rm,
  symlink,
  utimes
} from "node:fs/promises"
import { join } from "node:path"
import { makeFolder } from "../../platform/MakeFolder.ts"
import { quoted } from "../../platform/QuotedName.ts"
import { type EnforcementReport, type Runner, SandboxUnavailable } from "../Confinement.ts"
import type { Plan } from "../plan/Plan.ts"
import * as Files from "../../workspace/Files.ts"
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
  // Bubblewrap mounts its own overlays by path, and the mount table does not tell what lies below an overlay.
  const ways: ReadonlyArray<ScratchMethod> = [
    ...(tools === undefined ? [] : [{ kind: "mounted", tools } as const]),
    { kind: "overlay" }
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
 * A folder is entered before it is looked at: what is then mounted is the folder itself, and not what another command
 * puts in its place.
 */
const script = ({ mkdir, mount, setpriv }: Tools): string =>
  `set -e
stage=$1
shift
"${mount}" -t tmpfs -o size=2g,mode=0700 postern "$stage"
number=0
while [ "$1" != "--" ]; do
  "${mkdir}" -p "$stage/$number/up" "$stage/$number/work"
  cd -P -- "$1"
  [ "$(pwd -P)" = "$1" ] || { echo "$1 was replaced by a link" >&2; exit 1; }
  "${mount}" -t overlay -o "userxattr,lowerdir=.,upperdir=$stage/$number/up,workdir=$stage/$number/work" postern "$1"
  number=$((number + 1))
  shift
done
shift
cd /
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

export interface Prepared {
  readonly way: ScratchMethod
  /** An empty folder, for overlays that are mounted around bubblewrap. */
  readonly stage: string
  readonly mounts: ScratchMounts
  readonly env: Readonly<Record<string, string>>
}

const readOnly: Prepared = { way: { kind: "read-only" }, stage: "", mounts: { kind: "read-only" }, env: caches("/tmp") }

const largest = { bytes: 20 * 1024 ** 2, entries: 2000 }

/** Copying is for small folders only. */
class TooLarge extends Error {}

/**
 * Copies what is in an open folder, each file and folder by descriptor: a folder that is exchanged for a link meanwhile
 * is not followed. Sockets, pipes and devices are left out.
 */
const copyInto = async (from: FileHandle, to: string, so: { bytes: number; entries: number }): Promise<void> => {
  const base = `/proc/self/fd/${from.fd}`
  const found = await from.stat()
  for (const name of await readdir(base)) {
    const [source, target] = [join(base, name), join(to, name)]
    if (++so.entries > largest.entries) throw new TooLarge()
    const { isLink, isSpecial } = await lstat(source).then((stats) => ({
      isLink: stats.isSymbolicLink(),
      isSpecial: !stats.isFile() && !stats.isDirectory()
    }))
    if (isLink) await symlink(await readlink(source), target)
    if (isLink || isSpecial) continue
    const handle = await open(source, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const stats = await handle.stat()
      if (stats.isDirectory()) {
        await mkdir(target)
        await copyInto(handle, target, so)
      } else if (stats.isFile()) {
        so.bytes += stats.size
        if (so.bytes > largest.bytes) throw new TooLarge()
        await copyFile(`/proc/self/fd/${handle.fd}`, target, constants.COPYFILE_FICLONE)
        await utimes(target, stats.atime, stats.mtime)
      }
    } finally {
      await handle.close()
    }
  }
  await chmod(to, found.mode & 0o7777)
  await utimes(to, found.atime, found.mtime)
}

const cleaned = new Set<string>()

/** What hosts left that were killed. */
const removeStale = async (parent: string) => {
  if (cleaned.has(parent)) return
  cleaned.add(parent)
  for (const name of await readdir(parent)) {
    const pid = /^(\d+)-/.exec(name)?.[1]
    try {
      if (pid !== undefined) process.kill(Number(pid), 0)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ESRCH") {
        await rm(join(parent, name), { recursive: true, force: true })
      }
    }
  }
}

/**
 * An empty folder of one call's own, by its canonical path. Not in the system's temporary folder: that may be the
 * folder of a session, whose commands could put links there.
 */
const emptyFolder = async (parent: string): Promise<string> => {
  // Another user may have to pass through it, where the host runs its commands as one.
  makeFolder(parent, 0o711)
  await removeStale(parent).catch(() => undefined)
  return await realpath(await mkdtemp(join(parent, `${process.pid}-`)))
}

const copyFolder = (folder: string, parent: string) =>
  Effect.tryPromise({
    try: async () => {
      const copy = await emptyFolder(parent)
      try {
        await Files.inside(folder, async (base) => {
          const handle = await open(base, constants.O_RDONLY | constants.O_DIRECTORY)
          await copyInto(handle, copy, { bytes: 0, entries: 0 }).finally(() => handle.close())
        })
        return copy
      } catch (error) {
        await rm(copy, { recursive: true, force: true })
        if (error instanceof TooLarge) return undefined
        throw error
      }
    },
    catch: () =>
      new SandboxUnavailable({
        missing: `${quoted(folder)} could not be copied for a scratch call.`,
        remedy: "Install util-linux (unshare, mount), or bubblewrap 0.11."
      })
  })

const remove = (path: string | undefined) =>
  path === undefined ? Effect.void : Effect.ignore(Effect.tryPromise(() => rm(path, { recursive: true, force: true })))

/** `parent` is a folder that no command reaches; it is made when it is missing. */
export const prepare = Effect.fnUntraced(
  function*(
    way: ScratchMethod,
    plan: Pick<Plan, "roots">,
    parent: string
  ): Effect.fn.Return<Prepared, SandboxUnavailable, Scope.Scope> {
    const overlays = way.kind === "overlay" ||
      (way.kind === "mounted" && !plan.roots.some((root) => awkward.test(root)))
    if (overlays) {
      const stage = way.kind === "mounted"
        ? yield* Effect.acquireRelease(
          Effect.tryPromise({
            try: () => emptyFolder(parent),
            catch: (error) =>
              new SandboxUnavailable({
                missing: `no folder for a scratch call could be made in ${parent} (${error}).`,
                remedy: "Look at the rights of that folder, and whether the disk is full."
              })
          }),
          remove
        )
        : ""
      return { way, stage, mounts: scratchMounts(way), env: {} }
    }
    if (way.kind === "read-only") return readOnly
    const copies = new Map<string, string>()
    for (const root of plan.roots) {
      const copy = yield* Effect.acquireRelease(copyFolder(root, parent), remove)
      if (copy === undefined) return readOnly
      copies.set(root, copy)
    }
    return { way: { kind: "copies" }, stage: "", mounts: { kind: "copies", of: copies }, env: {} }
  }
)

const notes: { readonly [K in ScratchMethod["kind"]]: string } = {
  overlay: "changes are discarded (scratch); a command of a session around this one's folders can mislead the mount",
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
