import { isInside } from "../../platform/FilePath.ts"
import * as Disk from "../Disk.ts"

/**
 * The mounts of a process, and whether they are those that bubblewrap was asked for (docs/sandbox.md#bubblewrap).
 * See proc_pid_mountinfo(5), https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html.
 */

interface MountEntry {
  readonly id: string
  readonly parent: string
  /** Which file system, as `major:minor`. */
  readonly device: string
  /** The folder or file of the file system that was mounted. */
  readonly root: string
  /** Where, as the process sees it. */
  readonly point: string
  readonly readOnly: boolean
  readonly type: string
}

export interface MountTable {
  readonly entries: ReadonlyArray<MountEntry>
  readonly top: MountEntry | undefined
  /** By parent and mount point. */
  readonly children: ReadonlyMap<string, MountEntry>
  readonly devices: ReadonlySet<string>
}

/** Spaces, tabs, line ends and backslashes are written in octal. */
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

const key = (parent: string, point: string): string => `${parent} ${point}`

export const parse = (text: string): MountTable => {
  const entries = text.split("\n").flatMap((line): ReadonlyArray<MountEntry> => {
    const [id, parent, device, root, point, options, ...rest] = line.split(" ")
    const type = rest[rest.indexOf("-") + 1]
    if (!id || !parent || !device || !root || !point || !options || !type) return []
    return [{
      id,
      parent,
      device,
      // Of control groups it depends on the control group of whoever reads it.
      root: type.startsWith("cgroup") ? "/" : unescaped(root),
      point: unescaped(point),
      readOnly: options.split(",").includes("ro"),
      type
    }]
  })
  const ids = new Set(entries.map(({ id }) => id))
  return {
    entries,
    top: entries.find(({ parent, point }) => point === "/" && !ids.has(parent)),
    children: new Map(entries.map((entry) => [key(entry.parent, entry.point), entry])),
    devices: new Set(entries.map(({ device }) => device))
  }
}

interface Location {
  readonly entry: MountEntry
  /** Inside the file system. */
  readonly path: string
}

/** Empty, or with a slash in front. */
const relative = (folder: string, path: string): string =>
  folder !== "/" ? path.slice(folder.length) : path === "/" ? "" : path

const below = (folder: string, rest: string): string => folder === "/" ? rest || "/" : `${folder}${rest}`

/** Where a path without links lies: the mounts on the way to it are entered one after the other, as the kernel does. */
const locate = ({ children, top }: MountTable, path: string): Location | undefined => {
  if (top === undefined) return undefined
  let entry = top
  const names = path === "/" ? [""] : path.split("/")
  for (let length = 1; length <= names.length; length++) {
    const place = names.slice(0, length).join("/") || "/"
    for (let next = children.get(key(entry.id, place)); next !== undefined;) {
      entry = next
      next = children.get(key(entry.id, place))
    }
  }
  return { entry, path: below(entry.root, relative(entry.point, path)) }
}

/** What an option of bubblewrap puts at a path. */
interface Expected {
  /** A path of the host, without links. */
  readonly source?: string
  /** Of a file system that is made for the call. */
  readonly type?: string
  readonly readOnly: boolean
}

/** How many arguments the other options take. */
const operands: { readonly [option: string]: number } = {
  "--symlink": 2,
  "--overlay-src": 1,
  "--perms": 1,
  "--size": 1,
  "--cap-drop": 1,
  "--chdir": 1
}

/** Temporary folders that are links on this machine are mounted where they lead. */
const places = new Set(["/tmp", "/var/tmp"])

/**
 * By mount point, from options in the order in which bubblewrap applies them. `held` are the paths behind descriptors,
 * `overlaid` the folders over which an overlay lies already.
 */
