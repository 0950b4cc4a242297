import { spawnSync } from "node:child_process"
import { lstatSync } from "node:fs"
import { dirname, isAbsolute, join, resolve } from "node:path"

/** What git's configuration makes of one repository, found out by git itself: includes and conditions are its own. */
export interface GitConfig {
  /** `core.hooksPath`, with links as they are. */
  readonly hooks?: string
  /** `core.worktree`. */
  readonly worktree?: string
  /** Every file that is part of the configuration or would be under a condition. They need not exist. */
  readonly files: ReadonlyArray<string>
}

/** A repository folder, and the folder that relative paths for its hooks start from. */
export interface GitFolders {
  readonly folder: string
  readonly worktree: string
}

export type GitConfigReader = (folders: GitFolders) => GitConfig

const nothing: GitConfig = { files: [] }

export const noGit: GitConfigReader = () => nothing

/** In milliseconds. */
const patience = 500

const expand = (path: string, from: string, home: string): string => {
  const named = path.startsWith("~/") ? join(home, path.slice(2)) : path.replace(/^%\(prefix\)\//, "/usr/")
  return isAbsolute(named) ? named : resolve(from, named)
}

const ask = (git: string, { folder, worktree }: GitFolders, home: string, configHome: string): GitConfig => {
  const { status, stdout } = spawnSync(
    git,
    [`--git-dir=${folder}`, "config", "--list", "--includes", "--show-origin", "-z"],
    {
      cwd: "/",
      // `config` runs nothing, whatever the configuration says.
      env: { HOME: home, XDG_CONFIG_HOME: configHome, PATH: "/usr/bin:/bin", LC_ALL: "C" },
      timeout: patience,
      maxBuffer: 8 * 1024 * 1024,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"]
    }
  )
  if (status !== 0 || typeof stdout !== "string") return nothing
  const files = new Set<string>()
  let hooks: string | undefined
  let tree: string | undefined
  const parts = stdout.split("\0")
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const origin = parts[at]!
    const [key = "", ...rest] = parts[at + 1]!.split("\n")
    const value = rest.join("\n")
    const file = origin.startsWith("file:") ? resolve("/", origin.slice(5)) : undefined
    if (file !== undefined) files.add(file)
    if (key === "core.hookspath") hooks = value === "" ? undefined : expand(value, worktree, home)
    if (key === "core.worktree" && value !== "") tree = expand(value, folder, home)
    if (/^include(if\..*)?\.path$/.test(key) && file !== undefined) files.add(expand(value, dirname(file), home))
  }
  return {
    files: [...files],
    ...(hooks === undefined ? {} : { hooks }),
    ...(tree === undefined ? {} : { worktree: tree })
  }
}

const stampOf = (path: string): string => {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found === undefined ? "" : `${found.ino} ${found.size} ${found.ctimeMs}`
  } catch {
    return "?"
  }
}

/** Asks git once and again when one of the files has changed, in about 5 ms each time. Without git there is nothing. */
export const makeReader = (
  git: () => string | undefined,
  home: string,
  configHome = join(home, ".config")
): GitConfigReader => {
  const known = new Map<string, { readonly stamp: string; readonly config: GitConfig }>()
  const usual = ["/etc/gitconfig", join(home, ".gitconfig"), join(configHome, "git", "config")]
  const stamp = ({ folder }: GitFolders, { files }: GitConfig) =>
    Array.from(
      new Set([...usual, join(folder, "config"), join(folder, "config.worktree"), join(folder, "HEAD"), ...files]),
      stampOf
    ).join("\n")
  return (folders) => {
    const program = git()
    if (program === undefined) return nothing
    const key = `${folders.folder}\0${folders.worktree}`
    const before = known.get(key)
    if (before !== undefined && before.stamp === stamp(folders, before.config)) return before.config
    const config = ask(program, folders, home, configHome)
    known.set(key, { config, stamp: stamp(folders, config) })
    return config
  }
}
