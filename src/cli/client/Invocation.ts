import { realpathSync } from "node:fs"
import { basename, dirname, join, sep } from "node:path"
import { find } from "../../platform/Executable.ts"
import { isInside } from "../../platform/FilePath.ts"

export interface Start {
  /** The script Node was started with. */
  readonly script: string | undefined
  readonly path: string | undefined
  readonly cwd: string
}

const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** npx puts these on the path of what it starts; the person's shell has none of them. */
const isBin = (folder: string) => folder.endsWith(join("node_modules", ".bin"))

/** The folder npx finds this program from: the checkout, or the project it is installed in. */
const home = (script: string): string => {
  const checkout = dirname(dirname(script))
  const at = checkout.indexOf(`${sep}node_modules${sep}`)
  return at === -1 ? checkout : checkout.slice(0, at)
}

/** The words that start this program again where the person is. */
export const words = ({ cwd, path, script = "" }: Start): ReadonlyArray<string> => {
  const file = real(script)
  const installed = find("postern", path?.split(":").filter((folder) => !isBin(folder)).join(":"), []) !== undefined
  if (installed || basename(dirname(file)) !== "dist") return ["postern"]
  return isInside(home(file), real(cwd)) ? ["npx", "postern"] : ["node", file]
}
