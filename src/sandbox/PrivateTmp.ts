import { Effect, Scope } from "effect"
import { execFile } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import { hostname } from "node:os"
import { join, relative } from "node:path"
import { isInside } from "../platform/FilePath.ts"
import { makeFolder } from "../platform/MakeFolder.ts"
import { type ConfinedCommand, type PrivateTmp, SandboxUnavailable, type TemporaryFolders } from "./Confinement.ts"
import * as Disk from "./Disk.ts"

/** The folders inside a sandbox, and which of a session's they are. */
export const mountPoints = ["/tmp", "/var/tmp"] as const
export const sourceOf = (folders: TemporaryFolders, mountPoint: (typeof mountPoints)[number]): string =>
  mountPoint === "/tmp" ? folders.tmp : folders.varTmp

/** The folder directly below `mountPoint` that is `path` or leads to it. */
export const firstBelow = (mountPoint: string, path: string): string =>
  join(mountPoint, relative(mountPoint, path).split("/")[0] ?? "")

/** What all commands of a session put into its temporary folders. */
interface Usage {
  readonly bytes: number
  readonly entries: number
}

export interface TmpLimit {
  readonly bytes: number
  readonly entries: number
}

const defaultLimit: TmpLimit = { bytes: 2 * 1024 ** 3, entries: 200_000 }

/** Entries looked at before other work of the process gets its turn. */
const slice = 500

/** Counts what is allocated on the disk. Stops once more was found than is allowed. */
const usageOf = async (folders: ReadonlyArray<string>, limit: TmpLimit): Promise<Usage> => {
  const left = [...folders]
  let [bytes, entries] = [0, 0]
  for (const folder of left) {
    const found = await readdir(folder, { withFileTypes: true }).catch(() => [])
    for (let at = 0; at < found.length; at += slice) {
      const sizes = await Promise.all(
        found.slice(at, at + slice).map(async (entry) => {
          const path = join(folder, entry.name)
          if (entry.isDirectory()) left.push(path)
          return entry.isFile() ? (await lstat(path).catch(() => undefined))?.blocks ?? 0 : 0
        })
      )
      entries += sizes.length
      bytes += sizes.reduce((sum, blocks) => sum + blocks * 512, 0)
      if (bytes > limit.bytes || entries > limit.entries) return { bytes, entries }
    }
  }
  return { bytes, entries }
}

/** The process that uses a folder. Ids of processes come again, together with the time of the start they do not. */
const ownerOf = (pid: number): string => {
  const started = Disk.text(`/proc/${pid}/stat`)?.replace(/^.*\) /s, "").split(" ")[19] ?? ""
  return [hostname(), pid, started].join("\n")
}

/** Folders of another host that uses the same data folder are left alone for this long, in milliseconds. */
const patience = 30 * 24 * 3600 * 1000

const isAlive = async (folder: string): Promise<boolean> => {
  const owner = Disk.text(join(folder, "owner"))
  const [host, pid] = owner?.split("\n") ?? []
  if (host === hostname()) {
    try {
      process.kill(Number(pid), 0)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
    }
    return ownerOf(Number(pid)) === owner
  }
  const found = await lstat(folder).catch(() => undefined)
  // A folder without an owner may be about to get one.
  return found !== undefined && Date.now() - found.mtimeMs < (owner === undefined ? 60_000 : patience)
}

const call = (program: string, ...args: ReadonlyArray<string>) =>
  new Promise<boolean>((resolve) => void execFile(program, args, { env: {}, cwd: "/" }, (error) => resolve(!error)))

/**
 * Removes a tree whose content commands made. Node's own removal goes by paths, which a process that is about to end
 * could lead elsewhere with a link; `rm` goes by descriptors.
 */
const remove = async (folder: string): Promise<void> => {
  for (let round = 0; round < 4; round++) {
    if (await call("/bin/rm", "-rf", "--", folder)) return
    // A folder that its owner may not read, or a process that ends within the next seconds and still writes.
    await call("/bin/chmod", "-R", "u+rwx", "--", folder)
    await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** round))
  }
}

/** Removes what processes left that are gone. */
export const removeStale = async (parent: string): Promise<void> => {
  for (const name of Disk.names(parent) ?? []) {
    const folder = join(parent, name)
    if (!await isAlive(folder)) await remove(folder)
  }
}

