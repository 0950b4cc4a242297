import { execFileSync, spawnSync } from "node:child_process"
import { lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { suiteFolder } from "../support/SuiteFolder.ts"

const folder = suiteFolder()
const home = join(folder, "home")
const project = join(folder, "project")
const modules = join(project, "node_modules")

/** Nothing of the npm that runs the tests: its settings name this repository's folder. */
const env = { PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`, HOME: home, LANG: "C.UTF-8" }

const sizeOf = (path: string): number => {
  const stat = lstatSync(path)
  return stat.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0) : stat.size
}

beforeAll(() => {
  for (const path of [home, project]) mkdirSync(path)
  // Without scripts, `prepare` would build while other tests run the bundle.
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], { env })
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "no archive"
  const quiet = ["--offline", "--omit=optional", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
  execFileSync("npm", ["install", ...quiet, join(folder, archive)], { cwd: project, env })
}, 60_000)

describe("the npm package, installed without a registry", () => {
  it("is one folder of at most 5 MiB with the license and the README", () => {
    expect(readdirSync(modules).filter((name) => !name.startsWith("."))).toEqual(["postern"])
    expect(readdirSync(join(modules, "postern")).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"])
    expect(sizeOf(modules)).toBeLessThanOrEqual(5 * 1024 * 1024)
  })

  it("asks for nothing but optional native helpers", () => {
    const manifest = JSON.parse(readFileSync(join(modules, "postern", "package.json"), "utf8"))
    expect(manifest.dependencies).toBeUndefined()
    expect(Object.keys(manifest.optionalDependencies)).toEqual(["@deepseek-ai/node-addon-landlock-run", "koffi"])
  })

  it("answers a prompt", () => {
    const { status, stderr, stdout } = spawnSync(join(modules, ".bin", "postern"), ["client", "say hi"], {
      cwd: project,
      env,
      encoding: "utf8",
      timeout: 20_000
    })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: expect.stringMatching(/^hi$/m), stderr: "" })
  })
})
