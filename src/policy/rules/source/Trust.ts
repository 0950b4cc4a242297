import { Context, Effect, FileSystem, Layer, Path, Schema } from "effect"
import { within } from "../../../platform/FileLock.ts"

/** A folder that cannot be trusted, or a list of trusted folders that cannot be read or written. */
class TrustFailed extends Schema.TaggedError<TrustFailed>()("TrustFailed", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.problem}`
  }
}

/** An entry without a hash is of a version that trusted whatever would be there. */
const Stored = Schema.fromJsonString(Schema.Struct({
  workspaces: Schema.Array(Schema.Union([
    Schema.String,
    Schema.Struct({ path: Schema.String, sha256: Schema.String })
  ]))
}))

const decode = Schema.decodeUnknownEffect(Stored)
const encode = Schema.encodeEffect(Stored)

/** `changed`: the folder is trusted, with other rules than these. */
export type TrustState = "trusted" | "changed" | "untrusted"

interface TrustedFolder {
  readonly path: string
  /** Of the rules file that was shown when it was trusted; absent in entries of older versions. */
  readonly sha256?: string
}

/** The command that trusts a folder, as a shell reads it. */
export const trustCommand = (folder: string): string =>
  `postern policy trust ${/^[\w@%+=:,./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`}`

/**
 * The workspaces whose own allow rules count, by canonical path and the hash of the rules file, in `trusted.json` of the
 * configuration folder. Trust covers exactly that folder, not folders cloned into it later, and exactly that content.
 * See docs/policy.md#trust.
 */
export class Trust extends Context.Service<Trust, {
  readonly list: Effect.Effect<ReadonlyArray<TrustedFolder>, TrustFailed>
  /** The canonical path of a folder that can be trusted. */
  readonly canonical: (folder: string) => Effect.Effect<string, TrustFailed>
  /** Whether a rules file with this hash is trusted in that folder. */
  readonly stateOf: (workspace: string, sha256: string) => Effect.Effect<TrustState, TrustFailed>
  /** Trusts that content in the folder, and no other; returns the folder's canonical path. */
  readonly trust: (workspace: string, sha256: string) => Effect.Effect<string, TrustFailed>
  /** Returns whether the folder was trusted; it may no longer exist. */
  readonly untrust: (workspace: string) => Effect.Effect<boolean, TrustFailed>
}>()("postern/policy/Trust") {
  static readonly layer = (configDir: string): Layer.Layer<Trust, never, FileSystem.FileSystem | Path.Path> =>
    Layer.effect(Trust, make(configDir))
}

const make = Effect.fnUntraced(function*(configDir: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(configDir, "trusted.json")
  const failed = (problem: string) => new TrustFailed({ path: file, problem })

  const list = fs.readFileString(file).pipe(
    Effect.catch((error) =>
      error.reason._tag === "NotFound"
        ? Effect.succeed("{\"workspaces\":[]}")
        : Effect.fail(failed(`cannot be read: ${error.message}`))
    ),
    Effect.flatMap((text) =>
      Effect.mapError(decode(text), () => failed("is not a list of trusted workspaces; mend or remove it"))
    ),
    Effect.map(({ workspaces }) =>
      workspaces.map((one): TrustedFolder => typeof one === "string" ? { path: one } : one)
    )
  )

  /** One change at a time, also across processes. */
  const alone = <A>(change: Effect.Effect<A, TrustFailed>): Effect.Effect<A, TrustFailed> =>
    fs.makeDirectory(configDir, { recursive: true, mode: 0o700 }).pipe(
      Effect.andThen(within(path.join(configDir, ".trusted.lock"))(change)),
      Effect.mapError((error) => error._tag === "TrustFailed" ? error : failed(`cannot be written: ${error.message}`))
    )

  /** Writes a new file and renames it, so that no reader sees half a list. */
  const keep = Effect.fnUntraced(function*(folders: ReadonlyArray<TrustedFolder>) {
    const workspaces = folders.toSorted((a, b) => a.path < b.path ? -1 : 1).map(({ path, sha256 }) =>
      sha256 === undefined ? path : { path, sha256 }
    )
    const text = yield* encode({ workspaces })
    const draft = `${file}.${process.pid}`
    yield* fs.writeFileString(draft, `${text}\n`, { mode: 0o600 })
    yield* fs.rename(draft, file)
  }, Effect.mapError((error) => failed(`cannot be written: ${error.message}`)))

  const canonical = Effect.fnUntraced(function*(workspace: string) {
    const refuse = (problem: string) => new TrustFailed({ path: workspace, problem })
    const real = yield* Effect.mapError(
      fs.realPath(path.resolve(workspace)),
      (error) =>
        refuse(
          error.reason._tag === "NotFound"
            ? "the folder does not exist"
            : `the folder cannot be opened: ${error.message}`
        )
    )
    const info = yield* Effect.mapError(fs.stat(real), (error) => refuse(error.message))
    return info.type === "Directory" ? real : yield* refuse("it is not a folder")
  })

  const trust = Effect.fnUntraced(function*(workspace: string, sha256: string) {
    const real = yield* canonical(workspace)
    const known = yield* list
    if (!known.some((one) => one.path === real && one.sha256 === sha256)) {
      yield* keep([...known.filter((one) => one.path !== real), { path: real, sha256 }])
    }
    return real
  }, alone)

  const untrust = Effect.fnUntraced(function*(workspace: string) {
    const named = path.resolve(workspace)
    const real = yield* Effect.orElseSucceed(canonical(workspace), () => named)
    const known = yield* list
    const kept = known.filter((one) => one.path !== real && one.path !== named)
    if (kept.length < known.length) yield* keep(kept)
    return kept.length < known.length
  }, alone)

  const stateOf = Effect.fnUntraced(function*(workspace: string, sha256: string): Effect.fn.Return<
    TrustState,
    TrustFailed
  > {
    const known = yield* list
    if (known.length === 0) return "untrusted"
    const real = yield* canonical(workspace)
    const found = known.find((one) => one.path === real)
    if (found === undefined) return "untrusted"
    return found.sha256 === sha256 ? "trusted" : "changed"
  })

  return Trust.of({ list, canonical, stateOf, trust, untrust })
})
