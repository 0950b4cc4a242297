import { sep } from "node:path"

/** Component-wise: `/a/bc` is not inside `/a/b`. */
export const isInside = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
