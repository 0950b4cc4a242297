import { describe, expect, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path/posix"
import { checks } from "../../../src/policy/shell/danger/RiskFindings.ts"
import { judges } from "../../../src/policy/shell/programs/ReadOnly.ts"
import { readFormsOf } from "../../../src/policy/shell/programs/ReadForms.ts"
import { dangers, factLines, facts, flags, programOf, rows } from "../../../src/policy/shell/programs/Table.ts"

const names = rows().flatMap((row) => row.names)
const lines = rows().flatMap((row) =>
  factLines(row.text).map((line) => {
    const [, limit, fact = ""] = /^(?:@(\S+) )?(.*)$/.exec(line) ?? []
    return { names: row.names, limit: limit?.split(","), key: fact.split(" ")[0]!, words: fact.split(" ").slice(1) }
  })
)
const keys = new Set(lines.map(({ key }) => key))

describe("the table of programs", () => {
  it("has one row for each program", () => {
    expect(names.length).toBeGreaterThan(1400)
    expect(names).not.toContain("")
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })

  it("states known facts and dangers only, and each of them somewhere", () => {
    expect(Array.from(keys).sort()).toEqual(["is", ...Object.keys(facts), ...dangers].sort())
  })

  it("states known flags only, and each of them somewhere", () => {
    const used = new Set(lines.flatMap(({ key, words }) => (key === "is" ? words : [])))
    expect(Array.from(used).sort()).toEqual(Object.keys(flags).sort())
  })

  it("limits facts to some programs of the row", () => {
    const limited = lines.filter(({ limit }) => limit !== undefined)
    expect(limited.length).toBeGreaterThan(100)
    expect(limited.filter((line) => !line.limit!.every((name) => line.names.includes(name)))).toEqual([])
    expect(limited.filter((line) => line.limit!.length === line.names.length)).toEqual([])
  })

  it("names checks that exist, and every one of them", () => {
    const named = new Set(lines.flatMap(({ key, words }) => (key === "check" ? words : [])))
    expect(Array.from(named).sort()).toEqual(Object.keys(checks).sort())
  })

  it("likens programs only to those that have options", () => {
    const likened = lines.flatMap(({ key, words }) => (key === "options-of" ? words : []))
    expect(likened.length).toBeGreaterThan(0)
    expect(likened.filter((name) => programOf(name).values() === undefined)).toEqual([])
  })

  it("can be read as a whole", () => {
    for (const name of names) {
      const row = programOf(name)
      expect(row.name).toBe(name)
      for (const danger of row.dangers) expect(row.rules(danger).length).toBeGreaterThan(0)
      for (const source of row.texts("hook")) expect(() => new RegExp(source)).not.toThrow()
    }
  })

  it("says of every program that can be a read with which options it is one", () => {
    for (const name of names) {
      const row = programOf(name)
      const forms = readFormsOf(row)
      expect(forms.length > 0, name).toBe(row.has("reads"))
      for (const form of forms) {
        expect(form.most, name).not.toBeNaN()
        expect(form.needs.filter((option) => !form.options.has(option)), name).toEqual([])
      }
      for (const judge of row.words("reads-as")) expect(Object.keys(judges)).toContain(judge)
      if (row.is("anything") || row.has("reads-as")) expect(row.has("reads"), name).toBe(true)
    }
  })

  it.each([
    ["python3.12", "python"],
    ["node22", "node"],
    ["bash.exe", "bash"],
    ["gsed", "gsed"]
  ])("finds %s in the row of %s", (name, row) => {
    expect(programOf(name).name).toBe(row)
  })

  it("knows nothing of a program without a row", () => {
    expect(programOf("no-such-program").name).toBe("")
    expect(programOf("constructor").name).toBe("")
  })
})

const sources = globSync("src/policy/**/*.ts").map((file) => file.replaceAll("\\", "/"))
const codeOf = (file: string) => readFileSync(file, "utf8").replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "")

describe("knowledge of single programs", () => {
  /** Dangerous command lines that rules are tried on; file endings; subcommands of git with names of other programs. */
  const exceptions = new Set([
    "src/policy/rules/Dangers.ts",
    "src/policy/shell/danger/Places.ts",
    "src/policy/shell/programs/Git.ts"
  ])

  it.each(
    (
      "docker podman kubectl helm tar unzip curl wget git npm pnpm yarn npx cargo pip uv ssh scp rsync xargs " +
      "parallel sudo find fd sed awk grep rg jq tee dd chmod chown pkill systemctl psql mysql redis-cli " +
      "terraform aws gcloud make pytest vim ssh-keygen openssl busybox"
    ).split(" ")
  )("is in the rows alone: %s", (program) => {
    expect(programOf(program).name).toBe(program)
    const literal = new RegExp(String.raw`["'\`]${program}( [\w-]+)*["'\`]`)
    const found = sources.filter((file) =>
      !file.includes("/programs/rows/") && !exceptions.has(file) && literal.test(codeOf(file))
    )
    expect(found).toEqual([])
  })
})

describe("the folders of the analysis", () => {
  const order = ["parse", "programs", "interpret", "danger"]
  const files = sources.filter((file) => file.startsWith("src/policy/shell/"))
  const rank = (file: string) => {
    const at = order.indexOf(/^src\/policy\/shell\/(\w+)\//.exec(file)?.[1] ?? "")
    return at < 0 ? order.length : at
  }

  it("import from themselves and from those before them", () => {
    const arrows = files.flatMap((from) =>
      Array.from(readFileSync(from, "utf8").matchAll(/from "(\.{1,2}\/[^"]+)"/g), ([, path]) => ({
        from,
        to: join(dirname(from), path!)
      }))
    )
    expect(arrows.length).toBeGreaterThan(100)
    expect(arrows.filter(({ from, to }) => to.startsWith("src/policy/shell/") && rank(to) > rank(from))).toEqual([])
  })
})
