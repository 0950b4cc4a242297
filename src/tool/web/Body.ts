import { basename } from "node:path"
import { Effect } from "effect"
import type { WebResponse } from "./HttpExchange.ts"
import * as Chunk from "../../platform/Chunk.ts"

const loadHtml = Chunk.make(() => import("./Html.ts"))

/** The body of an answer as text, where it is text. */

export const mediaType = ({ headers }: WebResponse): string =>
  (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase()

const isMarkup = (type: string) => type === "text/html" || type === "application/xhtml+xml"

const textTypes =
  /^(text\/.*|application\/(.*\+)?(json|xml|yaml|toml|javascript|ecmascript|x-ndjson|x-sh|x-yaml|graphql|sql|x-www-form-urlencoded)|image\/svg\+xml)$/

/** Of a byte order mark, which is surer than what the server says (https://encoding.spec.whatwg.org/#decode). */
const markedCharset = ([first, second, third]: Buffer): string | undefined => {
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  return first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : undefined
}

/** Without a type the bytes decide. */
export const isText = (answer: WebResponse): boolean => {
  const type = mediaType(answer)
  if (type !== "") return textTypes.test(type)
  return markedCharset(answer.body) !== undefined || !answer.body.subarray(0, 8192).includes(0)
}

const charsetOf = ({ body, headers }: WebResponse): string =>
  markedCharset(body) ??
    /charset\s?=\s?["']?([\w.:-]{1,40})/i.exec(headers["content-type"] ?? "")?.[1] ??
    /<meta[^>]{1,200}charset\s?=\s?["']?([\w.:-]{1,40})/i.exec(body.subarray(0, 2048).toString("latin1"))?.[1] ??
    "utf-8"

const decoderFor = (charset: string) => {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

export const decoded = (answer: WebResponse): string => decoderFor(charsetOf(answer)).decode(answer.body)

/** Pages come back as readable text, everything else as it was sent. The library that reads HTML is loaded for the first page. */
export const readable = Effect.fnUntraced(function*(answer: WebResponse, url: URL) {
  const text = decoded(answer)
  if (!isMarkup(mediaType(answer))) return { title: basename(url.pathname), text }
  const { toText } = yield* loadHtml
  return toText(text, url)
})

/** At most `limit` bytes, in whole characters. */
export const within = (text: string, limit: number): { readonly text: string; readonly cut: boolean } => {
  const bytes = Buffer.from(text)
  if (bytes.length <= limit) return { text, cut: false }
  let end = limit
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return { text: bytes.subarray(0, end).toString("utf8"), cut: true }
}
