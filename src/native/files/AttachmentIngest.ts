import { realpath } from "node:fs/promises"
import { basename, isAbsolute } from "node:path"
import { Effect } from "effect"
import { isImage } from "../../model/Images.ts"
import type { RpcFault } from "../../rpc/Wire.ts"
import type { PolicyService } from "../../session/policy/PolicyService.ts"
import * as PromptContent from "../../session/turn/PromptContent.ts"
import type { Session } from "../../session/lifecycle/Session.ts"
import * as Attachments from "../../workspace/Attachments.ts"
import * as Files from "../../workspace/Files.ts"
import { makeFolder } from "../../platform/MakeFolder.ts"
import * as MimeType from "../../workspace/MimeType.ts"
import * as Errors from "../protocol/Errors.ts"
import type { FileEntry } from "../protocol/FileContracts.ts"

/** Bytes on their way to a session. */
interface IncomingFile {
  readonly bytes: Uint8Array
  readonly filename: string
  readonly mimeType?: string | undefined
  /** Where the user has the file, when it came by its path. */
  readonly original?: string | undefined
}

const maxRequestBytes = 20 * 1024 * 1024

const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MiB`

/** A name that ends no marker and begins no line. */
const plainName = (name: string): string =>
  basename(name.replaceAll("\\", "/")).replace(/[[\]\p{C}\u2028\u2029]/gu, "_") || "upload"

const isPlain = (path: string): boolean => !/[[\]\p{C}\u2028\u2029]/u.test(path)

/** The MIME type of an image that models take. */
const pictureOf = ({ filename, mimeType }: IncomingFile): string | undefined => {
  const type = MimeType.ofExtension(Attachments.extensionFor({ filename }) ?? "") ?? mimeType?.toLowerCase()
  return isImage(type) ? type : undefined
}

const markerOf = (incoming: IncomingFile, stored: string): string => {
  const { filename, original } = incoming
  return pictureOf(incoming) !== undefined
    ? `[IMAGE:${original !== undefined && isPlain(original) ? original : stored}]`
    : `[Document: ${plainName(filename)}] ${stored}`
}

/** The folder of the session's agent, which every session of it may read. */
const home = (session: Session) => {
  const { workspace } = session.configured().agent
  return Effect.tryPromise(async () => {
    makeFolder(workspace)
    return await realpath(workspace)
  }).pipe(
    Effect.tapError(({ cause }) => Effect.logError(`the folder ${workspace} cannot be made`, cause)),
    Effect.mapError(() => Errors.unavailable("the agent's folder cannot be made; the log says why"))
  )
}

/** `<agent workspace>/uploads/<sha256>[.<ext>]`, and what a prompt says instead of the file. */
export const store = Effect.fnUntraced(function*(session: Session, incoming: IncomingFile) {
  const { bytes, filename, mimeType } = incoming
  const kept = yield* Attachments.store(yield* home(session), bytes, { filename, mimeType }).pipe(
    Effect.mapError(({ detail, reason }) =>
      reason === "large" ? Errors.invalid(detail, "files", "too_large") : Errors.unavailable(detail)
    )
  )
  return {
    ref_id: `sha256:${kept.sha256}`,
    marker: markerOf(incoming, kept.path),
    workspace_path: kept.path,
    size_bytes: kept.bytes,
    deduplicated: kept.deduplicated
  }
})

interface Uploader {
  /** Whether client and daemon see the same files. */
  readonly local: boolean
  /** Others name only files that the session's own `file_read` may read unasked. */
  readonly admin: boolean
  readonly policy: PolicyService["Service"]
}

const decode = (data: string, field: string) =>
  Effect.mapError(
    Attachments.decodeBase64(data),
    ({ detail, reason }) =>
      Errors.invalid(
        `${field}.data_b64: ${detail}`,
        `${field}.data_b64`,
        reason === "large" ? "too_large" : "malformed"
      )
  )

const readPath = Effect.fnUntraced(function*(path: string, field: string, session: Session, uploader: Uploader) {
  const { admin, policy, local } = uploader
  if (!local) return yield* Errors.forbidden("Paths are taken from local clients only; send data_b64", { field })
  const wrong = (problem: string, reason = "invalid") =>
    Errors.invalid(`${field}.path: ${problem}`, `${field}.path`, reason)
  if (!isAbsolute(path)) return yield* wrong(`${JSON.stringify(path)} is not an absolute path`)
  const canonical = admin
    ? yield* Effect.tryPromise({ try: () => realpath(path), catch: () => wrong("there is no such file", "not_found") })
    : yield* Effect.mapError(
      policy.readable(session, path),
      ({ message }) => Errors.forbidden(message, { field })
    )
  return yield* Effect.mapError(
    Files.read(canonical, Attachments.maxBytes),
    ({ detail, reason }) =>
      wrong(
        `it cannot be read: ${detail}`,
        reason === "large" ? "too_large" : reason === "missing" ? "not_found" : "invalid"
      )
  )
})

const receive = Effect.fnUntraced(
  function*(
    entry: FileEntry,
    field: string,
    session: Session,
    uploader: Uploader
  ): Effect.fn.Return<IncomingFile, RpcFault> {
    const { data_b64, filename, mime_type, path } = entry
    const mimeType = mime_type ?? undefined
    if (typeof path === "string") {
      const { bytes } = yield* readPath(path, field, session, uploader)
      return { bytes, filename: filename ?? basename(path), mimeType, original: path }
    }
    if (typeof data_b64 !== "string") return yield* Errors.invalid(`${field}: it needs a path or data_b64`, field)
    const extension = mimeType === undefined ? undefined : MimeType.extensionOf(mimeType)
    const name = extension === undefined ? entry.source ?? "upload" : `${entry.source ?? "upload"}.${extension}`
    return { bytes: yield* decode(data_b64, field), filename: filename ?? name, mimeType }
  }
)

/** All files are received before the first one is looked at further. */
const receiveAll = Effect.fnUntraced(function*(
  session: Session,
  entries: ReadonlyArray<FileEntry>,
  uploader: Uploader,
  field: string
) {
  const received: Array<IncomingFile> = []
  let total = 0
  for (const [index, entry] of entries.entries()) {
    const one = yield* receive(entry, `${field}.${index}`, session, uploader)
    total += one.bytes.length
    if (total > maxRequestBytes) {
      return yield* Errors.invalid(
        `${field}: more than ${megabytes(maxRequestBytes)} in one request`,
        field,
        "too_large"
      )
    }
    received.push(one)
  }
  return received
})

export const attach = Effect.fnUntraced(
  function*(session: Session, files: ReadonlyArray<FileEntry>, uploader: Uploader) {
    const received = yield* receiveAll(session, files, uploader, "files")
    return yield* Effect.forEach(received, (one) => store(session, one))
  }
)

/** Files of a prompt, after its words. */
export const promptParts = Effect.fnUntraced(
  function*(session: Session, files: ReadonlyArray<FileEntry>, uploader: Uploader) {
    const received = yield* receiveAll(session, files, uploader, "attachments")
    return yield* Effect.forEach(
      received,
      Effect.fnUntraced(function*(one) {
        const { marker, workspace_path: path } = yield* store(session, one)
        const mimeType = session.model.seesImages() ? pictureOf(one) : undefined
        return PromptContent.marked(marker, mimeType === undefined ? undefined : { path, mimeType })
      })
    )
  }
)
