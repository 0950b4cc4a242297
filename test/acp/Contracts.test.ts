import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { AcpAgent, ServedAgent } from "../../src/acp/protocol/AgentMethods.ts"
import { AcpClient } from "../../src/acp/protocol/ClientMethods.ts"
import { SessionUpdate } from "../../src/acp/protocol/SessionUpdate.ts"
import { ContentBlock, ToolCallContent, ToolCallStatus, ToolKind } from "../../src/domain/Content.ts"
import { StopReason } from "../../src/domain/SessionEvent.ts"

interface Definition {
  readonly "x-method"?: string
  readonly "x-side"?: string
  readonly oneOf?: ReadonlyArray<
    { readonly const?: string; readonly properties?: Record<string, { readonly const?: string }> }
  >
}

const schemaFile = createRequire(import.meta.url).resolve("@agentclientprotocol/sdk/schema/v1/schema.json")
const { $defs } = JSON.parse(readFileSync(schemaFile, "utf8")) as { readonly $defs: Record<string, Definition> }

const methodsOf = (side: string) =>
  [
    ...new Set(
      Object.values($defs).flatMap((definition) => definition["x-side"] === side ? [definition["x-method"] ?? ""] : [])
    )
  ].sort()

const constants = (name: string, property?: string) =>
  ($defs[name]?.oneOf ?? []).map((option) =>
    (property === undefined ? option.const : option.properties?.[property]?.const) ?? ""
  ).sort()

const literals = (schema: { readonly literals: ReadonlyArray<string> }) => [...schema.literals].sort()
const tags = (
  schema: { readonly members: ReadonlyArray<{ readonly fields: Record<string, unknown> }> },
  property: string
) => schema.members.map(({ fields }) => (fields[property] as { readonly literal: string }).literal).sort()

describe("The contracts cover stable ACP v1", () => {
  it("every method a client may call", () => {
    assert.deepStrictEqual([...AcpAgent.requests.keys()].sort(), methodsOf("agent"))
  })

  it("every method an agent may call", () => {
    assert.deepStrictEqual([...AcpClient.requests.keys()].sort(), methodsOf("client"))
  })

  it("every session update", () =>
    assert.deepStrictEqual(tags(SessionUpdate, "sessionUpdate"), constants("SessionUpdate", "sessionUpdate")))
  it("every content block", () => assert.deepStrictEqual(tags(ContentBlock, "type"), constants("ContentBlock", "type")))
  it("every kind of tool call content", () =>
    assert.deepStrictEqual(tags(ToolCallContent, "type"), constants("ToolCallContent", "type")))
  it("every tool kind", () => assert.deepStrictEqual(literals(ToolKind), constants("ToolKind")))
  it("every tool call status", () => assert.deepStrictEqual(literals(ToolCallStatus), constants("ToolCallStatus")))
  it("every stop reason", () => assert.deepStrictEqual(literals(StopReason), constants("StopReason")))

  it("and serve what this build can do, with what ZeroClaw's clients add", () => {
    const served = new Set(ServedAgent.requests.keys())
    const later = [...AcpAgent.requests.keys()].filter((method) => !served.has(method))
    assert.deepStrictEqual(later, ["logout"])
  })
})
