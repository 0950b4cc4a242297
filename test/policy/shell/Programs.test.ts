import { describe, expect, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path/posix"
import { checks } from "../../../src/policy/shell/danger/RiskFindings.ts"
import { dangers, facts, flags, Program, programOf, rows } from "../../../src/policy/shell/programs/Table.ts"

const listed = rows().flatMap(({ facts: text, names }) => names.map((name) => ({ name, names, text })))

const keysOf = (text: string): ReadonlyArray<string> =>
  text.split("; ").map((fact) => fact.replace(/^@\S+ /, "").split(" ")[0]!)

describe("the table of programs", () => {
  it("has one row for each program", () => {
    const names = listed.map(({ name }) => name)
    expect(names.length).toBeGreaterThan(1400)
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })

  it("states known facts only", () => {
    const known = new Set<string>(["is", ...Object.keys(facts), ...dangers])
    expect(rows().flatMap(({ facts: text }) => keysOf(text)).filter((key) => !known.has(key))).toEqual([])
  })

  it("uses every fact and every danger that it can state", () => {
    const used = new Set(rows().flatMap(({ facts: text }) => keysOf(text)))
    expect([...Object.keys(facts), ...dangers].filter((key) => !used.has(key))).toEqual([])
  })

  it("uses every flag, and known flags only", () => {
    const used = new Set(
      rows().flatMap(({ facts: text }) => text.split("; ").map((fact) => fact.replace(/^@\S+ /, "")))
        .flatMap((fact) => (fact.startsWith("is ") ? fact.split(" ").slice(1) : []))
    )
    expect(Array.from(used).sort()).toEqual(Object.keys(flags).sort())
  })

  it("limits facts to programs of the same row, and not to all of them", () => {
    const limits = rows().flatMap(({ facts: text, names }) =>
      Array.from(text.matchAll(/(?:^|; )@(\S+)/g), ([, limit]) => ({ limit: limit!.split(","), names }))
    )
    expect(limits.length).toBeGreaterThan(100)
    expect(limits.filter(({ limit, names }) => !limit.every((name) => names.includes(name)))).toEqual([])
    expect(limits.filter(({ limit, names }) => limit.length === names.length)).toEqual([])
  })

  it("names checks that exist, and every one of them", () => {
    const named = new Set(listed.flatMap(({ name, text }) => new Program(name, text).words("check")))
    expect(Array.from(named).sort()).toEqual(Object.keys(checks).sort())
  })

  it("names other programs only where these have a row with options", () => {
    const likened = listed.flatMap(({ name }) => programOf(name).words("options-of"))
    expect(likened.length).toBeGreaterThan(0)
    expect(likened.filter((name) => programOf(name).values() === undefined)).toEqual([])
  })

  it("can be read as a whole", () => {
    for (const { name } of listed) {
      const row = programOf(name)
      expect(row.name).toBe(name)
      for (const danger of row.dangers) expect(row.rules(danger).length).toBeGreaterThan(0)
      for (const source of row.texts("hook")) expect(() => new RegExp(source)).not.toThrow()
      for (const source of row.texts("safe-short")) expect(() => new RegExp(source)).not.toThrow()
      for (const text of row.texts("safe")) {
        const [manner, ...source] = text.split(" ")
        if (manner === "line" || manner === "operands") expect(() => new RegExp(source.join(" "))).not.toThrow()
      }
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
      "docker podman kubectl helm tar unzip curl wget git npm pnpm yarn npx cargo pip uv ssh scp rsync xargs parallel sudo find fd sed awk " +
      "grep rg jq tee dd chmod chown pkill systemctl psql mysql redis-cli terraform aws gcloud make pytest vim ssh-keygen openssl busybox"
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
