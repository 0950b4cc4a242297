import { lstat, mkdir, readdir } from "node:fs/promises"
import { basename, extname, join } from "node:path"
import { Effect, Option, Schema } from "effect"
import * as Files from "./Files.ts"
import * as MimeType from "./MimeType.ts"

/** Largest attachment, in bytes after decoding (docs/sessions.md#attachments). */
export const maxBytes = 10 * 1024 * 1024

/** An attachment that could not be taken or given; `detail` is a sentence. */
export class AttachmentFault extends Schema.TaggedError<AttachmentFault>()("AttachmentFault", {
  reason: Schema.Literals(["encoding", "large", "folder", "storage", "missing", "tampered"]),
  detail: Schema.String
}) {}

interface StoredAttachment {
  /** `<sha256>` or `<sha256>.<ext>`. */
  readonly name: string
  /** Absolute path below `uploads`. */
  readonly path: string
  readonly sha256: string
  readonly bytes: number
  /** The same bytes were there already. */
  readonly deduplicated: boolean
}

export interface AttachmentHints {
  /** Only its extension is used, never its folders. */
  readonly filename?: string | undefined
  readonly mimeType?: string | undefined
}

const fault = (reason: AttachmentFault["reason"], detail: string) => new AttachmentFault({ reason, detail })

const tooLarge = fault("large", `An attachment may have at most ${maxBytes} bytes.`)

/** Standard alphabet with padding and nothing else; the size is checked before anything is decoded. */
export const decodeBase64 = (text: string): Effect.Effect<Buffer, AttachmentFault> =>
  Effect.suspend(() => {
    if (text.length > Math.ceil(maxBytes / 3) * 4) return Effect.fail(tooLarge)
    const bytes = Buffer.from(text, "base64")
    if (bytes.length > maxBytes) return Effect.fail(tooLarge)
    return bytes.toString("base64") === text
      ? Effect.succeed(bytes)
      : Effect.fail(fault("encoding", "The data is not valid base64."))
  })

/** At most 16 ASCII letters and digits, lower case; the file name decides before the type. `undefined`: none. */
export const extensionFor = (hints: AttachmentHints): string | undefined => {
  const named = extname(basename(hints.filename ?? "")).slice(1)
  if (/^[A-Za-z0-9]{1,16}$/.test(named)) return named.toLowerCase()
  return hints.mimeType === undefined ? undefined : MimeType.extensionOf(hints.mimeType)
}

/**
 * Stores bytes as `<cwd>/uploads/<sha256>[.ext]`, `cwd` canonical. What else lies there is replaced. Bytes that are there already under
 * another extension keep it.
 */
export const store = Effect.fnUntraced(function*(cwd: string, bytes: Uint8Array, hints: AttachmentHints = {}) {
  if (bytes.length > maxBytes) return yield* tooLarge
  const folder = yield* uploads(cwd)
  const sha256 = hash(bytes)
  const extension = extensionFor(hints)
  const wanted = extension === undefined ? sha256 : `${sha256}.${extension}`
  const isIntact = (name: string) =>
    Files.read(join(folder, name), maxBytes).pipe(
      Effect.map((existing) => existing.bytes.equals(bytes)),
      Effect.orElseSucceed(() => false)
    )
  const others = yield* Effect.promise(() => readdir(folder).catch((): Array<string> => []))
  const found = [wanted, ...others.filter((name) => name !== wanted && isNameOf(sha256, name)).sort()]
  const kept = yield* Effect.findFirst(found, isIntact)
  const name = Option.getOrElse(kept, () => wanted)
  const path = join(folder, name)
  const deduplicated = Option.isSome(kept)
  if (!deduplicated) {
    yield* Files.reclaim(path, bytes, cwd).pipe(
      Effect.mapError((cause) => fault("storage", `The attachment cannot be stored: ${cause.detail}`))
    )
  }
  return { name, path, sha256, bytes: bytes.length, deduplicated } satisfies StoredAttachment
})

const isNameOf = (sha256: string, name: string): boolean =>
  /^([0-9a-f]{64})(\.[a-z0-9]{1,16})?$/.exec(name)?.[1] === sha256

/** The same from the first of several folders that has it. */
export const loadFrom = (
  folders: ReadonlyArray<string>,
  name: string
): Effect.Effect<Buffer, AttachmentFault> =>
  folders.slice(1).reduce(
    (found, folder) => Effect.catchIf(found, ({ reason }) => reason === "missing", () => load(folder, name)),
    load(folders[0] ?? "", name)
  )

/** The bytes stored under a content address, refused when they no longer have that hash. */
export const load = Effect.fnUntraced(function*(cwd: string, name: string) {
  const sha256 = /^([0-9a-f]{64})(\.[a-z0-9]{1,16})?$/.exec(name)?.[1]
  if (sha256 === undefined) return yield* fault("missing", "This is not the name of an attachment.")
  const { bytes } = yield* Effect.mapError(
    Files.read(join(cwd, "uploads", name), maxBytes),
    (cause) => cause.reason === "large" ? tooLarge : fault("missing", `The attachment cannot be read: ${cause.detail}`)
  )
  if (hash(bytes) !== sha256) return yield* fault("tampered", "The stored attachment was changed since it was stored.")
  return bytes
})

const hash = (bytes: Uint8Array) =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(bytes).digest("hex")

const uploads = Effect.fnUntraced(function*(cwd: string) {
  const folder = join(cwd, "uploads")
  const entry = yield* Effect.tryPromise({
    try: () =>
      Files.inside(cwd, async (base) => {
        const path = join(base, "uploads")
        await mkdir(path).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== "EEXIST") throw error
        })
        return await lstat(path)
      }),
    catch: () => fault("folder", "The folder \"uploads\" cannot be created in the workspace.")
  })
  if (!entry.isDirectory()) {
    return yield* fault("folder", "\"uploads\" in the workspace is a link or a file, not a folder.")
  }
  return folder
})
