import { join } from "node:path"

/**
 * The one file that Work mode `pl` may write (docs/policy.md#work-modes): Markdown, in the folder the session works in.
 */
export const relativePath = ".postern/plan.md"

export const pathIn = (cwd: string): string => join(cwd, relativePath)
