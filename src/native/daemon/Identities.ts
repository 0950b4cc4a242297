import { Context, Effect, Layer, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Settings } from "../../config/Settings.ts"

/** A client claims the id of an earlier client without its signature. */
export class IdentityRefused
  extends Schema.TaggedError<IdentityRefused>()("IdentityRefused", { message: Schema.String })
{}

interface Identity {
  /** `tui_` and eight hex digits. */
  readonly id: string
  /** Proves later that this daemon gave out the id; absent where the daemon has no key. */
  readonly signature: string | undefined
}

const crypto = () => process.getBuiltinModule("node:crypto")

const keyIn = (file: string): Buffer | undefined => {
  try {
    const text = readFileSync(file, "utf8").trim()
    return /^([0-9a-fA-F]{2})+$/.test(text) ? Buffer.from(text, "hex") : undefined
  } catch {
    return undefined
  }
}

/** The ids that clients keep over reconnects; see docs/native-rpc.md#handshake. */
export class Identities extends Context.Service<Identities, {
  /** A connected client that claims no id keeps its own. */
  readonly keep: (id: string) => Identity
  readonly claim: (id: string | undefined, signature: string | undefined) => Effect.Effect<Identity, IdentityRefused>
}>()("postern/native/Identities") {
  static readonly layer = Layer.effect(
    Identities,
    Effect.map(Settings, ({ configDir }) => {
      const key = keyIn(join(configDir, ".secret_key"))
      const sign = (id: string) => key && crypto().createHmac("sha256", key).update(id).digest()
      return {
        keep: (id) => ({ id, signature: sign(id)?.toString("hex") }),
        claim: (id, signature) =>
          Effect.suspend(() => {
            const named = id ?? `tui_${crypto().randomBytes(4).toString("hex")}`
            const expected = sign(named)
            const given = Buffer.from(signature ?? "", "hex")
            if (
              id !== undefined && expected &&
              !(given.length === expected.length && crypto().timingSafeEqual(given, expected))
            ) {
              const problem = signature === undefined ? "needs its signature" : "has another signature"
              return Effect.fail(
                new IdentityRefused({ message: `the client identity ${JSON.stringify(id)} ${problem}` })
              )
            }
            return Effect.succeed({ id: named, signature: expected?.toString("hex") })
          })
      }
    })
  )
}
