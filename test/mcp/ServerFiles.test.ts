import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { filesOf } from "../../src/mcp/ServerFiles.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"

const base = suiteFolder()
const at = (...names: ReadonlyArray<string>) => join(base, ...names)

const put = (path: string, mode = 0o644) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, "")
  chmodSync(path, mode)
}

for (
  const name of ["x.mjs", "y.cjs", "a b.mjs", "home/.own/s.mjs", "home/package.json", "cwd/own.py", "lib/m.py", "l.jar"]
) put(at(name))
put(at("bin", "server"), 0o755)
for (const name of ["package.json", "dist/index.js", "node_modules/dep/package.json"]) put(at("pkg", name))
put(at("mono", "node_modules", "dep", "index.js"))
for (const name of ["package.json", "index.js"]) put(at("mono", "packages", "one", name))
put(at("venv", "pyvenv.cfg"))
mkdirSync(at("venv", "bin"))
symlinkSync("/bin/sh", at("venv", "bin", "python"))
put(at("uv", "pyproject.toml"))
mkdirSync(at("data", "inner"), { recursive: true })

const named = (command: string, args: ReadonlyArray<string> = [], env: Readonly<Record<string, string>> = {}) =>
  filesOf({ command, args, env }, { cwd: at("cwd"), path: at("bin"), homes: [at("home")], roots: [at("cwd")] })
    .map((path) => path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path).toSorted()

describe("the files of a server", () => {
  it.each<readonly [what: string, args: ReadonlyArray<string>, expected: ReadonlyArray<string>]>([
    ["a script", [at("x.mjs")], ["x.mjs"]],
    ["the value of an option", [`--import=${at("x.mjs")}`], ["x.mjs"]],
    ["the word after an option", ["--require", at("y.cjs")], ["y.cjs"]],
    ["the rest of a short option", [`-r${at("y.cjs")}`], ["y.cjs"]],
    ["a name without its end", ["-r", at("y")], ["y.cjs"]],
    ["an address", [`--import=${pathToFileURL(at("a b.mjs"))}`], ["a b.mjs"]],
    ["a relative path", ["../x.mjs", "./own.py"], ["cwd/own.py", "x.mjs"]],
    ["a list", ["-cp", `${at("l.jar")}:${at("none.jar")}`], ["l.jar"]],
    ["a hidden place of a home folder, and nothing else of it", [at("home/.own/s.mjs")], ["home/.own/s.mjs"]],
    ["a package", [at("pkg/dist/index.js")], ["pkg", "pkg/dist/index.js"]],
    ["a package with modules above it", [at("mono/packages/one/index.js")], [
      "mono/node_modules",
      "mono/packages/one",
      "mono/packages/one/index.js"
    ]],
    ["the folder of a project", ["--directory", at("uv"), "run", "server.py"], ["uv"]],
    ["nothing: folders of data, other addresses, code, and what is not there", [
      at("data"),
      `--root=${at("data")}`,
      "https://example.com/x.mjs",
      "-c",
      "import os; print(1)",
      at("none.mjs"),
      "-y",
      ""
    ], []]
  ])("are named by %s", (_, args, expected) => {
    assert.deepStrictEqual(named("node", args), expected)
  })

  it("include the program, also where PATH or a link leads to it", () => {
    assert.deepStrictEqual(named("server"), ["bin/server"])
    assert.deepStrictEqual(named(at("bin", "server")), ["bin/server"])
    assert.deepStrictEqual(named(at("venv", "bin", "python"), ["-m", "server"]), ["venv", "venv/bin/python"])
    assert.deepStrictEqual(named("no-such-program"), [])
  })

  it("include what is loaded along with it", () => {
    assert.deepStrictEqual(named("node", [], { NODE_OPTIONS: `--import=${at("x.mjs")} --require ${at("y.cjs")}` }), [
      "x.mjs",
      "y.cjs"
    ])
    assert.deepStrictEqual(named("python", ["-m", "m"], { PYTHONPATH: `${at("lib")}:${at("home")}` }), ["lib"])
    assert.deepStrictEqual(named("node", [], { CONFIG: at("x.mjs") }), [])
  })
})
