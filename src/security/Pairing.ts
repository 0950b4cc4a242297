import { Context, Deferred, Effect, Exit, Layer, type Scope } from "effect"
import { PairedTokens, type TokensUnusable } from "./PairedTokens.ts"

/** Who used a pairing code. */
export interface PairedClient {
  readonly id: string
  readonly name: string
  readonly address: string
}

interface PairingCode {
  /** Six decimal digits. */
  readonly code: string
  /** Waits for a client that uses it. */
  readonly used: Effect.Effect<PairedClient>
}

interface OpenCode {
  readonly user: string | undefined
  readonly used: Deferred.Deferred<PairedClient>
}

const longestName = 64

/** A name of a client on one line. */
const plainName = (name: string | undefined): string =>
  Array.from((name ?? "").replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim()).slice(0, longestName).join("") || "unnamed"

const crypto = () => process.getBuiltinModule("node:crypto")

/** One-time codes for clients that want a token (docs/gateway.md#pairing). */
export class Pairing extends Context.Service<Pairing, {
  /** A code that counts until it is used or the scope ends. */
  readonly open: (user: string | undefined) => Effect.Effect<PairingCode, never, Scope.Scope>
  /** A token for the code, which is then used up; nothing for a wrong one, after the same time. */
  readonly redeem: (
    code: string,
    client: { readonly name: string | undefined; readonly address: string }
  ) => Effect.Effect<string | undefined, TokensUnusable>
}>()("postern/security/Pairing") {
  static readonly layer = Layer.effect(
    Pairing,
    Effect.map(PairedTokens, (tokens) => {
      const open = new Map<string, OpenCode>()

      const fresh = (): string => {
        const code = String(crypto().randomInt(1_000_000)).padStart(6, "0")
        return open.has(code) ? fresh() : code
      }

      /** Compares with every code. */
      const find = (given: string): string | undefined => {
        const bytes = Buffer.from(given.padEnd(16).slice(0, 16))
        let found: string | undefined
        for (const code of open.keys()) {
          const known = Buffer.from(code.padEnd(16))
          if (bytes.length === known.length && crypto().timingSafeEqual(bytes, known)) found = code
        }
        return found
      }

      return Pairing.of({
        open: (user) =>
          Effect.acquireRelease(
            Effect.sync(() => {
              const code = fresh()
              const used = Deferred.makeUnsafe<PairedClient>()
              open.set(code, { user, used })
              return { code, used: Deferred.await(used) }
            }),
            ({ code }) => Effect.sync(() => open.delete(code))
          ),
        redeem: Effect.fnUntraced(function*(given, { address, name }) {
          const code = find(given)
          const found = code === undefined ? undefined : open.get(code)
          if (code === undefined || found === undefined) return undefined
          open.delete(code)
          const { entry, token } = yield* tokens.issue({ name: plainName(name), user: found.user })
          Deferred.doneUnsafe(found.used, Exit.succeed({ id: entry.id, name: entry.name, address }))
          return token
        })
      })
    })
  )
}
