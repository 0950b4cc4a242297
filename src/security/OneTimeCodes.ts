import { Clock, Effect, Schema } from "effect"
import * as Fs from "node:fs"
import { join } from "node:path"
import * as Chunk from "../platform/Chunk.ts"
import * as FileLock from "../platform/FileLock.ts"
import { makeFolder } from "../platform/MakeFolder.ts"
import * as RegularFile from "../platform/RegularFile.ts"
import { replaceFile } from "../platform/ReplaceFile.ts"
import { secretFile } from "./SecretFile.ts"

/** One-time codes by time, RFC 6238: SHA-1, six digits. See docs/one-time-codes.md. */

export class CodeRefused extends Schema.TaggedError<CodeRefused>()("CodeRefused", {
  message: Schema.String,
  reason: Schema.Literals(["not_enrolled", "enrolled", "wrong_code", "paused", "unknown", "unusable"])
}) {}

const refuse = (reason: CodeRefused["reason"], message: string) => Effect.fail(new CodeRefused({ reason, message }))

const crypto = () => process.getBuiltinModule("node:crypto")
const loadOtpAuth = Chunk.make(() => import("otpauth"))

/** Steps before and after the present one whose codes count: clocks differ, and typing takes time. */
const window = 1
/** Milliseconds. */
const pause = 300_000
const secretBytes = 20

const Sealed = Schema.fromJsonString(Schema.Struct({
  version: Schema.Literal(1),
  period: Schema.Int,
  nonce: Schema.String,
  tag: Schema.String,
  secret: Schema.String
}))
const decodeSealed = Schema.decodeUnknownSync(Sealed)

/** What all processes have to know between two codes. */
const State = Schema.fromJsonString(Schema.Struct({
  /** Of the last code that was accepted; it and those before it count no more. */
  last_step: Schema.Int,
  failures: Schema.Int,
  /** Milliseconds since the epoch. */
  paused_until: Schema.Finite
}))
type State = typeof State.Type
const decodeState = Schema.decodeUnknownSync(State)

const cipher = "chacha20-poly1305"

const isOurs = ({ mode, uid }: Fs.Stats): boolean => {
  const me = process.geteuid?.()
  return me === undefined || (uid === me && (mode & 0o077) === 0)
}

export interface CodeSettings {
  /** Seconds that one code counts for; fixed at enrolment. */
  readonly period: number
  /** Wrong codes in a row after which none is taken for five minutes. */
  readonly maxAttempts: number
}

/** A question for a code that can be answered from elsewhere. */
export interface PendingCode {
  readonly id: string
  /** For `postern otp approve`: what the code is for. */
  readonly what: string
}

/** The one-time codes of a configuration folder. */
export interface OneTimeCodes {
  readonly isEnrolled: () => boolean
  /** The address for an authenticator; fails where there is a secret already. */
  readonly enroll: (settings: CodeSettings) => Effect.Effect<string, CodeRefused>
  /** Takes the code, which then counts no more. */
  readonly verify: (code: string, settings: CodeSettings) => Effect.Effect<void, CodeRefused>
  /** Takes the code and removes the secret. */
  readonly disable: (code: string, settings: CodeSettings) => Effect.Effect<void, CodeRefused>
  readonly pausedUntil: Effect.Effect<number | undefined>
  /** Waits until somebody has approved the question with a code, from whichever process; `id` is shown to people. */
  readonly approved: (pending: PendingCode) => Effect.Effect<void, CodeRefused>
  /** Answers a question that waits, with a code. Returns what it was for. */
  readonly approve: (id: string, code: string, settings: CodeSettings) => Effect.Effect<string, CodeRefused>
}

/** Milliseconds: longer than any question waits. What is older is of a process that was killed. */
const stale = 86_400_000

const removeStale = (folder: string) => {
  for (const name of Fs.readdirSync(folder)) {
    const found = Fs.statSync(join(folder, name), { throwIfNoEntry: false })
    if (found !== undefined && found.mtimeMs < Date.now() - stale) Fs.rmSync(join(folder, name), { force: true })
  }
}

/** How often who waits for an approval looks for it, in milliseconds. */
const look = 150

