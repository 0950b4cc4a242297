import type { ActionContext } from "../../decision/CallAction.ts"

/** Paths by their text alone: `..` collapses, nothing is looked up. */

export const resolve = (path: string, cwd: string | null): string | undefined => {
  if (path.startsWith("/")) return normalize(path)
  return cwd === null ? undefined : normalize(`${cwd}/${path}`)
}

/** An absolute path has a segment that is empty or made of dots, or a slash at its end. */
const hasMore = /\/(\.{0,2}(\/|$))/

const normalize = (path: string): string => {
  if (!hasMore.test(path)) return path
  const segments: Array<string> = []
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop()
    else if (segment !== "" && segment !== ".") segments.push(segment)
  }
  return `/${segments.join("/")}`
}

export const isBelow = (path: string, folder: string): boolean =>
  folder === "/" ? path !== "/" : path.startsWith(folder) && path[folder.length] === "/"

export const isAtOrBelow = (path: string, folder: string): boolean => path === folder || isBelow(path, folder)

/** The root that has the path, unless that root is so wide that being inside means nothing. */
export const rootOf = (path: string, place: ActionContext): string | undefined =>
  place.roots.find((root) => isAtOrBelow(path, root) && !isAtOrBelow(place.home, root))

export const isInside = (path: string | undefined, place: ActionContext): boolean =>
  path !== undefined && rootOf(path, place) !== undefined
