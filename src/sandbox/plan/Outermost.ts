import { isInside } from "../../platform/FilePath.ts"

/** Without those that lie inside another one. */
export const withoutNested = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const unique = [...new Set(paths)]
  return unique.filter((path) => !unique.some((other) => other !== path && isInside(other, path)))
}
