import { Clock, Context, Duration, Effect, Layer, Schedule } from "effect"
import * as Wire from "../../rpc/Wire.ts"
import type { Principal } from "../../security/Principals.ts"
import type { Session } from "../../session/lifecycle/Session.ts"
import * as Attachments from "../../workspace/Attachments.ts"
import { mayTouch } from "../access/Access.ts"
import { DaemonInfo, type NativeState } from "../protocol/NativeConnection.ts"
import * as Errors from "../protocol/Errors.ts"
import * as AttachmentIngest from "./AttachmentIngest.ts"
import { ClientSessions, ownerOf } from "../session/ClientSessions.ts"

/** What a client says about a file that it is going to send. */
interface Beginning {
  readonly session_id: string
  readonly size_bytes: number
  readonly filename?: string | null
  readonly sha256?: string | null
}

const longestName = 255

const wrong = (field: string, problem: string, reason = "invalid") =>
  Errors.invalid(`${field}: ${problem}`, field, reason)

/** What is wrong with it. */
const checked = ({ filename, sha256, size_bytes }: Beginning) => {
  if (size_bytes < 0) return wrong("size_bytes", "at least 0")
  if (size_bytes > Attachments.maxBytes) return wrong("size_bytes", `at most ${Attachments.maxBytes}`, "too_large")
  if (Buffer.byteLength(filename ?? "") > longestName) return wrong("filename", `at most ${longestName} bytes`)
  return typeof sha256 === "string" && !/^[0-9a-f]{64}$/i.test(sha256)
    ? wrong("sha256", "64 hexadecimal digits")
    : undefined
}

/** A file that is being sent, in memory until it is whole. */
interface Upload {
  readonly id: string
  readonly connection: NativeState
  /** This very session, not a later one of the same id. */
  readonly session: Session
  readonly principal: string
  readonly agent: string
  readonly filename: string
  readonly sha256: string | undefined
  readonly size: number
  cost: number
  bytes: Buffer
  /** Where each piece that was taken begins and ends. */
  readonly pieces: Map<number, number>
  received: number
  /** Milliseconds since the epoch. */
  touched: number
}

export const chunkBytes = 1024 * 1024
const perConnection = 4
/** Of all uploads together, with what is kept about each. */
export const budget = 256 * 1024 * 1024
const idle = Duration.minutes(5)
/** What an upload takes besides its bytes and its name, and each of its pieces. */
const overhead = 1024
const pieceOverhead = 64

type Stored = Effect.Success<ReturnType<typeof AttachmentIngest.store>>

/**
 * Files sent piece by piece; see docs/native-rpc.md#files. An upload belongs to the connection, the principal and the
 * session it began with.
 */
export class Uploads extends Context.Service<Uploads, {
  readonly begin: (
    connection: NativeState,
    me: Principal,
    session: Session,
    asked: Beginning
  ) => Effect.Effect<string, Wire.RpcFault>
  /** How many bytes are there now. A piece that is sent again as it was is taken as received, a part of one is not. */
  readonly chunk: (
    connection: NativeState,
    id: string,
    offset: number,
    data: string
  ) => Effect.Effect<number, Wire.RpcFault>
  /** The session an upload is for. */
  readonly sessionOf: (connection: NativeState, id: string) => Effect.Effect<string, Wire.RpcFault>
  /** What the caller may do is looked at again, and so is the session. */
  readonly commit: (connection: NativeState, me: Principal, id: string) => Effect.Effect<Stored, Wire.RpcFault>
  /** Bytes that uploads hold. */
  readonly held: () => number
}>()("postern/native/Uploads") {
  static readonly layer: Layer.Layer<Uploads, never, DaemonInfo | ClientSessions> = Layer.effect(
    Uploads,
    Effect.suspend(() => make)
  )
}

const crypto = () => process.getBuiltinModule("node:crypto")

