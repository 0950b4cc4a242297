import { describe, expect, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path/posix"

/** Folders of `src` by floor, lowest first; those of one floor may import each other one way only. See docs/architecture.md. */
const floors = [
  ["domain"],
  ["rpc", "platform"],
  ["config", "store", "workspace"],
  ["policy", "sandbox", "model", "security"],
  ["tool", "mcp"],
  ["session"],
  ["acp", "native", "openclaw"],
  ["gateway"],
  ["cli", "app"]
]

const floorOf = new Map(floors.flatMap((folders, floor) => folders.map((folder) => [folder, floor] as const)))

/** Literal module paths: `from "…"`, `import "…"`, `import("…")` and `new URL("…", import.meta.url)`. */
const specifiers = (source: string): ReadonlyArray<string> =>
  Array.from(source.matchAll(/(?:\bfrom|\bimport|\bimport\(|\bURL\()\s*"(\.{1,2}\/[^"]+)"/g), ([, path]) => path!)

const files = globSync("src/**/*.ts").map((path) => path.replaceAll("\\", "/")).sort()

const imports = new Map(
  files.map((file) => [file, specifiers(readFileSync(file, "utf8")).map((path) => join(dirname(file), path))] as const)
)

/** The folder right below `src`; files of `src` itself belong to none. */
const folderOf = (file: string): string | undefined => /^src\/([^/]+)\//.exec(file)?.[1]

const arrows = Array.from(imports).flatMap(([from, targets]) => targets.map((to) => ({ from, to })))

describe("the imports of src", () => {
  it("name modules that exist", () => {
    expect(files.length).toBeGreaterThan(100)
    expect(arrows.filter(({ to }) => to.startsWith("src/") && !imports.has(to))).toEqual([])
  })

  it("lie in folders that have a floor", () => {
    const folders = new Set(files.map(folderOf))
    folders.delete(undefined)
    expect(Array.from(folders).filter((folder) => !floorOf.has(folder!))).toEqual([])
  })

  it("never point to a higher floor", () => {
    const rank = (file: string) => floorOf.get(folderOf(file) ?? "") ?? floors.length
    expect(arrows.filter(({ from, to }) => to.startsWith("src/") && rank(to) > rank(from))).toEqual([])
  })

  it("join the folders of one floor in one direction only", () => {
    const between = new Set(arrows.map(({ from, to }) => `${folderOf(from)} -> ${folderOf(to)}`))
    const both = Array.from(between).filter((pair) => {
      const [from, to] = pair.split(" -> ")
      return from! < to! && between.has(`${to} -> ${from}`)
    })
    expect(both).toEqual([])
  })

  it("that are made late are chunks, which say what to do when their file is gone", () => {
    // The entries, commands and the bridge, which load their own code at once, and the rules of secretlint, without which the others work.
    const others =
      /^src\/(main|build|cli\/.*Command|cli\/Main|gateway\/bridge\/(Start|Bridge)|domain\/secrets\/LeakDetector)\.ts$/
    const late = files.filter((file) => !others.test(file)).flatMap((file) =>
      Array.from(
        readFileSync(file, "utf8").matchAll(/^.*(?<!typeof )\bimport\(.*$/gm),
        ([line]) => `${file}: ${line.trim()}`
      )
    )
    expect(late.length).toBeGreaterThan(10)
    expect(late.filter((line) => !line.includes("Chunk.make(() => import("))).toEqual([])
  })

  it("form no circle", () => {
    // Modules of a circle are the ones left when those without imports, or without importers, are taken away again and again.
    const left = new Map(Array.from(imports, ([file, targets]) => [file, targets.filter((to) => imports.has(to))]))
    for (let before = -1; before !== left.size;) {
      before = left.size
      const imported = new Set(Array.from(left.values()).flat())
      for (const [file, targets] of left) {
        if (!imported.has(file) || !targets.some((to) => left.has(to))) left.delete(file)
      }
    }
    expect(Array.from(left.keys())).toEqual([])
  })
})

describe("the folders of src", () => {
  it("have subfolders when they hold more than twenty modules", () => {
    const folders = Map.groupBy(files, (file) => dirname(file))
    const crowded = Array.from(folders).filter(([folder, modules]) =>
      modules.length > 20 && !files.some((file) => dirname(dirname(file)) === folder)
    )
    expect(crowded.map(([folder]) => folder)).toEqual([])
  })
})

describe("the types that src exports", () => {
  it("have names of their own", () => {
    const exported = /^export (?:declare )?(?:abstract )?(?:class|interface|type) (\w+)/gm
    const names = files.flatMap((file) =>
      Array.from(new Set(Array.from(readFileSync(file, "utf8").matchAll(exported), ([, name]) => name!))).map((
        name
      ) => ({ name, file }))
    )
    const shared = Array.from(Map.groupBy(names, ({ name }) => name)).filter(([, uses]) => uses.length > 1)
    expect(shared.map(([name, uses]) => `${name}: ${uses.map(({ file }) => file).join(", ")}`)).toEqual([])
  })
})
