import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { bundle } from "../support/Host.ts"

const dist = join(bundle, "..")
const start = readdirSync(dist).filter((name) => /^main(-AcpMain-.*)?\.js$/.test(name)).map((name) =>
  readFileSync(join(dist, name), "utf8")
).join("\n")
const rest = readdirSync(dist).filter((name) => name.endsWith(".js")).map((name) =>
  readFileSync(join(dist, name), "utf8")
).join("\n")

/** Words of parts that cost milliseconds to set up. */
const later = {
  "the schema of the configuration": "an http or https address",
  "the shell analysis": "git push",
  "the gate": "SANDBOX_UNAVAILABLE",
  "model providers": "anthropic-version",
  "MCP": "notifications/cancelled",
  "the daemon": "address in use"
}

describe("what answers a client's first request", () => {
  for (const [what, word] of Object.entries(later)) {
    it(`comes without ${what}`, () => {
      expect(start).not.toContain(word)
      expect(rest).toContain(word)
    })
  }
})
