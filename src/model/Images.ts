import { basename, dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Option } from "effect"
import type { Prompt } from "effect/ai"
import * as Attachments from "../workspace/Attachments.ts"
import { answerText } from "./LastTurn.ts"
import type { Learned } from "./Learned.ts"
import { RequestOptions } from "./RequestOptions.ts"

/** Image types that providers take; for others the text keeps its marker. */
const mediaTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

export const isImage = (mimeType: string | undefined): mimeType is string =>
  mimeType !== undefined && mediaTypes.has(mimeType)

/** An image as it is sent. */
export interface SentImage {
  /** Base64. */
  readonly data: string
  /** What the bytes are, whatever their sender called them. */
  readonly mediaType: string
}

/** The images that go along, by their part of the prompt, and by their path where a tool result names them. */
export type Images = ReadonlyMap<Prompt.FilePart | string, SentImage>

const marker = /\[IMAGE:([^\]\n]+)\]/g

/** Paths of the images that a tool result names. */
export const namedIn = (text: string): ReadonlyArray<string> =>
  text.includes("[IMAGE:") ? Array.from(text.matchAll(marker), ([, path = ""]) => path) : []

export const none: Images = new Map()

/** In characters of base64, as Anthropic counts: https://docs.anthropic.com/en/docs/build-with-claude/vision. */
const maxCharacters = 5 * 1024 * 1024
/** In pixels on the longer side. */
const maxSide = 8000
/** The same for each image of a request with many. */
const maxSideOfMany = 2000
const many = 20
/** Images of one request, and their characters of base64: Gemini takes 20 MB in all, https://ai.google.dev/gemini-api/docs/image-understanding. */
const most = 100
const mostCharacters = 18 * 1024 * 1024

interface ImageKind {
  readonly mediaType: string
  readonly width: number
  readonly height: number
}

/** Start-of-frame markers: https://www.w3.org/Graphics/JPEG/itu-t81.pdf, table B.1. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

const jpeg = (bytes: Buffer): ImageKind | undefined => {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1]!
    if (isFrame(marker)) {
      return { mediaType: "image/jpeg", width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

const webp = (bytes: Buffer): ImageKind | undefined => {
  const mediaType = "image/webp"
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { mediaType, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case "VP8L": {
      const size = bytes.readUInt32LE(21)
      return { mediaType, width: (size & 0x3fff) + 1, height: ((size >> 14) & 0x3fff) + 1 }
    }
    case "VP8X":
      return { mediaType, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

/** What the bytes are, by their first ones; `undefined` where no provider takes them. */
export const kindOf = (bytes: Buffer): ImageKind | undefined => {
  if (bytes.length < 30) return undefined
  const head = bytes.toString("latin1", 0, 12)
  if (head.startsWith("\x89PNG\r\n\x1a\n")) {
    return { mediaType: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  }
  if (head.startsWith("GIF8")) {
    return { mediaType: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  }
  if (head.startsWith("\xff\xd8\xff")) return jpeg(bytes)
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? webp(bytes) : undefined
}

type Loaded = SentImage & { readonly side: number }

/** Why an image does not go along. */
const unsendable = (bytes: Buffer, kind: ImageKind | undefined): string | undefined => {
  if (bytes.length === 0) return "it is empty"
  if (kind === undefined || kind.width === 0 || kind.height === 0) return "it is no PNG, JPEG, GIF or WebP image"
  if (Math.ceil(bytes.length / 3) * 4 > maxCharacters) {
    return `it has ${(bytes.length / 1024 / 1024).toFixed(1)} MiB; providers take ${
      (maxCharacters * 3 / 4 / 1024 / 1024).toFixed(2)
    } MiB at most`
  }
  const side = Math.max(kind.width, kind.height)
  return side > maxSide ? `it is ${side} pixels long; providers take ${maxSide} at most` : undefined
}

/** The file of an image; the context holds no bytes. */
const pathOf = ({ data }: Prompt.FilePart): string | undefined =>
  typeof data === "string" && data.startsWith("file://") ? fileURLToPath(data) : undefined

/** Says once why images are left out. */
const tellLeftOut = Effect.fnUntraced(function*(
  paths: ReadonlyArray<string>,
  notice: (names: string) => string,
  leftOut: Set<string>
) {
  const { onNotice } = yield* RequestOptions
  const untold = paths.filter((path) => !leftOut.has(path))
  if (untold.length === 0 || onNotice === undefined) return
  for (const path of untold) leftOut.add(path)
  yield* onNotice(notice(untold.map((path) => basename(path)).join(", ")))
})

const load = Effect.fnUntraced(function*(path: string, leftOut: Set<string>) {
  const found = yield* Effect.option(Attachments.load(dirname(dirname(path)), basename(path)))
  if (Option.isNone(found)) return undefined
  const bytes = found.value
  const kind = kindOf(bytes)
  const why = unsendable(bytes, kind)
  if (why === undefined && kind !== undefined) {
    const side = Math.max(kind.width, kind.height)
    return { data: bytes.toString("base64"), mediaType: kind.mediaType, side } satisfies Loaded
  }
  yield* tellLeftOut([path], (name) => `The model does not see the image ${name}: ${why}`, leftOut)
  return undefined
})

/**
 * Loads the images of a prompt that are unchanged since they were stored; the context holds only their paths. What
 * providers would refuse is left out, with a notice the first time. `learned`: images that a provider refused already.
 */
export const inPrompt = Effect.fnUntraced(function*(prompt: Prompt.Prompt, { leftOut, refusedImages }: Learned) {
  const images = new Map<Prompt.FilePart | string, Loaded>()
  const add = Effect.fnUntraced(function*(key: Prompt.FilePart | string, path: string | undefined) {
    if (path === undefined || refusedImages.has(path)) return
    const loaded = yield* load(path, leftOut)
    if (loaded !== undefined) images.set(key, loaded)
  })
  for (const message of prompt.content) {
    if (message.role === "user") {
      for (const part of message.content) {
        if (part.type === "file" && isImage(part.mediaType)) yield* add(part, pathOf(part))
      }
    } else if (message.role === "tool") {
      for (const part of message.content) {
        if (part.type !== "tool-result") continue
        for (const path of namedIn(answerText(part))) yield* add(path, path)
      }
    }
  }
  const fitting = new Map<Prompt.FilePart | string, Loaded>()
  const long: Array<string> = []
  const early: Array<string> = []
  let characters = 0
  // The newest first.
  for (const [key, image] of Array.from(images).toReversed()) {
    const path = typeof key === "string" ? key : pathOf(key) ?? ""
    if (images.size > many && image.side > maxSideOfMany) long.push(path)
    else if (fitting.size === most || characters + image.data.length > mostCharacters) early.push(path)
    else {
      fitting.set(key, image)
      characters += image.data.length
    }
  }
  const longer = `of more than ${many} images none may be longer than ${maxSideOfMany} pixels`
  yield* tellLeftOut(long, (names) => `The model does not see ${names}: ${longer}`, leftOut)
  const later = `providers take ${most} images and ${
    mostCharacters * 3 / 4 / 1024 / 1024
  } MiB of them, and later ones go first`
  yield* tellLeftOut(early, (names) => `The model does not see ${names}: ${later}`, leftOut)
  return fitting as Images
})

/** The paths of the images that go along. */
export const pathsOf = (images: Images): ReadonlyArray<string> =>
  Array.from(images.keys(), (image) => typeof image === "string" ? image : pathOf(image) ?? "")
