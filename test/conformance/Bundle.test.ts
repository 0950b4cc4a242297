import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { bundle } from "../support/Host.ts"

const dist = join(bundle, "..")
const ignored = join(dist, ".npmignore")
/** What an earlier build left for processes that run (docs/development.md#build). */
const kept = existsSync(ignored) ? readFileSync(ignored, "utf8").split("\n") : []
const textOf = (names: ReadonlyArray<string>) => names.map((name) => readFileSync(join(dist, name), "utf8")).join("\n")
/** The entry, and the chunks that it names: there is one, for `postern acp`. */
const start = textOf(["main.js", ...textOf(["main.js"]).match(/\bmain-[\w-]+\.js\b/g) ?? []])
const rest = textOf(readdirSync(dist).filter((name) => name.endsWith(".js") && !kept.includes(name)))

/** Words of parts that cost milliseconds to set up. */
const later = {
  "the schema of the configuration": "an http or https address",
  "the shell analysis": "git push",
  "the gate": "SANDBOX_UNAVAILABLE",
  "model providers": "anthropic-version",
  "MCP": "notifications/cancelled",
  "the reader of HTML": "onopentagname",
  "the editor of TOML": "Error parsing TOML",
  "the daemon": "address in use"
}

describe("the code that answers the first request", () => {
  it("is in the chunks that the entry names", () => expect(start).toContain("protocolVersion"))

  for (const [what, word] of Object.entries(later)) {
    it(`comes without ${what}`, () => {
      expect(start).not.toContain(word)
      expect(rest).toContain(word)
    })
  }
})
