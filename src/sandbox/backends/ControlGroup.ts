import { mkdirSync, rmdirSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { isInside } from "../../platform/FilePath.ts"
import * as Disk from "../Disk.ts"

/**
 * Control groups that bound how many processes a call has (docs/sandbox.md#resource-limits). The kernel does not hold
 * root to the resource limit, in whatever namespace: https://man7.org/linux/man-pages/man2/getrlimit.2.html. See
 * cgroups(7), https://man7.org/linux/man-pages/man7/cgroups.7.html.
 */

/** Whether processes have to be counted this way: for the machine's own root, not for the root of a user namespace. */
export const isNeeded = (): boolean =>
  process.geteuid?.() === 0 && /^\s*0\s+0\s/.test(Disk.text("/proc/self/uid_map") ?? "")

/** Folders of this process's own groups: of version 1 if that counts processes, else of version 2. */
const ownGroup = (): { readonly folder: string; readonly top: string; readonly version: 1 | 2 } | undefined => {
  const memberships = (Disk.text("/proc/self/cgroup") ?? "").split("\n").map((line) => {
    const [, controllers = "", ...path] = line.split(":")
    return { controllers: controllers.split(","), path: path.join(":") }
  })
  for (const version of [1, 2] as const) {
    const own = memberships.find(({ controllers }) => controllers.includes(version === 1 ? "pids" : ""))?.path
    const mount = (Disk.text("/proc/self/mountinfo") ?? "").split("\n").map((line) => line.split(" ")).find(
      (fields) => {
        const [type, , options = ""] = fields.slice(fields.indexOf("-") + 1)
        return version === 2 ? type === "cgroup2" : type === "cgroup" && options.split(",").includes("pids")
      }
    )
    const [root, top] = [mount?.[3], mount?.[4]]
    if (!own?.startsWith("/") || root === undefined || top === undefined || !isInside(root, own)) continue
    return { folder: join(top, root === "/" ? own : own.slice(root.length)), top, version }
  }
  return undefined
}

const counts = (folder: string): boolean =>
  (Disk.text(join(folder, "cgroup.subtree_control")) ?? "").trim().split(" ").includes("pids")

/**
 * Where groups may be made. They must stay within the limits that hold for this process: below its own group, which
 * version 2 allows only for the root of all groups, or beside it, where the group around both was handed over to the
 * service or the container.
 */
const parents = (): ReadonlyArray<string> => {
  const own = ownGroup()
  if (own === undefined) return []
  if (own.version === 1) return [own.folder]
  const around = dirname(own.folder)
  const isHandedOver = own.folder !== own.top && Disk.kind(join(around, "pids.max")) === "file" &&
    (around === own.top || /\.(service|scope)$/.test(basename(around)))
  return [own.folder, ...(isHandedOver ? [around] : [])].filter(counts)
}

const attempt = (act: () => void): boolean => {
  try {
    act()
    return true
  } catch {
    return false
  }
}

const prefix = "postern-"

/** Groups of hosts that were killed. */
const removeStale = (parent: string) => {
  for (const name of Disk.names(parent) ?? []) {
    const pid = /^postern-(\d+)-\d+$/.exec(name)?.[1]
    if (pid !== undefined && !attempt(() => process.kill(Number(pid), 0))) attempt(() => rmdirSync(join(parent, name)))
  }
}

let last = 0
let known: { readonly parent: string | undefined } | undefined

const make = (parent: string, processes: number): string => {
  const folder = join(parent, `${prefix}${process.pid}-${++last}`)
  mkdirSync(folder)
  try {
    writeFileSync(join(folder, "pids.max"), `${processes}`)
  } catch (error) {
    attempt(() => rmdirSync(folder))
    throw error
  }
  return folder
}

/** Where groups can be made on this machine, found out by making one. */
export const place = (): string | undefined => {
  known ??= {
    parent: parents().find((parent) => attempt(() => rmdirSync(make(parent, 1))))
  }
  return known.parent
}

const removal = { rounds: 50, every: 100 }

/** A group with processes in it cannot be removed: the last ones may still be ending. */
const remove = (folder: string, rounds = removal.rounds) => {
  if (Disk.kind(folder) === "missing" || attempt(() => rmdirSync(folder)) || rounds === 0) return
  setTimeout(() => remove(folder, rounds - 1), removal.every).unref()
}

export interface ControlGroup {
  /** Throws where the kernel refuses it. What the process starts from now on belongs to it as well. */
  readonly add: (pid: number) => void
  readonly remove: () => void
}

/** Fails where {@link place} has none. */
export const create = (processes: number): ControlGroup => {
  const parent = place()
  if (parent === undefined) throw new Error("no control group can be made")
  if (last === 1) removeStale(parent)
  const folder = make(parent, processes)
  return {
    add: (pid) => writeFileSync(join(folder, "cgroup.procs"), `${pid}`),
    remove: () => remove(folder)
  }
}
