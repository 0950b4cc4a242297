import { Context, Effect, FileSystem, Layer, Path, Schema, Semaphore } from "effect"

/** A folder that cannot be trusted, or a list of trusted folders that cannot be read or written. */
class TrustFailed extends Schema.TaggedError<TrustFailed>()("TrustFailed", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.problem}`
  }
}

const Stored = Schema.fromJsonString(Schema.Struct({ workspaces: Schema.Array(Schema.String) }))

const decode = Schema.decodeUnknownEffect(Stored)
const encode = Schema.encodeEffect(Stored)

/**
 * The workspaces whose own allow rules count, by canonical path, in `trusted.json` of the configuration folder. Trust
 * covers exactly that folder, not folders cloned into it later. See docs/policy.md#trust.
 */
export class Trust extends Context.Service<Trust, {
  readonly list: Effect.Effect<ReadonlyArray<string>, TrustFailed>
  readonly isTrusted: (workspace: string) => Effect.Effect<boolean, TrustFailed>
  /** Trusts the folder; returns its canonical path. */
  readonly trust: (workspace: string) => Effect.Effect<string, TrustFailed>
  /** Returns whether the folder was trusted; it may no longer exist. */
  readonly untrust: (workspace: string) => Effect.Effect<boolean, TrustFailed>
}>()("postern/policy/Trust") {
  static readonly layer = (configDir: string): Layer.Layer<Trust, never, FileSystem.FileSystem | Path.Path> =>
    Layer.effect(Trust, make(configDir))
}

const make = Effect.fnUntraced(function*(configDir: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const lock = yield* Semaphore.make(1)
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
    Effect.map(({ workspaces }) => workspaces)
  )

  /** Writes a new file and renames it, so that no reader sees half a list. */
  const keep = Effect.fnUntraced(function*(workspaces: ReadonlyArray<string>) {
    const text = yield* encode({ workspaces: workspaces.toSorted() })
    const draft = `${file}.${process.pid}`
    yield* fs.makeDirectory(configDir, { recursive: true, mode: 0o700 })
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

  const trust = Effect.fnUntraced(function*(workspace: string) {
    const real = yield* canonical(workspace)
    const known = yield* list
    if (!known.includes(real)) yield* keep([...known, real])
    return real
  }, lock.withPermits(1))

  const untrust = Effect.fnUntraced(function*(workspace: string) {
    const named = path.resolve(workspace)
    const real = yield* Effect.orElseSucceed(canonical(workspace), () => named)
    const known = yield* list
    const kept = known.filter((one) => one !== real && one !== named)
    if (kept.length < known.length) yield* keep(kept)
    return kept.length < known.length
  }, lock.withPermits(1))

  const isTrusted = Effect.fnUntraced(function*(workspace: string) {
    const known = yield* list
    return known.length > 0 && known.includes(yield* canonical(workspace))
  })

  return Trust.of({ list, isTrusted, trust, untrust })
})