const made = (parent: string): { readonly folder: string; readonly tmp: string; readonly varTmp: string } => {
  makeFolder(parent, 0o700)
  // What is mounted is compared with this path, which must have no links in it.
  const folder = realpathSync(mkdtempSync(join(parent, "session-")))
  writeFileSync(join(folder, "owner"), ownerOf(process.pid), { mode: 0o600 })
  const [tmp, varTmp] = ["tmp", "var-tmp"].map((name) => {
    const path = Disk.make(folder, name)
    // As programs expect of a temporary folder; the one around it is the user's own.
    chmodSync(path, 0o1777)
    return path
  }) as [string, string]
  return { folder, tmp, varTmp }
}

const unusable = (reason: string, remedy: string) =>
  new SandboxUnavailable({ missing: `the session's private /tmp cannot be used: ${reason}.`, remedy })

/**
 * Made when a first command needs them and removed when the scope closes, below `parent`, which only the user may read
 * and no command finds.
 */
export const make = (parent: string, scope: Scope.Scope, limit: TmpLimit = defaultLimit): PrivateTmp => {
  let folders: ReturnType<typeof made> | undefined
  /** Made for mounts, not by commands. */
  const mounts = new Set<string>()

  const open = Effect.suspend(() => {
    if (folders !== undefined) return Effect.succeed(folders)
    return Effect.try({
      try: () => folders = made(parent),
      catch: (error) => unusable(String(error), `Make ${parent} a folder that Postern can write to.`)
    }).pipe(
      Effect.tap(({ folder }) => Scope.addFinalizer(scope, Effect.promise(() => remove(folder))))
    )
  })

  const usage = Effect.suspend(() =>
    folders === undefined
      ? Effect.succeed({ bytes: 0, entries: 0 })
      : Effect.promise(() => usageOf([folders!.tmp, folders!.varTmp], limit))
  )
  const isOver = ({ bytes, entries }: Usage) => bytes > limit.bytes || entries > limit.entries

  /** Where something is mounted no command of the session can have put anything else. */
  const hold = (source: string, name: string): boolean => {
    const path = join(source, name)
    try {
      mkdirSync(path)
      mounts.add(path)
    } catch {
      // It is there.
    }
    return Disk.kind(path) === "folder"
  }

  const isUsed = ({ tmp, varTmp }: Pick<TemporaryFolders, "tmp" | "varTmp">) =>
    [tmp, varTmp].some((folder) => readdirSync(folder).some((name) => !mounts.has(join(folder, name))))

  const holdAll = Effect.fnUntraced(function*(
    { tmp, varTmp }: Pick<TemporaryFolders, "tmp" | "varTmp">,
    shown: ReadonlyArray<string>
  ) {
    for (const [mountPoint, source] of [["/tmp", tmp], ["/var/tmp", varTmp]] as const) {
      for (const path of shown.filter((path) => isInside(mountPoint, path) && path !== mountPoint)) {
        if (!hold(source, relative(mountPoint, firstBelow(mountPoint, path)))) {
          return yield* unusable(
            `a command has put something in the place of ${firstBelow(mountPoint, path)}`,
            "Open the session again."
          )
        }
      }
    }
  })

  const exceeded = Effect.gen(function*() {
    while (true) {
      const start = performance.now()
      const now = yield* usage
      if (isOver(now)) break
      yield* Effect.sleep(Math.max(1000, (performance.now() - start) * 10))
    }
    return `the session's /tmp holds more than ${limit.bytes / 1024 ** 2} MiB or ${limit.entries} files; ` +
      "until a command has deleted some of it, commands cannot write to files"
  })

  return {
    forWriting: Effect.fnUntraced(function*(shown) {
      const { tmp, varTmp } = yield* open
      yield* holdAll({ tmp, varTmp }, shown)
      return { tmp, varTmp, full: isOver(yield* usage) }
    }),
    forReading: Effect.fnUntraced(function*(shown) {
      if (folders === undefined || !isUsed(folders)) return undefined
      yield* holdAll(folders, shown)
      return { tmp: folders.tmp, varTmp: folders.varTmp, full: false }
    }),
    exceeded
  }
}

const fullNote = "the session's /tmp holds more than it may: until a command has deleted some of it, no command can " +
  "write to a file"

/** Stops a command that puts too much there, and says why one that finds too much there fails. */
export const bounded = (
  confined: ConfinedCommand,
  { exceeded }: PrivateTmp,
  { full }: TemporaryFolders
): ConfinedCommand => {
  if (!full) return { ...confined, exceeded }
  const { runner } = confined
  return {
    ...confined,
    runner: {
      ...runner,
      attribute: (ending) => {
        const attribution = runner.attribute(ending)
        const isOwn = attribution.kind === "runner-failed" || attribution.kind === "not-found" || ending.code === 0
        return isOwn ? attribution : { kind: "denied", note: fullNote }
      }
    }
  }
}
