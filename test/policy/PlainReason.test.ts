import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { dangers } from "../../src/policy/decision/PlainReason.ts"

describe("The plain reason of a question", () => {
  it("has a sentence for every category of danger that the documents list", () => {
    const table = /### Categories\n\n([^]*?)\n\n###/.exec(readFileSync("docs/policy.md", "utf8"))?.[1] ?? ""
    const categories = Array.from(table.matchAll(/^\| `([a-z-]+)` \|/gm), ([, category]) => category!)
    expect(categories.length).toBeGreaterThan(20)
    expect(Object.keys(dangers).sort()).toEqual(categories.sort())
  })
})
