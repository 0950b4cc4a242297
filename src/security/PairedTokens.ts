import { Clock, Context, DateTime, Effect, Layer, Result, Schema, Semaphore } from "effect"
import { readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { Settings } from "../config/Settings.ts"
import { makeFolder } from "../platform/MakeFolder.ts"
import { replaceFile } from "../platform/ReplaceFile.ts"

/** What is kept of a token; the token itself is shown once, to the client that paired. */
const PairedToken = Schema.Struct({
  id: Schema.String,
  /** Hex. */
  sha256: Schema.String,
  /** What the client calls itself. */
  name: Schema.String,
  /** A table `[users.NAME]`; without one the token is a principal of its own. */
  user: Schema.optionalKey(Schema.String),
  /** ISO 8601, UTC. */
  createdAt: Schema.String,
  lastUsedAt: Schema.optionalKey(Schema.String)
})
export type PairedToken = typeof PairedToken.Type

const TokenFile = Schema.fromJsonString(Schema.Struct({ tokens: Schema.Array(PairedToken) }))
const decodeFile = Schema.decodeUnknownResult(TokenFile)

/** The tokens of paired clients cannot be read or written. */
export class TokensUnusable extends Schema.TaggedError<TokensUnusable>()("TokensUnusable", {
  message: Schema.String
}) {}

const crypto = () => process.getBuiltinModule("node:crypto")

const hashOf = (token: string): Buffer => crypto().createHash("sha256").update(token, "utf8").digest()

export const fileOf = (dataDir: string): string => join(dataDir, "gateway", "tokens.json")

const stampOf = (file: string): string => {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? "none" : `${found.ino} ${found.size} ${found.mtimeNs}`
}

const read = (file: string): ReadonlyArray<PairedToken> => {
  if (stampOf(file) === "none") return []
  const decoded = decodeFile(readFileSync(file, "utf8"))
  if (Result.isSuccess(decoded)) return decoded.success.tokens
  throw new Error("it is not a list of tokens; move it away to pair all clients again")
}

/** A use is written to the file when the last one there is older than this, in milliseconds. */
const useInterval = 60_000

/** Milliseconds. */
const recency = 100

/** The principal of a token that is no user of the configuration. */
export const principalOf = ({ id }: PairedToken): string => `token:${id}`

/** Clients that paired with the gateway (docs/gateway.md#pairing). */
export class PairedTokens extends Context.Service<PairedTokens, {
  /** In the order they were made, as the file is now; a file that cannot be read counts as empty. */
  readonly list: () => ReadonlyArray<PairedToken>
  /** The same, as the file was at most 100 ms ago. */
  readonly recent: () => ReadonlyArray<PairedToken>
  /** A new token, `zc_` and 64 hexadecimal digits. */
  readonly issue: (
    client: { readonly name: string; readonly user?: string | undefined }
  ) => Effect.Effect<{ readonly token: string; readonly entry: PairedToken }, TokensUnusable>
  /** The entry of a token, whose use is noted; in a time that says nothing about the tokens there are. */
  readonly verify: (token: string) => Effect.Effect<PairedToken | undefined>
  /** Whether there was one. Listeners are told before it succeeds. */
  readonly revoke: (id: string) => Effect.Effect<boolean, TokensUnusable>
  readonly onRevoke: (listener: (id: string) => void) => void
}>()("postern/security/PairedTokens") {
  static readonly make = (file: string): PairedTokens["Service"] => {
    let stamp = ""
    let known: ReadonlyArray<PairedToken> = []
    const listeners: Array<(id: string) => void> = []
    const oneByOne = Semaphore.makeUnsafe(1).withPermits(1)
    const refused = (cause: unknown) =>
      new TokensUnusable({
        message: `${file}: ${cause instanceof Error ? cause.message : String(cause)}`
      })

    /** The tokens as the file has them: another process may have revoked one. */
    const current = (): ReadonlyArray<PairedToken> => {
      const now = stampOf(file)
      if (now === stamp) return known
      const before = known
      known = read(file)
      stamp = now
      for (const { id } of before) if (!known.some((one) => one.id === id)) listeners.forEach((tell) => tell(id))
      return known
    }

    const list = () => {
      try {
        return current()
      } catch {
        return []
      }
    }

    let readAt = -Infinity
    const recent = () => {
      const now = performance.now()
      if (now - readAt < recency) return known
      readAt = now
      return list()
    }

    const write = (change: (tokens: ReadonlyArray<PairedToken>) => ReadonlyArray<PairedToken>) =>
      oneByOne(Effect.gen(function*() {
        const tokens = yield* Effect.try({ try: () => change(current()), catch: refused })
        yield* Effect.try({ try: () => makeFolder(dirname(file), 0o700), catch: refused })
        yield* Effect.mapError(
          replaceFile(file, `${JSON.stringify({ tokens }, undefined, 2)}\n`, 0o600),
          ({ message }) => new TokensUnusable({ message })
        )
        list()
      }))

    return {
      list,
      recent,
      issue: Effect.fnUntraced(function*({ name, user }) {
        const token = `zc_${crypto().randomBytes(32).toString("hex")}`
        const entry: PairedToken = {
          id: crypto().randomBytes(4).toString("hex"),
          sha256: hashOf(token).toString("hex"),
          name,
          ...(user === undefined ? {} : { user }),
          createdAt: DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
        }
        yield* write((tokens) => [...tokens, entry])
        return { token, entry }
      }),
      verify: Effect.fnUntraced(function*(token) {
        const given = hashOf(token)
        let found: PairedToken | undefined
        for (const one of list()) {
          const stored = Buffer.from(one.sha256, "hex")
          if (stored.length === given.length && crypto().timingSafeEqual(stored, given)) found = one
        }
        if (found === undefined) return undefined
        const { id, lastUsedAt } = found
        const now = yield* Clock.currentTimeMillis
        if (lastUsedAt === undefined || now - Date.parse(lastUsedAt) >= useInterval) {
          const at = DateTime.formatIso(DateTime.makeUnsafe(now))
          yield* write((tokens) => tokens.map((one) => one.id === id ? { ...one, lastUsedAt: at } : one)).pipe(
            Effect.ignore({ log: "Warn" })
          )
        }
        return found
      }),
      revoke: Effect.fnUntraced(function*(id) {
        const had = yield* Effect.try({ try: () => current().some((one) => one.id === id), catch: refused })
        if (had) yield* write((tokens) => tokens.filter((one) => one.id !== id))
        return had
      }),
      onRevoke: (listener) => void listeners.push(listener)
    }
  }

  static readonly layer = Layer.effect(
    PairedTokens,
    Effect.map(Settings, ({ dataDir }) => PairedTokens.make(fileOf(dataDir)))
  )
}