const make = Effect.gen(function*() {
  const { connections } = yield* DaemonInfo
  const clientSessions = yield* ClientSessions
  const uploads = new Map<string, Upload>()
  let held = 0

  const discard = (upload: Upload) => {
    if (uploads.delete(upload.id)) held -= upload.cost
  }

  /** Drops uploads of ended connections, and idle ones. */
  const sweep = (now: number) => {
    for (const upload of uploads.values()) {
      if (now - upload.touched >= Duration.toMillis(idle) || !connections.has(upload.connection)) discard(upload)
    }
  }

  const find = Effect.fnUntraced(function*(connection: NativeState, id: string) {
    const now = yield* Clock.currentTimeMillis
    sweep(now)
    const upload = uploads.get(id)
    if (upload?.connection !== connection) return yield* wrong("upload_id", "there is no such upload", "not_found")
    upload.touched = now
    return upload
  })

  const refused = (upload: Upload, fault: Wire.RpcFault) => {
    discard(upload)
    return Effect.fail(fault)
  }

  yield* Effect.forkScoped(Effect.repeat(Effect.map(Clock.currentTimeMillis, sweep), Schedule.spaced("1 minute")))

  return Uploads.of({
    held: () => held,

    begin: Effect.fnUntraced(function*(connection, me, session, asked) {
      const problem = checked(asked)
      if (problem !== undefined) return yield* problem
      const now = yield* Clock.currentTimeMillis
      sweep(now)
      const own = Array.from(uploads.values()).filter((upload) => upload.connection === connection)
      if (own.length >= perConnection) {
        const message = `this connection has ${perConnection} uploads under way; commit one first`
        return yield* Wire.invalidParams({ reason: "capacity", limit: perConnection }, message)
      }
      const filename = asked.filename ?? "upload"
      const cost = asked.size_bytes + Buffer.byteLength(filename) + overhead
      if (held + cost > budget) {
        return yield* wrong("size_bytes", "there is no room for more uploads now; try again later", "capacity")
      }
      const upload: Upload = {
        id: crypto().randomBytes(16).toString("hex"),
        connection,
        session,
        principal: me.id,
        agent: session.record().agent,
        filename,
        sha256: asked.sha256?.toLowerCase(),
        size: asked.size_bytes,
        cost,
        bytes: Buffer.alloc(0),
        pieces: new Map(),
        received: 0,
        touched: now
      }
      uploads.set(upload.id, upload)
      held += cost
      return upload.id
    }),

    chunk: Effect.fnUntraced(function*(connection, id, offset, data) {
      const upload = yield* find(connection, id)
      if (data.length > Math.ceil(chunkBytes / 3) * 4) {
        return yield* wrong("data_b64", `at most ${chunkBytes} bytes at a time`, "too_large")
      }
      const bytes = yield* Effect.mapError(
        Attachments.decodeBase64(data),
        ({ detail }) => wrong("data_b64", detail, "malformed")
      )
      if (bytes.length === 0) return yield* wrong("data_b64", "it is empty")
      if (bytes.length > chunkBytes) {
        return yield* wrong("data_b64", `at most ${chunkBytes} bytes at a time`, "too_large")
      }
      const end = offset + bytes.length
      if (upload.pieces.get(offset) === end && upload.bytes.subarray(offset, end).equals(bytes)) {
        return upload.received
      }
      if (offset !== upload.received) {
        return yield* wrong("offset", `the next byte is ${upload.received}, not ${offset}`, "conflict")
      }
      if (end > upload.size) {
        return yield* wrong("data_b64", `the file was to have ${upload.size} bytes, and this makes ${end}`, "conflict")
      }
      if (held + pieceOverhead > budget) {
        return yield* wrong("data_b64", "there is no room for more pieces now; try again later", "capacity")
      }
      held += pieceOverhead
      upload.cost += pieceOverhead
      upload.pieces.set(offset, end)
      // Made with the first piece: an upload that only began costs nothing yet.
      if (upload.bytes.length < upload.size) upload.bytes = Buffer.alloc(upload.size)
      bytes.copy(upload.bytes, offset)
      upload.received = end
      return end
    }),

    sessionOf: (connection, id) => Effect.map(find(connection, id), ({ session }) => session.sessionId),

    commit: Effect.fnUntraced(function*(connection, me, id) {
      const upload = yield* find(connection, id)
      const { agent, bytes, filename, principal, received, session, sha256, size } = upload
      if (clientSessions.get(session.sessionId)?.session !== session || !mayTouch(me, ownerOf(session.record()))) {
        return yield* refused(upload, Errors.notFound(session.sessionId))
      }
      if (me.id !== principal || !me.mayUseAgent(agent) || session.record().agent !== agent) {
        return yield* refused(upload, Errors.forbidden(`Principal "${me.id}" may not use agent "${agent}"`, { agent }))
      }
      if (received < size) return yield* wrong("upload_id", `${received} of ${size} bytes are there`, "incomplete")
      if (sha256 !== undefined && crypto().createHash("sha256").update(bytes).digest("hex") !== sha256) {
        return yield* refused(
          upload,
          wrong("sha256", "the bytes have another hash; the upload was discarded", "conflict")
        )
      }
      const stored = yield* AttachmentIngest.store(session, { bytes, filename })
      discard(upload)
      return stored
    })
  })
})
