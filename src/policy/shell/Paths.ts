import type { ActionContext } from "../decision/CallAction.ts"
import { names } from "./programs/Rows.ts"
import { type Arg, HOLE, isKnown } from "./Words.ts"

/** Paths by their text alone: `..` collapses, nothing is looked up. */

export const resolve = (path: string, cwd: string | null): string | undefined => {
  if (path.startsWith("/")) return normalize(path)
  return cwd === null ? undefined : normalize(`${cwd}/${path}`)
}

const normalize = (path: string): string => {
  const segments: Array<string> = []
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop()
    else if (segment !== "" && segment !== ".") segments.push(segment)
  }
  return `/${segments.join("/")}`
}

export const isBelow = (path: string, folder: string): boolean =>
  folder === "/" ? path !== "/" : path.startsWith(folder) && path[folder.length] === "/"

const isAtOrBelow = (path: string, folder: string) => path === folder || isBelow(path, folder)

/** The root that has the path, unless that root is so wide that being inside means nothing. */
export const rootOf = (path: string, place: ActionContext): string | undefined =>
  place.roots.find((root) => isAtOrBelow(path, root) && !isAtOrBelow(place.home, root))

export const isInside = (path: string | undefined, place: ActionContext): boolean =>
  path !== undefined && rootOf(path, place) !== undefined

/** Folder names whose content a build, a package manager or a cache makes again. */
const regenerable = names(`
  node_modules dist build out target coverage .next .nuxt .turbo .cache .parcel-cache .vite .output .svelte-kit
  __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .venv venv .gradle tmp temp htmlcov .nyc_output .eggs
  _build .dart_tool bower_components storybook-static .angular .docusaurus .terraform .eslintcache test-results
  playwright-report .wrangler .expo DerivedData .zig-cache zig-out dist-newstyle .stack-work elm-stuff
  .hypothesis .nox .ipynb_checkpoints .astro .coverage .DS_Store Thumbs.db package-lock.json yarn.lock
  pnpm-lock.yaml bun.lockb bun.lock Cargo.lock poetry.lock uv.lock Pipfile.lock Gemfile.lock composer.lock
`)

/** Endings of files that are made again, or are left over from an edit or a merge. */
const leftoverEndings = names(`
  pyc pyo o obj class log tmp temp swp swo bak orig rej tsbuildinfo egg-info dSYM gcda gcno gcov lcov profraw pid cache
  dist-info aux toc
`)
const isLeftover = (path: string): boolean =>
  leftoverEndings.has(path.slice(path.lastIndexOf(".") + 1)) || /(~|__pycache__)$/.test(path)

/** It says of itself that it can be made again (policy §3.1). */
const isRegenerable = (below: string, glob: boolean): boolean => {
  const segments = below.split("/")
  return (
    segments.some((segment) => regenerable.has(segment) || /^(cmake-build|dist|build)-[\w.-]+$/.test(segment)) ||
    ((glob || /\.(egg-info|dist-info|tsbuildinfo)$/.test(below)) && isLeftover(below))
  )
}

/** Deleting it with everything below it loses nothing of worth. */
export const isExpendable = (arg: Arg, cwd: string | null, place: ActionContext): boolean => {
  if (!isKnown(arg)) return false
  const path = resolve(arg.guess, cwd)
  if (path === undefined) return false
  const root = rootOf(path, place)
  if (root !== undefined) return path !== root && isRegenerable(path.slice(root.length + 1), arg.glob)
  if (place.roots.some((each) => isAtOrBelow(each, path))) return false
  const scratch = /^(\/private)?(\/var)?\/tmp\/([^/]+)/.exec(path)
  return scratch !== null && !/^[*?.]+$/.test(scratch[3]!)
}

const fileEndings = names(`
  js jsx ts tsx mjs cjs mts cts json json5 md txt log lock yml yaml toml xml htm html css scss py rb go rs java kt c h
  cpp hpp
  sh sql csv png jpg jpeg svg gif pdf zip gz tgz tar map out tmp bak
`)

/** By its name a file and not a folder, so that `-r` adds nothing. */
export const isFileName = (arg: Arg): boolean =>
  !arg.glob && isKnown(arg) && fileEndings.has(/[^/]\.(\w+)$/.exec(arg.guess)?.[1] ?? "")

/** A glob whose last segment matches everything. */
export const isUnbounded = (arg: Arg): boolean => arg.glob && /(^|\/)[*?.]*\*[*?.]*\/?$/.test(arg.guess)

const loopback = new RegExp(
  String.raw`^([a-z][a-z0-9+.-]*://)?([^/@\s]*@)?` +
    String.raw`(localhost|127(\.\d+){3}|\[?::1\]?|0\.0\.0\.0|host\.docker\.internal|[\w-]+\.localhost)(:\d+)?([/?#]|$)`,
  "i"
)

export const isLoopback = (address: string): boolean => !address.startsWith(HOLE) && loopback.test(address)
