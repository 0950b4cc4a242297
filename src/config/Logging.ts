import { Effect, Layer, Logger, LogLevel, Redacted, References } from "effect"
import { Environment } from "../platform/Environment.ts"
import { LiveSettings } from "./LiveSettings.ts"

type Live = Pick<LiveSettings["Service"], "last">

const shortestSecret = 4

/** Replaces every known secret in a finished line, as it is and as it is written in a JSON string. */
export const redactor = (secrets: ReadonlyArray<Redacted.Redacted<string>>): (line: string) => string => {
  const words = secrets.map(Redacted.value).filter((word) => word.length >= shortestSecret)
  const forms = Array.from(new Set(words.flatMap((word) => [word, JSON.stringify(word).slice(1, -1)])))
    .sort((a, b) => b.length - a.length)
  return (line) => forms.reduce((line, form) => line.replaceAll(form, "<redacted>"), line)
}

const colours: Partial<Record<LogLevel.LogLevel, number>> = { Fatal: 31, Error: 31, Warn: 33, Debug: 90, Trace: 90 }

const coloured = (line: string, level: LogLevel.LogLevel): string => {
  const colour = colours[level]
  return colour === undefined ? line : `\u001b[${colour}m${line}\u001b[0m`
}

/** Hides every secret that the configuration has or had while this process runs: a replaced one may still be valid. */
export const liveRedactor = ({ last }: Live): (line: string) => string => {
  const all = new Map<string, Redacted.Redacted<string>>()
  let seen: ReadonlyArray<Redacted.Redacted<string>> | undefined
  let hidden = redactor([])
  return (line) => {
    const { secrets } = last()
    if (secrets !== seen) {
      seen = secrets
      for (const secret of secrets) all.set(Redacted.value(secret), secret)
      hidden = redactor(Array.from(all.values()))
    }
    return hidden(line)
  }
}

/** What a terminal obeys, and what cannot be seen. */
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069]/g

const visible = (line: string): string =>
  line.replace(controls, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** One logfmt line per entry, secrets replaced. */
export const formatter = (hidden: (line: string) => string, colour: boolean): Logger.Logger<unknown, string> =>
  Logger.make((options) => {
    const line = visible(hidden(Logger.formatLogFmt.log(options)))
    return colour ? coloured(line, options.logLevel) : line
  })

/** A terminal shows warnings and errors; the log that an editor or a supervisor keeps has more. */
export const defaultLevel = (terminal: boolean): LogLevel.LogLevel => terminal ? "Warn" : "Info"

const isTerminal = () => process.stderr.isTTY === true

const levelOf = ({ last }: Live) => last().logLevel ?? defaultLevel(isTerminal())

/** Logs only entries of the current level and above. */
export const filtered = <Message>(live: Live, logger: Logger.Logger<Message, void>): Logger.Logger<Message, void> =>
  Logger.make((options) => {
    if (LogLevel.isGreaterThanOrEqualTo(options.logLevel, levelOf(live))) logger.log(options)
  })

/** A closed stderr must not end the process. */
const ignored = () => {}

const make = (minimum: (live: Live) => LogLevel.LogLevel): Layer.Layer<never, never, LiveSettings> =>
  Layer.unwrap(Effect.gen(function*() {
    const live = yield* LiveSettings
    const environment = yield* Environment
    yield* Effect.sync(() => process.stderr.off("error", ignored).on("error", ignored))
    const format = formatter(liveRedactor(live), isTerminal() && environment["NO_COLOR"] === undefined)
    const stderr = Logger.make((options) => {
      process.stderr.write(`${format.log(options)}\n`)
    })
    return Layer.mergeAll(
      Logger.layer([filtered(live, stderr)]),
      // Spans are not exported, and each would keep the data of its fiber in memory.
      Layer.succeed(References.TracerEnabled, false),
      Layer.succeed(References.MinimumLogLevel, minimum(live))
    )
  }))

/** Logs go to stderr and nowhere else: stdout is the protocol. */
export const layer = make(levelOf)

/** For a process whose log level may change: fibers keep the minimum level they started with, so the loggers filter instead. */
export const layerLive = make(() => "Trace")
