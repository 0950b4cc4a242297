import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { lines, Run } from "./support/Run.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"

const text = `# mine
[agents.main]            # the main one
model   = "offline/echo"   # trailing

[policy.rules]
# never touch these
deny = [
  "shell(rm -rf *)",   # wipes
  # ssh keys
  { rule = "read(~/.ssh/**)", reason = "keys" }, # inline
]

[acp] # protocol
max_sessions = 3
`

let home: string
let cwd: string
let config: string

beforeEach(() => {
  home = suiteFolder()
  cwd = join(home, "project")
  config = join(home, "config.toml")
  mkdirSync(cwd)
  writeFileSync(config, text, { mode: 0o640 })
})

const policy = (...args: ReadonlyArray<string>) =>
  new Run(["policy", ...args], {
    env: { POSTERN_CONFIG_DIR: home, POSTERN_DATA_DIR: "", POSTERN_LOG_LEVEL: "error" },
    stdin: "",
    cwd
  }).done
const listed = async () => lines((await policy("rules", "list", "--json")).stdout)
const idOf = (stdout: string) => /[0-9a-f]{12}/.exec(stdout)?.[0] ?? ""

describe("postern policy rules", () => {
  it("adds a rule to the user's file and leaves every other byte as it was", async () => {
    const added = await policy("rules", "add", "deny", "shell(git push ** --force **)", "--reason", "say \"please\"")
    expect(added).toEqual({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^added [0-9a-f]{12} .*config\.toml\n$/)
    })
    const line = "  { rule = \"shell(git push ** --force **)\", reason = \"say \\\"please\\\"\" },\n"
    expect(readFileSync(config, "utf8")).toBe(text.replace("# inline\n", `# inline\n${line}`))
    expect(statSync(config).mode & 0o777).toBe(0o640)
    expect((await policy("rules", "add", "deny", "shell(git push ** --force **)")).stdout).toMatch(/^already there: /)
    expect(await policy("rules", "remove", idOf(added.stdout).slice(0, 6))).toMatchObject({ code: 0, stderr: "" })
    expect(readFileSync(config, "utf8")).toBe(text)
  })

  it("removes a rule with the comments about it and no others", async () => {
    const [rule] = (await listed()).filter(({ rule }) => rule === "read(~/.ssh/**)")
    expect(rule).toEqual({
      id: expect.any(String),
      list: "deny",
      rule: "read(~/.ssh/**)",
      layer: "user",
      reason: "keys"
    })
    expect((await policy("rules", "remove", rule?.["id"])).stdout).toBe(
      `removed ${rule?.["id"]} deny read(~/.ssh/**) from ${config}\n`
    )
    const gone = "  # ssh keys\n  { rule = \"read(~/.ssh/**)\", reason = \"keys\" }, # inline\n"
    expect(readFileSync(config, "utf8")).toBe(text.replace(gone, ""))
  })

  it("writes no rule that could not be loaded", async () => {
    expect(await policy("rules", "add", "allow", "shell(npm")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("\"shell(npm\" is no allow rule")
    })
    expect(await policy("rules", "add", "maybe", "shell(npm *)")).toMatchObject({ code: 2, stdout: "" })
    writeFileSync(config, text.replace("shell(rm -rf *)", "shel(rm -rf *)"))
    const refused = await policy("rules", "add", "allow", "shell(npm test *)")
    expect(refused).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("deny rule 1 \"shel(rm -rf *)\"")
    })
    expect(readFileSync(config, "utf8")).not.toContain("npm")
    expect(await policy("rules", "remove", "ffffffffffff")).toMatchObject({ code: 1, stdout: "" })
  })

  it("keeps a project's rules in the project", async () => {
    const added = await policy("rules", "add", "allow", "shell(tool build *)", "--layer", "project")
    expect(added.stderr).toBe(
      `postern: allow rules of this project do not count until you say: postern policy trust ${cwd}\n`
    )
    expect(readFileSync(join(cwd, ".postern", "rules.toml"), "utf8")).toBe("allow = [ \"shell(tool build *)\" ]\n")
    expect(readFileSync(config, "utf8")).toBe(text)
    expect((await policy("rules", "list")).stdout).toMatch(
      /^[0-9a-f]{12} {2}project {2}allow {2}shell\(tool build \*\) +\(does not count\)$/m
    )
    expect(await policy("rules", "remove", idOf(added.stdout))).toMatchObject({ code: 0 })
    expect(readFileSync(join(cwd, ".postern", "rules.toml"), "utf8")).toBe("allow = []\n")
  })

  it("counts a project's allow rules while it is trusted", async () => {
    mkdirSync(join(cwd, ".postern"))
    writeFileSync(join(cwd, ".postern", "rules.toml"), "allow = [\"shell(tool build *)\"]\n")
    const outcome = async () =>
      JSON.parse((await policy("rules", "test", "shell", "command=tool build all", "--json")).stdout).outcome
    expect(await outcome()).toBe("ask")
    expect(await policy("trust", cwd)).toEqual({
      code: 0,
      stderr: "",
      stdout: `${cwd}/.postern/rules.toml:

  allow = ["shell(tool build *)"]

It lets these calls run without a question:
  shell(tool build *)
trusted ${cwd}
`
    })
    expect((await policy("trust", "--list")).stdout).toBe(`STATE    FOLDER\ntrusted  ${cwd}\n`)
    expect(await outcome()).toBe("run")
    expect((await policy("untrust", cwd)).stdout).toBe(`no longer trusted: ${cwd}\n`)
    expect(await outcome()).toBe("ask")
  })

  it("counts no allow rule of a file that is not the one that was trusted", async () => {
    const file = join(cwd, ".postern", "rules.toml")
    const test = () => policy("rules", "test", "shell", "command=tool build all", "--json")
    expect((await policy("trust", cwd)).stdout).toBe(
      `${file} does not exist. Rules that you add with Postern will count, no others.\ntrusted ${cwd}\n`
    )
    expect((await policy("trust", "--list")).stdout).toBe(`STATE    FOLDER\nno file  ${cwd}\n`)
    mkdirSync(join(cwd, ".postern"))
    writeFileSync(file, "allow = [\"shell(**)\"]\n")
    const first = await test()
    expect(JSON.parse(first.stdout).outcome).toBe("ask")
    expect(first.stderr).toContain(
      `note: 1 allow rule of this project does not count, because .postern/rules.toml is not what you trusted. ` +
        `To read it and trust the file again: postern policy trust ${cwd}\n`
    )
    expect(await policy("trust", "--list")).toEqual({
      code: 0,
      stdout: `STATE    FOLDER\nchanged  ${cwd}\n`,
      stderr: `postern: the rules of ${cwd} changed: postern policy trust ${cwd}\n`
    })
    // Postern does not make a file its own by adding to it.
    expect((await policy("rules", "add", "allow", "shell(tool *)", "--layer", "project")).stderr).toContain(
      "do not count"
    )
    expect(JSON.parse((await test()).stdout).outcome).toBe("ask")
    expect((await policy("trust", cwd)).stdout).toContain("note: shell(**) also allows ")
    expect(JSON.parse((await test()).stdout).outcome).toBe("run")
  })

  it("goes on trusting a file that it changes itself", async () => {
    const file = join(cwd, ".postern", "rules.toml")
    const outcome = async () =>
      JSON.parse((await policy("rules", "test", "shell", "command=tool build all", "--json")).stdout).outcome
    await policy("trust", cwd, "--yes")
    const added = await policy("rules", "add", "allow", "shell(tool build *)", "--layer", "project")
    expect(added).toMatchObject({ code: 0, stderr: "" })
    expect(await outcome()).toBe("run")
    await policy("rules", "add", "deny", "shell(rm **)", "--layer", "project")
    expect(await outcome()).toBe("run")
    await policy("rules", "remove", idOf(added.stdout))
    expect(await outcome()).toBe("ask")
    expect((await policy("trust", "--list")).stdout).toContain(`trusted  ${cwd}`)
    writeFileSync(file, readFileSync(file, "utf8").replace("allow = []", "allow = [\"shell(tool build *)\"]"))
    expect(await outcome()).toBe("ask")
  })

  it("shows a file without what it could do to a terminal, and trusts none that cannot be read", async () => {
    mkdirSync(join(cwd, ".postern"))
    writeFileSync(join(cwd, ".postern", "rules.toml"), "# \u202e\nallow = [\"file_write\"]\n")
    const { stdout } = await policy("trust", cwd)
    expect(stdout).toContain("  # ‹U+202E›\n  allow = [\"file_write\"]\n")
    writeFileSync(join(cwd, ".postern", "rules.toml"), "allow = [\"shel(x)\"]\n")
    expect(await policy("trust", cwd)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("rules.toml")
    })
  })

  it("does not write through a symbolic link of a project into another folder", async () => {
    mkdirSync(join(home, "elsewhere"))
    symlinkSync(join(home, "elsewhere"), join(cwd, ".postern"))
    expect(await policy("rules", "add", "deny", "shell(x)", "--layer", "project")).toMatchObject({
      code: 1,
      stdout: ""
    })
    expect(() => statSync(join(home, "elsewhere", "rules.toml"))).toThrow()
  })

  it("lists the rules of the risk profile, and does not remove them", async () => {
    writeFileSync(config, `${text}\n[risk_profiles.default]\nexcluded_tools = ["TodoWrite"]\n`)
    const [rule] = (await listed()).filter(({ layer }) => layer === "managed")
    expect(rule).toMatchObject({ list: "deny", rule: "TodoWrite" })
    expect(await policy("rules", "remove", rule?.["id"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("cannot be removed here")
    })
  })
})