export const newId = (): string => crypto().randomBytes(4).toString("hex")

export const make = (
  { configDir, dataDir }: { readonly configDir: string; readonly dataDir: string }
): OneTimeCodes => {
  const file = secretFile(configDir)
  const keyFile = join(configDir, ".otp-key")
  const stateFile = join(configDir, "otp-state.json")
  const questions = join(dataDir, "otp-questions")

  const unusable = (error: unknown) =>
    new CodeRefused({ reason: "unusable", message: error instanceof Error ? error.message : String(error) })

  const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: unusable })

  const own = (path: string): Buffer => {
    if (!isOurs(Fs.lstatSync(path))) throw new Error(`${path} belongs to another user, or others may read it`)
    return RegularFile.read(path)
  }

  const store = (path: string, text: string) => Effect.mapError(replaceFile(path, text, 0o600), unusable)

  const alone = <A>(work: Effect.Effect<A, CodeRefused>): Effect.Effect<A, CodeRefused> =>
    Effect.andThen(
      attempt(() => makeFolder(configDir, 0o700)),
      Effect.catchTag(FileLock.within(join(configDir, ".otp.lock"))(work), "FileLocked", (held) =>
        Effect.fail(unusable(held)))
    )

  const key = (): Buffer => {
    if (!Fs.existsSync(keyFile)) Fs.writeFileSync(keyFile, crypto().randomBytes(32), { mode: 0o600, flag: "wx" })
    return own(keyFile)
  }

  const seal = (secret: Buffer, period: number): string => {
    const nonce = crypto().randomBytes(12)
    const box = crypto().createCipheriv(cipher, key(), nonce, { authTagLength: 16 })
    const sealed = Buffer.concat([box.update(secret), box.final()])
    return `${
      JSON.stringify({
        version: 1,
        period,
        nonce: nonce.toString("base64"),
        tag: box.getAuthTag().toString("base64"),
        secret: sealed.toString("base64")
      })
    }\n`
  }

  const open = Effect.suspend(() => {
    if (!Fs.existsSync(file)) {
      return refuse("not_enrolled", "no one-time code is enrolled; postern otp enroll does that")
    }
    return attempt(() => {
      const { nonce, period, secret, tag } = decodeSealed(own(file).toString("utf8"))
      const box = crypto().createDecipheriv(cipher, key(), Buffer.from(nonce, "base64"), { authTagLength: 16 })
      box.setAuthTag(Buffer.from(tag, "base64"))
      return { period, secret: Buffer.concat([box.update(Buffer.from(secret, "base64")), box.final()]) }
    }).pipe(
      Effect.mapError(({ message }) =>
        new CodeRefused({ reason: "unusable", message: `${file} cannot be read: ${message}` })
      )
    )
  })

  const fresh: State = { last_step: -1, failures: 0, paused_until: 0 }
  const state = attempt((): State => Fs.existsSync(stateFile) ? decodeState(own(stateFile).toString("utf8")) : fresh)
    .pipe(
      Effect.mapError(({ message }) =>
        new CodeRefused({ reason: "unusable", message: `${stateFile} cannot be read: ${message}` })
      )
    )
  const keepState = (next: State) => store(stateFile, `${JSON.stringify(next)}\n`)

  const totpOf = (secret: Buffer, period: number) =>
    Effect.map(loadOtpAuth, ({ Secret, TOTP }) =>
      new TOTP({
        issuer: "Postern",
        label: process.env["USER"] ?? "operator",
        algorithm: "SHA1",
        digits: 6,
        period,
        secret: new Secret({ buffer: new Uint8Array(secret).buffer })
      }))

  const inSeconds = (ms: number) => `${Math.ceil(ms / 1000)} s`

  const taken = Effect.fnUntraced(function*(code: string, { maxAttempts }: CodeSettings) {
    const { period, secret } = yield* open
    const before = yield* state
    const now = yield* Clock.currentTimeMillis
    // A clock that was set back must not make the pause longer than it is.
    if (before.paused_until > now && before.paused_until - now <= pause) {
      return yield* refuse(
        "paused",
        `${maxAttempts} codes in a row were wrong; the next one is taken in ${inSeconds(before.paused_until - now)}`
      )
    }
    const totp = yield* totpOf(secret, period)
    const digits = code.replace(/[\s-]/g, "")
    const delta = /^\d{6}$/.test(digits) ? totp.validate({ token: digits, timestamp: now, window }) : null
    const step = delta === null ? undefined : Math.floor(now / 1000 / period) + delta
    if (step !== undefined && step > before.last_step) {
      return yield* keepState({ last_step: step, failures: 0, paused_until: 0 })
    }
    const failures = before.failures + 1
    const paused = failures >= maxAttempts
    yield* keepState({ ...before, failures: paused ? 0 : failures, paused_until: paused ? now + pause : 0 })
    const more = paused
      ? `no code is taken for ${inSeconds(pause)}`
      : `${maxAttempts - failures} ${maxAttempts - failures === 1 ? "attempt is" : "attempts are"} left`
    return yield* refuse(
      paused ? "paused" : "wrong_code",
      step === undefined ? `the code is wrong; ${more}` : `the code was used already, wait for the next one; ${more}`
    )
  })

  /** What stands for an answer: only who has the secret can write it. */
  const proof = (secret: Buffer, id: string): string =>
    crypto().createHmac("sha256", secret).update(`approved ${id}`).digest("hex")

  const questionFile = (id: string) => join(questions, `${id}.json`)
  const answerFile = (id: string) => join(questions, `${id}.approved`)
  const isId = (id: string) => /^[0-9a-f]{8}$/.test(id)

  const isApproved = (id: string, secret: Buffer): boolean => {
    try {
      const given = own(answerFile(id))
      const right = Buffer.from(proof(secret, id))
      return given.length === right.length && crypto().timingSafeEqual(given, right)
    } catch {
      return false
    }
  }

  return {
    isEnrolled: () => Fs.existsSync(file),

    enroll: (settings) =>
      alone(Effect.gen(function*() {
        if (Fs.existsSync(file)) {
          return yield* refuse("enrolled", "a one-time code is enrolled already; postern otp disable CODE removes it")
        }
        const secret = crypto().randomBytes(secretBytes)
        const address = (yield* totpOf(secret, settings.period)).toString()
        yield* store(file, yield* attempt(() => seal(secret, settings.period)))
        yield* keepState(fresh)
        return address
      })),

    verify: (code, settings) => alone(taken(code, settings)),

    disable: (code, settings) =>
      alone(Effect.andThen(
        taken(code, settings),
        attempt(() => {
          for (const one of [file, stateFile, keyFile]) Fs.rmSync(one, { force: true })
        })
      )),

    pausedUntil: Effect.zipWith(
      Effect.orElseSucceed(state, () => fresh),
      Clock.currentTimeMillis,
      ({ paused_until }, now) => paused_until > now ? paused_until : undefined
    ),

    approved: ({ id, what }) =>
      Effect.scoped(Effect.gen(function*() {
        const { secret } = yield* open
        yield* Effect.acquireRelease(
          attempt(() => {
            makeFolder(questions, 0o700)
            removeStale(questions)
            Fs.writeFileSync(questionFile(id), JSON.stringify({ what }), { mode: 0o600, flag: "wx" })
          }),
          () =>
            Effect.sync(() => {
              for (const one of [questionFile(id), answerFile(id)]) Fs.rmSync(one, { force: true })
            })
        )
        yield* Effect.callback<void>((resume) => {
          const timer = setInterval(() => isApproved(id, secret) && resume(Effect.void), look)
          return Effect.sync(() => clearInterval(timer))
        })
      })),

    approve: Effect.fnUntraced(function*(id, code, settings) {
      if (!isId(id) || !Fs.existsSync(questionFile(id))) {
        return yield* refuse("unknown", `no call waits for a code under the id ${JSON.stringify(id)}`)
      }
      const { what } = yield* attempt(() =>
        JSON.parse(own(questionFile(id)).toString("utf8")) as { readonly what: string }
      )
      yield* alone(taken(code, settings))
      const { secret } = yield* open
      yield* attempt(() => Fs.writeFileSync(answerFile(id), proof(secret, id), { mode: 0o600 }))
      return what
    })
  }
}
