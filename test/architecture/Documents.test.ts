import { globSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = resolve(import.meta.dirname, "../..")
const textOf = (file: string): string => readFileSync(join(root, file), "utf8")

const documents = ["README.md", ...globSync("docs/*.md", { cwd: root })]

const withoutCode = (text: string): string => text.replace(/^```[^]*?^```$/gm, "")

/** The anchors of a page, as GitHub makes them from its headings. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    Array.from(
      withoutCode(text).matchAll(/^#+ (.+)$/gm),
      ([, heading = ""]) => heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
    )
  )

const pages: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  documents.map((file) => [file, anchorsOf(textOf(file))])
)

/** What is wrong with a link to a file of the repository, if anything is. */
const problemOf = (file: string, anchor: string | undefined): string | undefined => {
  const anchors = pages.get(file)
  if (anchors === undefined) return `there is no document ${file}`
  return anchor === undefined || anchors.has(anchor) ? undefined : `${file} has no heading #${anchor}`
}

describe("links to documents", () => {
  it.each(documents)("%s links only to pages and headings that exist", (file) => {
    const text = withoutCode(textOf(file))
    const broken = Array.from(text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)).flatMap(
      ([link, path = "", anchor]) => {
        const problem = problemOf(path === "" ? file : join(dirname(file), path), anchor)
        return problem === undefined ? [] : [`${link}: ${problem}`]
      }
    )
    assert.deepStrictEqual(broken, [])
  })

  it("comments in src and test cite only headings that exist", () => {
    const sources = globSync("{src,test}/**/*.ts", { cwd: root })
    const broken = sources.flatMap((file) => {
      return textOf(file).split("\n").flatMap((line, index) => {
        const [comment = ""] = /^\s*(?:\/?\*|\/\/).*| \/\/ .*/.exec(line) ?? []
        return Array.from(comment.matchAll(/\bdocs\/([a-z-]+\.md)(?:#([\w-]+))?/g)).flatMap(([, page, anchor]) => {
          const problem = problemOf(`docs/${page}`, anchor)
          return problem === undefined ? [] : [`${file}:${index + 1}: ${problem}`]
        })
      })
    })
    assert.deepStrictEqual(broken, [])
  })
})
