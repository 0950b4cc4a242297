/** What the body of an error says: providers agree on no shape for it. */

export const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

const words = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined

/** The sentence in an error body, whatever shape it has. */
export const sentenceIn = (value: unknown): string | undefined => {
  const error = field(value, "error")
  // OpenRouter hides what the model's own host said one level deeper.
  const raw = words(field(field(error, "metadata"), "raw"))
  const said = words(field(error, "message")) ?? words(error) ?? words(field(value, "message")) ??
    words(field(value, "detail"))
  return said === undefined ? raw : raw === undefined ? said : `${said}: ${raw}`
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const plain = (body: string): string | undefined =>
  words(body.replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, " ").replace(/\s+/g, " "))

/** The same of a body as it came, which may be JSON, a page or plain text. */
export const sentenceOf = (body: string): string | undefined =>
  sentenceIn(parsed(body)) ?? plain(body.replace(/^[{}[\]\s]*$/, ""))
