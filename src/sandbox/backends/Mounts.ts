import { isInside } from "../../platform/FilePath.ts"
import { isNarrow, isScratch } from "../Modes.ts"
import type { Plan } from "../plan/Plan.ts"

/** How the folders of a scratch call take writes that must not last. */
export type ScratchMounts =
  | { readonly kind: "overlay" }
  /** Overlays lie over the folders already, in a mount namespace around this one. */
  | { readonly kind: "mounted" }
  | { readonly kind: "copies"; readonly of: ReadonlyMap<string, string> }
  | { readonly kind: "read-only" }

interface Mount {
  readonly path: string
  readonly args: ReadonlyArray<string>
}

const temporary = ["/tmp", "/var/tmp"]

/** Read from the system where nothing else is shown; a machine may lack any of them. */
const systemFiles = [
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "passwd",
  "group",
  "nsswitch.conf",
  "ssl",
  "ca-certificates",
  "pki",
  "crypto-policies",
  "alternatives",
  "localtime",
  "timezone",
  "resolv.conf",
  "hosts",
  "host.conf",
  "terminfo",
  "mime.types",
  "gitconfig",
  "os-release",
  "static"
].map((name) => `/etc/${name}`)

/** The system's own folders: where `/bin` is a link into `/usr` it stays one. */
export interface SystemFolder {
  readonly path: string
  readonly link?: string
}

const system = (folders: ReadonlyArray<SystemFolder>): ReadonlyArray<string> => [
  "--ro-bind",
  "/usr",
  "/usr",
  ...folders.flatMap(({ link, path }) =>
    link === undefined ? ["--ro-bind-try", path, path] : ["--symlink", link, path]
  ),
  ...systemFiles.flatMap((path) => ["--ro-bind-try", path, path])
]

const base = (plan: Plan, folders: ReadonlyArray<SystemFolder>): ReadonlyArray<string> => {
  const shown = isNarrow(plan.mode) ? system(folders) : ["--ro-bind", "/", "/"]
  // A writable /proc would let a host that runs as root change the kernel's own settings.
  const special = ["--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"]
  const folder = (path: string) => ["--perms", "1777", "--tmpfs", path]
  return [
    ...shown,
    ...special,
    ...(plan.mode === "read-only" ? [] : isNarrow(plan.mode) ? folder("/tmp") : temporary.flatMap(folder))
  ]
}

/** Mounts a folder where it is, open to writing. */
export type BindMount = (path: string) => ReadonlyArray<string>

const byPath: BindMount = (path) => ["--bind", path, path]

const rootArgs = (
  plan: Plan,
  path: string,
  scratch: ScratchMounts | undefined,
  bind: BindMount
): ReadonlyArray<string> => {
  if (plan.mode === "workspace-write") return bind(path)
  if (!isScratch(plan.mode) || scratch === undefined) return ["--ro-bind", path, path]
  switch (scratch.kind) {
    case "overlay":
      return ["--overlay-src", path, "--tmp-overlay", path]
    case "mounted":
      return ["--bind", path, path]
    case "copies":
      return ["--bind", scratch.of.get(path) ?? path, path]
    case "read-only":
      return ["--ro-bind", path, path]
  }
}

const depth = (path: string): number => path === "/" ? 0 : path.split("/").length

/**
 * The mounts of a confining mode (docs/sandbox.md#bubblewrap). Later ones lie over earlier ones, so they go from the
 * outside in: what is deeper decides, and of two for one path the stricter one.
 */
export const of = (
  plan: Plan,
  folders: ReadonlyArray<SystemFolder>,
  scratch?: ScratchMounts,
  bind: BindMount = byPath
): ReadonlyArray<string> => {
  const shown = [...plan.roots, ...plan.readable]
  const empty = plan.mode === "read-only" ? [] : isNarrow(plan.mode) ? ["/tmp"] : temporary
  const inEmpty = (path: string) =>
    empty.some((folder) =>
      isInside(folder, path) && !shown.some((root) => isInside(folder, root) && isInside(root, path))
    )
  const masks = plan.masks.filter(({ path }) => !inEmpty(path))
  const mounts: ReadonlyArray<Mount> = [
    ...plan.programs.map((path) => ({ path, args: ["--ro-bind", path, path] })),
    ...plan.readable.map((path) => ({ path, args: ["--ro-bind", path, path] })),
    ...plan.roots.map((path) => ({ path, args: rootArgs(plan, path, scratch, bind) })),
    ...plan.visible.map(({ link, path }) => ({
      path,
      args: link === undefined ? ["--ro-bind", path, path] : ["--symlink", link, path]
    })),
    ...plan.pinned.map((path) => ({ path, args: bind(path) })),
    ...plan.readOnly.map((path) => ({ path, args: ["--ro-bind", path, path] })),
    ...masks.map(({ folder, path }) => ({ path, args: folder ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path] }))
  ]
  return [
    ...base(plan, folders),
    ...mounts.toSorted((a, b) => depth(a.path) - depth(b.path)).flatMap(({ args }) => args),
    ...masks.filter(({ folder }) => folder).flatMap(({ path }) => ["--remount-ro", path]),
    ...(isNarrow(plan.mode) ? ["--remount-ro", "/"] : [])
  ]
}