describe("postern policy rules of a project with settings", () => {
  it("adds a rule beside the settings, and reports wrong settings", async () => {
    const file = join(cwd, ".postern", "rules.toml")
    mkdirSync(join(cwd, ".postern"))
    writeFileSync(file, "[policy]\nnetwork = \"off\"\n")
    expect(await policy("rules", "add", "deny", "shell(x)", "--layer", "project")).toMatchObject({ code: 0 })
    expect(readFileSync(file, "utf8")).toContain("[policy]\nnetwork = \"off\"\n")
    expect(readFileSync(file, "utf8")).toContain("deny = [ \"shell(x)\" ]\n")
    writeFileSync(file, "[policy]\nnetwork = \"of\"\n")
    expect(await policy("rules", "add", "deny", "shell(x)", "--layer", "project")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("network must be")
    })
  })
})

describe("postern policy trust", () => {
  it.each([
    [["trust"], 2, "name the folder to trust"],
    [["trust", "/", "--list"], 2, "--list takes no folder"],
    [["trust", "/nowhere/at/all"], 1, "the folder does not exist"]
  ])("refuses %j", async (args, code, words) => {
    expect(await policy(...args)).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(words) })
  })

  it("untrusts a folder that was not trusted without an error", async () => {
    expect(await policy("untrust", cwd)).toEqual({ code: 0, stderr: "", stdout: `was not trusted: ${cwd}\n` })
  })
})
