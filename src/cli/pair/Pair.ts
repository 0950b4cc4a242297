import { Effect } from "effect"
import { Settings } from "../../config/Settings.ts"
import { fileOf, type PairedToken, PairedTokens } from "../../security/PairedTokens.ts"
import * as DaemonClient from "../daemon/DaemonClient.ts"
import { failure } from "../Failure.ts"
import { orFail, print, table } from "../terminal/Output.ts"
import { json, oneLine } from "../terminal/Text.ts"
import { qrCode } from "../terminal/QrCode.ts"

/** Shows a code and waits until a client has used it. The code is withdrawn when the command ends. */
export const pair = Effect.fnUntraced(function*({ user }: { readonly user: string | undefined }) {
  const daemon = yield* DaemonClient.needed
  const { addresses, code } = yield* daemon.call("pairing/open", user === undefined ? {} : { user })
  const [address = ""] = addresses
  yield* print(`${qrCode(address, process.stdout.isTTY)}\n`)
  yield* print(table(["GATEWAY", "CODE"], addresses.map((one, at) => [oneLine(one), at === 0 ? code : ""])))
  yield* print("\nWaiting for a client; Ctrl-C withdraws the code.\n")
  const client = yield* daemon.call("pairing/wait", { code })
  yield* print(`Paired with ${oneLine(client.name)} from ${oneLine(client.address)}, token ${client.id}.\n`)
}, Effect.scoped)

const stored = Effect.map(Settings, ({ dataDir }) => PairedTokens.make(fileOf(dataDir)))

const shown = ({ createdAt, id, lastUsedAt, name, user }: PairedToken) => ({
  id,
  name,
  user: user ?? null,
  created_at: createdAt,
  last_used_at: lastUsedAt ?? null
})

const minute = (instant: string) => instant.slice(0, 16).replace("T", " ")

export const list = Effect.fnUntraced(function*(options: { readonly json: boolean }) {
  const tokens = (yield* stored).list()
  if (options.json) return yield* print(tokens.map((token) => `${json(shown(token))}\n`).join(""))
  if (tokens.length === 0) return yield* print("No client has paired.\n")
  yield* print(table(
    ["ID", "NAME", "USER", "PAIRED (UTC)", "LAST USED (UTC)"],
    tokens.map(({ createdAt, id, lastUsedAt, name, user }) => [
      id,
      oneLine(name),
      oneLine(user ?? "-"),
      minute(createdAt),
      lastUsedAt === undefined ? "never" : minute(lastUsedAt)
    ])
  ))
})

/** Through the daemon where one is running, so that live connections of the token end at once. */
export const revoke = Effect.fnUntraced(function*({ id }: { readonly id: string }) {
  const daemon = yield* Effect.catchTag(DaemonClient.connect, "NoDaemon", () => Effect.undefined)
  const revoked = daemon === undefined
    ? yield* orFail((yield* stored).revoke(id))
    : (yield* daemon.call("pairing/revoke", { id })).revoked
  if (!revoked) return yield* failure(`there is no token ${JSON.stringify(id)}; postern pair list shows all`)
  yield* print(`Revoked token ${id}.\n`)
}, Effect.scoped)
