import { Effect, Layer, Logger, LogLevel, Redacted, References } from "effect"
import { LiveSettings } from "./LiveSettings.ts"

type Live = Pick<LiveSettings["Service"], "last">

const shortestSecret = 4

/** Replaces every known secret in a finished line, as it is and as it looks inside a JSON string. */
export const hiding = (secrets: ReadonlyArray<Redacted.Redacted<string>>): (line: string) => string => {
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

/** Hides every secret there is or was while this process runs: one that was replaced may be good for a while. */
export const hidingAll = ({ last }: Live): (line: string) => string => {
  const all = new Map<string, Redacted.Redacted<string>>()
  let seen: ReadonlyArray<Redacted.Redacted<string>> | undefined
  let hidden = hiding([])
  return (line) => {
    const { secrets } = last()
    if (secrets !== seen) {
      seen = secrets
      for (const secret of secrets) all.set(Redacted.value(secret), secret)
      hidden = hiding(Array.from(all.values()))
    }
    return hidden(line)
  }
}

/** One logfmt line per entry, secrets replaced. */
export const formatter = (hidden: (line: string) => string, colour: boolean): Logger.Logger<unknown, string> =>
  Logger.make((options) => {
    const line = hidden(Logger.formatLogFmt.log(options))
    return colour ? coloured(line, options.logLevel) : line
  })

/** A person at a terminal sees what needs attention; a log that an editor or a supervisor keeps has the whole story. */
export const defaultLevel = (terminal: boolean): LogLevel.LogLevel => terminal ? "Warn" : "Info"

const isTerminal = () => process.stderr.isTTY === true

const levelOf = ({ last }: Live) => last().logLevel ?? defaultLevel(isTerminal())

/** Only what the level of the moment lets through. */
export const filtered = <Message>(live: Live, logger: Logger.Logger<Message, void>): Logger.Logger<Message, void> =>
  Logger.make((options) => {
    if (LogLevel.isGreaterThanOrEqualTo(options.logLevel, levelOf(live))) logger.log(options)
  })

/** A log reader that hangs up must not end the process. */
const ignored = () => {}

const make = (minimum: (live: Live) => LogLevel.LogLevel): Layer.Layer<never, never, LiveSettings> =>
  Layer.unwrap(Effect.gen(function*() {
    const live = yield* LiveSettings
    yield* Effect.sync(() => process.stderr.off("error", ignored).on("error", ignored))
    const format = formatter(hidingAll(live), isTerminal() && process.env["NO_COLOR"] === undefined)
    const stderr = Logger.make((options) => {
      process.stderr.write(`${format.log(options)}\n`)
    })
    return Layer.mergeAll(
      Logger.layer([filtered(live, stderr)]),
      // Nobody looks at spans, and each would be kept with what runs in it.
      Layer.succeed(References.TracerEnabled, false),
      Layer.succeed(References.MinimumLogLevel, minimum(live))
    )
  }))

/** Logs go to stderr and nowhere else: stdout is the protocol. */
export const layer = make(levelOf)

/** For a process whose level may change: fibers keep the least level they were started with, so the loggers look at it instead. */
export const layerLive = make(() => "Trace")
