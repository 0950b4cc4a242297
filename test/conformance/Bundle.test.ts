import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { bundle } from "../support/Host.ts"

const dist = join(bundle, "..")
const ignored = join(dist, ".npmignore")
/** What an earlier build left for processes that run (docs/development.md#build). */
const kept = existsSync(ignored) ? readFileSync(ignored, "utf8").split("\n") : []
const chunks = readdirSync(dist).filter((name) => name.endsWith(".js") && !kept.includes(name))
const textOf = (names: ReadonlyArray<string>) => names.map((name) => readFileSync(join(dist, name), "utf8")).join("\n")
const start = textOf(chunks.filter((name) => /^main(-AcpMain-.*)?\.js$/.test(name)))
const rest = textOf(chunks)

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
  for (const [what, word] of Object.entries(later)) {
    it(`comes without ${what}`, () => {
      expect(start).not.toContain(word)
      expect(rest).toContain(word)
    })
  }
})
