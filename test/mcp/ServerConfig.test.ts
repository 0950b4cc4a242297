import { assert, describe, it } from "@effect/vitest"
import {
  capabilitiesOf,
  capabilityOf,
  defaults,
  type McpServerConfig,
  needsNetwork
} from "../../src/domain/McpServerConfig.ts"

const stdio: McpServerConfig = {
  ...defaults,
  name: "s",
  transport: { _tag: "Stdio", command: "x", args: [], env: {}, cwd: undefined }
}
const http: McpServerConfig = {
  ...defaults,
  name: "s",
  transport: { _tag: "Http", url: "http://x", headers: {}, sse: false }
}

describe("The capability that a call of an MCP tool needs", () => {
  it("is shell_rw by default, whatever the server says", () =>
    assert.strictEqual(capabilityOf(stdio, "get", true), "shell_rw"))

  it("is that of the first pattern in the configuration that fits the tool", () => {
    const config: McpServerConfig = {
      ...stdio,
      tools: [["get_*", "ro"], ["get_secret", "rw"], ["*.x", "none"], ["a[b", "rw"]],
      capability: "rw"
    }
    const of = (tool: string) => capabilityOf(config, tool, false)
    assert.deepStrictEqual(["get_issue", "get_secret", "get", "y.x", "yx", "a[b", "b"].map(of), [
      "ro",
      "ro",
      "rw",
      "none",
      "rw",
      "rw",
      "rw"
    ])
  })

  it("is ro for a tool with a read-only hint when the configuration believes hints", () => {
    const config: McpServerConfig = { ...stdio, readOnlyHints: true, tools: [["wipe", "shell_rw"]] }
    assert.deepStrictEqual([
      capabilityOf(config, "get", true),
      capabilityOf(config, "get", false),
      capabilityOf(config, "wipe", true)
    ], ["ro", "shell_rw", "shell_rw"])
    assert.sameMembers([...capabilitiesOf(config)], ["ro", "shell_rw"])
  })

  it("includes a network, except for a process that the operator says has none", () => {
    assert.deepStrictEqual([stdio, { ...stdio, network: false }, http, { ...http, network: false }].map(needsNetwork), [
      true,
      false,
      true,
      true
    ])
  })
})
