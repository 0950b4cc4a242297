import { Effect } from "effect"
import { PolicyService } from "../../session/policy/PolicyService.ts"
import * as Attachments from "../../workspace/Attachments.ts"
import { caller } from "../access/Access.ts"
import * as Errors from "../protocol/Errors.ts"
import { mapRpcErrors } from "../protocol/Errors.ts"
import { FileMethods } from "../protocol/FileContracts.ts"
import * as AttachmentIngest from "./AttachmentIngest.ts"
import { isLocal, NativeConnection } from "../protocol/NativeConnection.ts"
import { ClientSessions } from "../session/ClientSessions.ts"
import { chunkBytes, Uploads } from "./Uploads.ts"

const maxFiles = 64

const remote = Errors.forbidden("Uploads are for local clients; send the file with file/attach")

export const layer = FileMethods.toLayer(Effect.gen(function*() {
  const clientSessions = yield* ClientSessions
  const uploads = yield* Uploads
  const policy = yield* PolicyService

  /** An active session, or a stored one made active, as for a prompt. */
  const recalled = Effect.fnUntraced(function*(sessionId: string) {
    const connection = yield* NativeConnection
    const me = yield* caller
    const { session } = yield* clientSessions.recall(sessionId, connection, me)
    return { connection, me, session }
  })

  const local = Effect.filterOrFail(NativeConnection, ({ peerIdentity }) => isLocal(peerIdentity), () => remote)

  return FileMethods.of({
    "file/attach": Effect.fnUntraced(function*({ files, session_id }) {
      if (files.length < 1 || files.length > maxFiles) return yield* Errors.invalid(`files: 1 to ${maxFiles}`, "files")
      return yield* clientSessions.queued(session_id)(Effect.gen(function*() {
        const { connection, me, session } = yield* recalled(session_id)
        const uploader = { local: isLocal(connection.peerIdentity), admin: me.admin, policy }
        return { files: yield* AttachmentIngest.attach(session, files, uploader) }
      }))
    }, mapRpcErrors),

    "file/upload/begin": Effect.fnUntraced(function*(asked) {
      yield* local
      return yield* clientSessions.queued(asked.session_id)(Effect.gen(function*() {
        const { connection, me, session } = yield* recalled(asked.session_id)
        const upload_id = yield* uploads.begin(connection, me, session, asked)
        return { upload_id, chunk_bytes: chunkBytes, max_bytes: Attachments.maxBytes }
      }))
    }, mapRpcErrors),

    "file/upload/chunk": Effect.fnUntraced(function*({ data_b64, offset, upload_id }) {
      return { received_bytes: yield* uploads.chunk(yield* local, upload_id, offset, data_b64) }
    }),

    "file/upload/commit": Effect.fnUntraced(function*({ upload_id }) {
      const connection = yield* local
      const me = yield* caller
      const sessionId = yield* uploads.sessionOf(connection, upload_id)
      return { ...yield* clientSessions.queued(sessionId)(uploads.commit(connection, me, upload_id)) }
    }, mapRpcErrors)
  })
}))
