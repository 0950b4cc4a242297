import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { maybe, method, text } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** Files that clients give to sessions; see docs/native-rpc.md#files. */

export const FileEntry = Schema.Struct({
  /** Absolute; the daemon reads the file itself. */
  path: maybe(text),
  data_b64: maybe(text),
  filename: maybe(text),
  mime_type: maybe(text),
  source: maybe(Schema.Literals(["file", "clipboard"]))
})
export type FileEntry = typeof FileEntry.Type

const StoredFile = Schema.Struct({
  ref_id: text,
  /** Stands for the file in the text of a prompt. */
  marker: text,
  workspace_path: text,
  size_bytes: Schema.Int,
  /** The same bytes were stored before. */
  deduplicated: Schema.Boolean
})
type StoredFile = typeof StoredFile.Type

const Attach = method(
  "file/attach",
  "files:create",
  { session_id: text, files: Schema.Array(FileEntry) },
  Schema.Struct({ files: Schema.Array(StoredFile) })
)
const Begin = method("file/upload/begin", "files:create", {
  session_id: text,
  size_bytes: Schema.Int,
  filename: maybe(text),
  sha256: maybe(text)
}, Schema.Struct({ upload_id: text, chunk_bytes: Schema.Int, max_bytes: Schema.Int }))
const Chunk = method(
  "file/upload/chunk",
  "files:create",
  { upload_id: text, offset: Schema.Int, data_b64: text },
  Schema.Struct({ received_bytes: Schema.Int })
)
const Commit = method("file/upload/commit", "files:create", { upload_id: text }, StoredFile)

export class FileMethods extends RpcGroup.make(Attach, Begin, Chunk, Commit).middleware(PerNativeConnection) {}
