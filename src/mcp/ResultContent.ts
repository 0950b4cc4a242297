import { Effect, Predicate } from "effect"
import { textContent, type ToolCallContent } from "../domain/Content.ts"
import * as Attachments from "../workspace/Attachments.ts"

/**
 * The result of a call for the model and for the user. Bytes become files, and base64 is not shown:
 * docs/mcp.md#results.
 */
export interface RenderedResult {
  readonly text: string
  readonly content: ReadonlyArray<ToolCallContent>
  /** The items as they came, with the file's marker in the place of bytes. */
  readonly items: ReadonlyArray<unknown>
}

interface RenderedItem {
  readonly text: string
  readonly content: ReadonlyArray<ToolCallContent>
  readonly raw: unknown
}

type Fields = Readonly<Record<string, unknown>>

/** The bytes in one item, wherever its type has them. */
interface Bytes {
  readonly base64: string
  readonly mimeType: string | undefined
  readonly name: string | undefined
}

const maxBlobs = 64
const maxBytes = 10 * 1024 * 1024

/** Characters of one result; the middle of a longer one is left out. */
const maxText = 200_000

const textOf = (value: unknown): string | undefined => typeof value === "string" ? value : undefined

const fieldsOf = (item: unknown): Fields => Predicate.isObject(item) ? item as Fields : { type: "unknown", value: item }

const nameOf = (uri: string | undefined) => uri?.replace(/[?#].*$/s, "").split("/").at(-1) || undefined

const bytesOf = (item: Fields): Bytes | undefined => {
  const resource = fieldsOf(item["resource"])
  const inside = item["type"] === "resource" ? textOf(resource["blob"]) : undefined
  if (inside !== undefined) {
    return { base64: inside, mimeType: textOf(resource["mimeType"]), name: nameOf(textOf(resource["uri"])) }
  }
  const own = item["type"] === "image" || item["type"] === "audio" ? textOf(item["data"]) : undefined
  return own === undefined ? undefined : { base64: own, mimeType: textOf(item["mimeType"]), name: undefined }
}

/** Bytes of the decoded data, without decoding it: docs/mcp.md#results. */
const sizeOf = ({ base64 }: Bytes): number => base64.length / 4 * 3 - (/={0,2}$/.exec(base64)?.[0].length ?? 0)

const without = (item: Fields, marker: string): unknown => {
  if (item["type"] !== "resource") {
    const { data: _, ...rest } = item
    return { ...rest, materialized: marker }
  }
  const { blob: _, ...resource } = fieldsOf(item["resource"])
  return { ...item, resource: { ...resource, materialized: marker } }
}

const unavailable = (item: Fields, why: string): RenderedItem => {
  const marker = `[Attachment unavailable: ${why}]`
  return { text: marker, content: [textContent(marker)], raw: without(item, marker) }
}

const store = (cwd: string, item: Fields, { base64, mimeType, name }: Bytes): Effect.Effect<RenderedItem> =>
  Attachments.decodeBase64(base64).pipe(
    Effect.flatMap((bytes) => Attachments.store(cwd, bytes, { filename: name, mimeType })),
    Effect.map(({ bytes, name: stored, path }): RenderedItem => {
      const marker = mimeType?.startsWith("image/") === true
        ? `[IMAGE:${path}]`
        : `[Document: ${name ?? stored}] ${path}`
      const link = { type: "resource_link", uri: `file://${path}`, name: name ?? stored, size: bytes } as const
      return {
        text: marker,
        content: [{ type: "content", content: mimeType === undefined ? link : { ...link, mimeType } }],
        raw: without(item, marker)
      }
    }),
    Effect.catch(({ detail }) => Effect.succeed(unavailable(item, detail)))
  )

const plain = (item: Fields): RenderedItem => {
  const shown = (text: string): RenderedItem => ({ text, content: [textContent(text)], raw: item })
  const resource = fieldsOf(item["resource"])
  switch (item["type"]) {
    case "text":
      return shown(textOf(item["text"]) ?? "")
    case "resource":
      return shown(`[Resource ${textOf(resource["uri"]) ?? ""}]\n${textOf(resource["text"]) ?? ""}`)
    case "resource_link": {
      const [uri, name, description] = ["uri", "name", "description"].map((key) => textOf(item[key]))
      return shown(`[Link: ${name ?? uri ?? ""}] ${uri ?? ""}${description === undefined ? "" : `\n${description}`}`)
    }
    default:
      return shown(JSON.stringify(item))
  }
}

/** Structured content, unless the text says the same. */
const structured = (value: unknown, items: ReadonlyArray<RenderedItem>): ReadonlyArray<RenderedItem> => {
  if (value === undefined || value === null) return []
  const text = JSON.stringify(value)
  const texts = new Set(items.map((item) => item.text))
  const wrapped = Predicate.isObject(value) &&
    Object.values(value).every((part) => typeof part === "string" && texts.has(part))
  const said = wrapped || items.some((item) => {
    try {
      return JSON.stringify(JSON.parse(item.text)) === text
    } catch {
      return false
    }
  })
  return said ? [] : [{ text, content: [textContent(text)], raw: undefined }]
}

const bounded = (text: string): string => {
  if (text.length <= maxText) return text
  const [head, tail] = [Math.ceil(maxText * 2 / 3), Math.floor(maxText / 3)]
  return `${text.slice(0, head)}\n[${text.length - head - tail} characters left out]\n${text.slice(-tail)}`
}

/** `cwd` is where the bytes are stored, as attachments of the session. */
export const render = Effect.fnUntraced(
  function*(cwd: string, content: ReadonlyArray<unknown>, structuredContent?: unknown) {
    const items = content.map(fieldsOf)
    const blobs = items.flatMap((item) => bytesOf(item) ?? [])
    const tooMuch = blobs.length > maxBlobs || blobs.reduce((sum, blob) => sum + sizeOf(blob), 0) > maxBytes
    const rendered = yield* Effect.forEach(items, (item): Effect.Effect<RenderedItem> => {
      const bytes = bytesOf(item)
      if (bytes === undefined) return Effect.succeed(plain(item))
      return tooMuch
        ? Effect.succeed(unavailable(item, `the result has more than ${maxBlobs} files or ${maxBytes} bytes.`))
        : store(cwd, item, bytes)
    })
    const all = [...rendered, ...structured(structuredContent, rendered)]
    return {
      text: bounded(all.map(({ text }) => text).join("\n")),
      content: all.flatMap((item) => item.content),
      items: rendered.map(({ raw }) => raw)
    } satisfies RenderedResult
  }
)
