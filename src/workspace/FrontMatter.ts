/**
 * The YAML at the beginning of a Markdown file, as far as skills need it: fields of the first level that are a text, `true`, `false`, a
 * list of texts or anything written as JSON. Whatever else YAML has is not looked at. It is no YAML parser, because skills are written
 * by hand: `description: Use when: …`, `*bold*` and a key given twice are errors in YAML, and have a plain meaning here.
 */
export type FrontMatterFields = Readonly<Record<string, unknown>>

export interface Document {
  readonly fields: FrontMatterFields
  readonly body: string
}

/** A text that does not begin with front matter is all body. */
export const parse = (text: string): Document => {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/)
  const end = lines[0]?.trimEnd() === "---"
    ? lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---")
    : -1
  return end === -1
    ? { fields: {}, body: lines.join("\n") }
    : { fields: fieldsOf(lines.slice(1, end)), body: lines.slice(end + 1).join("\n") }
}

/** What `parse` reads as the same; keys have to be {@link isKey}. Fields without a value are left out. */
export const render = ({ body, fields }: Document): string => {
  const lines = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [`${key}: ${JSON.stringify(value)}\n`]
  )
  return `---\n${lines.join("")}---\n${body}`
}

export const isKey = (key: string): boolean => /^[A-Za-z_][\w-]*$/.test(key)

/** The field as a text, where it is one. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : typeof value === "boolean" ? String(value) : undefined

const fieldsOf = (lines: ReadonlyArray<string>): FrontMatterFields => {
  const fields = new Map<string, unknown>()
  let open = { key: "", list: false }
  for (const line of lines) {
    const [, key, written = ""] = /^([A-Za-z_][\w-]*):(?:\s+(.*))?$/.exec(line) ?? []
    const [, item] = /^\s*-\s+(.+)$/.exec(line) ?? []
    const before = fields.get(open.key)
    if (key !== undefined) {
      open = { key, list: written.trim() === "" }
      fields.set(key, valueOf(written.trim()))
    } else if (open.list && item !== undefined) {
      fields.set(open.key, [...(Array.isArray(before) ? before : []), unquoted(item.trim())])
    } else if (open.key !== "" && /^\s+\S/.test(line)) {
      open.list = false
      fields.set(open.key, `${textOf(before) ?? ""} ${line.trim()}`.trim())
    }
  }
  return Object.fromEntries(fields)
}

const valueOf = (written: string): unknown => {
  if (/^[>|][+-]?\d*$/.test(written)) return ""
  if (written === "true" || written === "false") return written === "true"
  if (!/^[[{]/.test(written)) return unquoted(written)
  return jsonOf(written) ?? listOf(written) ?? unquoted(written)
}

const jsonOf = (written: string): unknown => {
  try {
    return JSON.parse(written)
  } catch {
    return undefined
  }
}

/** `[a, 'b']` */
const listOf = (written: string): ReadonlyArray<string> | undefined => {
  const [, items] = /^\[(.*)\]$/.exec(written) ?? []
  return items?.split(",").map((item) => unquoted(item.trim()))
}

const unquoted = (value: string): string => {
  const [, quote, inner] = /^(["'])(.*)\1$/.exec(value) ?? []
  if (inner === undefined) return value.replace(/\s+#.*$/, "")
  if (quote === "'") return inner.replaceAll("''", "'")
  const text = jsonOf(value)
  return typeof text === "string" ? text : inner.replace(/\\(["\\])/g, "$1")
}