const expectedOf = (
  options: ReadonlyArray<string>,
  held: ReadonlyMap<string, string>,
  overlaid: ReadonlyArray<string>
): ReadonlyMap<string, Expected> => {
  const found = new Map<string, Expected>([["/", { type: "tmpfs", readOnly: false }]])
  const put = (named: string, what: Expected) => {
    const place = places.has(named) ? Disk.real(named) ?? named : named
    // What was mounted deeper before is covered now.
    for (const other of found.keys()) if (other !== place && isInside(place, other)) found.delete(other)
    found.set(place, what)
  }
  const bind = (source: string | undefined, place: string, readOnly: boolean) => {
    if (source !== undefined) {
      put(place, overlaid.includes(source) ? { type: "overlay", readOnly } : { source, readOnly })
    }
  }
  for (let at = 0; at < options.length; at++) {
    const [option = "", first = "", second = ""] = options.slice(at, at + 3)
    const readOnly = option.startsWith("--ro-")
    switch (option) {
      case "--bind":
      case "--ro-bind":
        bind(first, second, readOnly)
        at += 2
        break
      case "--ro-bind-try":
        // Files of the system, which may be missing or links.
        bind(Disk.real(first), second, readOnly)
        at += 2
        break
      case "--bind-fd":
      case "--ro-bind-fd":
        bind(held.get(first), second, readOnly)
        at += 2
        break
      case "--tmpfs":
        put(first, { type: "tmpfs", readOnly: false })
        at += 1
        break
      case "--dev":
        put(first, { type: "tmpfs", readOnly: false })
        at += 1
        break
      case "--proc":
        put(first, { type: "proc", readOnly: false })
        at += 1
        break
      case "--tmp-overlay":
        put(first, { type: "overlay", readOnly: false })
        at += 1
        break
      case "--remount-ro": {
        const place = places.has(first) ? Disk.real(first) ?? first : first
        found.set(place, { ...found.get(place), readOnly: true })
        at += 1
        break
      }
      default:
        at += operands[option] ?? 0
    }
  }
  return found
}

/** A file system that was made for the call, as a whole. Bubblewrap's own root is a folder in one. */
const isNew = (entry: MountEntry, type: string | undefined, outer: MountTable): boolean =>
  entry.type === type && !outer.devices.has(entry.device) && entry.root === (entry.point === "/" ? "/newroot" : "/")

const isAt = (entry: MountEntry, outer: MountTable, path: string): boolean => {
  const outside = locate(outer, path)
  return outside?.entry.device === entry.device && outside.path === entry.root
}

/** Made by bubblewrap inside its own `/dev` and `/proc`. */
const isOfSystem = (entry: MountEntry, outer: MountTable): boolean => {
  const { device, point, type } = entry
  if (isInside("/proc", point)) return type === "proc" && !outer.devices.has(device)
  return isInside("/dev", point) && (isNew(entry, "devpts", outer) || isAt(entry, outer, point))
}

export interface AskedMounts {
  /** Options in the order in which bubblewrap applies them. */
  readonly options: ReadonlyArray<string>
  /** The path behind each descriptor that the options name. */
  readonly held: ReadonlyMap<string, string>
  /** Folders over which an overlay lies outside of bubblewrap, and where its upper layers are. */
  readonly overlaid?: ReadonlyArray<string>
  readonly stage?: string
}

/** Whether the last option took effect, and the process sees nothing but its new root. */
export const isComplete = (inner: MountTable): boolean => {
  const { entry } = locate(inner, "/proc") ?? {}
  return entry?.point === "/proc" && entry.type === "proc" && entry.readOnly
}

/**
 * The first path at which something else lies than was asked for: a link was followed, or a folder exchanged, while
 * bubblewrap mounted by path. Also a mount that nothing asked for counts. `undefined` where all is as asked.
 */
export const difference = (
  inner: MountTable,
  outer: MountTable,
  { held, options, overlaid = [], stage }: AskedMounts
): string | undefined => {
  const expected = expectedOf(options, held, overlaid)
  const isThere = (entry: MountEntry, { source, type }: Expected): boolean =>
    source === undefined ? isNew(entry, type, outer) : isAt(entry, outer, source)
  for (const [place, what] of expected) {
    const found = locate(inner, place)?.entry
    if (found?.point !== place || !isThere(found, what) || (what.readOnly && !found.readOnly)) return place
  }
  const outside = new Set(outer.entries.map(({ device, point, root }) => [device, root, point].join("\0")))
  /** Mounts of the host come along with the folder that holds them. */
  const cameAlong = ({ device, point, root }: MountEntry): boolean =>
    [...expected].some(([place, { source }]) =>
      source !== undefined && isInside(place, point) &&
      outside.has([device, root, below(source, relative(place, point))].join("\0"))
    )
  return inner.entries.find((entry) => {
    const what = expected.get(entry.point)
    return !(what !== undefined && isThere(entry, what)) && !cameAlong(entry) && !isOfSystem(entry, outer) &&
      !(overlaid.includes(entry.point) && isNew(entry, "overlay", outer)) &&
      !(entry.point === stage && isNew(entry, "tmpfs", outer))
  })?.point
}

/** Of a process, as it sees them; nothing where it is gone. */
export const of = (pid: number | "self"): MountTable | undefined => {
  const text = Disk.text(`/proc/${pid}/mountinfo`)
  return text === undefined ? undefined : parse(text)
}
