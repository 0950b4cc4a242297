import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { maybe, method, text } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"
import { FileEntry } from "./SessionContracts.ts"

/** Files that clients give to sessions (zeroclaw §1.9). */

const Attach = method("file/attach", "files:create", { session_id: text, files: Schema.Array(FileEntry) })
const Begin = method("file/upload/begin", "files:create", {
  session_id: text,
  size_bytes: Schema.Int,
  filename: maybe(text),
  sha256: maybe(text)
})
const Chunk = method("file/upload/chunk", "files:create", { upload_id: text, offset: Schema.Int, data_b64: text })
const Commit = method("file/upload/commit", "files:create", { upload_id: text })

export class Files extends RpcGroup.make(Attach, Begin, Chunk, Commit).middleware(PerNativeConnection) {}
