import { Tool } from "effect/ai"

export interface Declared {
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly parameters: object
}

const known = new WeakMap<Tool.Any, Declared>()

/** A tool as providers want to hear of it. */
export const declared = (tool: Tool.Any): Declared => {
  const found = known.get(tool)
  if (found !== undefined) return found
  const { $schema: _, ...parameters } = Tool.getJsonSchema(tool)
  const made = { name: tool.name, description: Tool.getDescription(tool) ?? "", parameters: { type: "object", ...parameters } }
  known.set(tool, made)
  return made
}

/** Arguments as they came; what is no JSON goes on as text, which no tool takes, so that the model is told. */
export const parameters = (json: string): unknown => {
  try {
    return json.trim() === "" ? {} : JSON.parse(json)
  } catch {
    return json
  }
}
