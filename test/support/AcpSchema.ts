import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Ajv2020, type AnySchema, type ValidateFunction } from "ajv/dist/2020.js"
import type { Json } from "./Wire.ts"

const schema = (name: string): Json =>
  JSON.parse(
    readFileSync(createRequire(import.meta.url).resolve(`@agentclientprotocol/sdk/schema/v1/${name}.json`), "utf8")
  )
const published = schema("schema")
const unstable: Record<string, Json> = schema("schema.unstable")["$defs"]

const composed = (node: any, position: "own" | "part"): any => {
  if (Array.isArray(node)) return node.map((item) => composed(item, position))
  if (typeof node !== "object" || node === null) return node
  const out: Json = { ...node }
  for (const key of ["allOf", "anyOf", "oneOf"]) if (node[key]) out[key] = composed(node[key], "part")
  for (const key of ["items", "additionalProperties"]) if (node[key]) out[key] = composed(node[key], "own")
  if (node.properties) {
    out["properties"] = Object.fromEntries(Object.entries(node.properties).map(([k, v]) => [k, composed(v, "own")]))
  }
  const shaped = ["$ref", "properties", "allOf", "anyOf", "oneOf"].some((key) => key in node)
  // The published schema lets unknown keys pass; the specification's prose forbids them outside `_meta`.
  return position === "own" && shaped ? { ...out, unevaluatedProperties: false } : out
}

const withProperties = (node: Json, properties: Json): Json => ({
  ...node,
  properties: { ...node["properties"], ...properties }
})

/** What ACP had before the option `model`: https://github.com/agentclientprotocol/agent-client-protocol/pull/1325 */
const models = {
  type: "object",
  required: ["currentModelId", "availableModels"],
  properties: {
    currentModelId: { type: "string" },
    availableModels: {
      type: "array",
      items: {
        type: "object",
        required: ["modelId", "name"],
        properties: { modelId: { type: "string" }, name: { type: "string" } }
      }
    }
  }
}

const opening = Object.fromEntries(
  ["NewSessionResponse", "LoadSessionResponse", "ResumeSessionResponse", "ForkSessionResponse"].map((name) => [
    name,
    withProperties(unstable[name] ?? {}, { models })
  ])
)

/** What is not stable and sent all the same: figures of tokens, forks, and models for older clients. */
const definitions: Record<string, Json> = {
  ...published["$defs"],
  ...opening,
  SessionCapabilities: withProperties(published["$defs"]["SessionCapabilities"], {
    fork: { $ref: "#/$defs/SessionForkCapabilities" }
  }),
  SessionForkCapabilities: unstable["SessionForkCapabilities"],
  PromptResponse: unstable["PromptResponse"],
  Usage: unstable["Usage"]
}
const closed = {
  $defs: Object.fromEntries(Object.entries(definitions).map(([name, node]) => [name, composed(node, "part")]))
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema({ $defs: definitions }, "open")
ajv.addSchema(closed, "closed")

const compiled = new Map<string, ValidateFunction>()
const validator = (schema: "open" | "closed", name: string): ValidateFunction => {
  const key = `${schema}#/$defs/${name}`
  const known = compiled.get(key)
  if (known) return known
  const root: AnySchema = schema === "closed" ? { $ref: key, unevaluatedProperties: false } : { $ref: key }
  const made = ajv.compile(root)
  compiled.set(key, made)
  return made
}

const byMethod = (side: string, result: boolean) =>
  new Map(
    Object.entries(definitions)
      .filter(([name, node]) => node["x-side"] === side && name.endsWith("Response") === result)
      .map(([name, node]) => [node["x-method"] as string, name])
  )

const clientParams = byMethod("client", false).set("$/cancel_request", "CancelRequestNotification")
const agentResults = byMethod("agent", true)

const check = (name: string, value: unknown, strict: boolean): string | undefined => {
  const validate = validator(strict ? "closed" : "open", name)
  if (validate(value)) return undefined
  // In a union every branch complains; complaints about the tag itself belong to branches that were not meant.
  const errors = validate.errors ?? []
  const telling = errors.filter((e) => e.keyword !== "const").toSorted((a, b) =>
    b.instancePath.length - a.instancePath.length
  )
  return `${name}: ${ajv.errorsText(telling.length > 0 ? telling.slice(0, 4) : errors, { separator: "; " })}`
}

/** Params of a request or notification the agent sends. Methods outside the specification must start with `_`. */
export const checkParams = (method: string, params: unknown, strict: boolean): string | undefined => {
  const name = clientParams.get(method)
  if (name) return check(name, params, strict)
  return method.startsWith("_") ? undefined : `${method} is not a client method of the specification`
}

/** Result of a request the client sent; methods outside the specification are free. */
export const checkResult = (method: string, result: unknown, strict: boolean): string | undefined => {
  const name = agentResults.get(method)
  return name ? check(name, result, strict) : undefined
}

export const checkError = (error: unknown): string | undefined => check("Error", error, true)
