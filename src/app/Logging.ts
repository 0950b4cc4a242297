import { Effect, Layer, Logger, type LogLevel, Redacted, References } from "effect"
import { Settings } from "./Settings.ts"

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

/** One logfmt line per entry, secrets replaced. */
export const formatter = (
  secrets: ReadonlyArray<Redacted.Redacted<string>>,
  colour: boolean
): Logger.Logger<unknown, string> => {
  const hidden = hiding(secrets)
  return Logger.make((options) => {
    const line = hidden(Logger.formatLogFmt.log(options))
    return colour ? coloured(line, options.logLevel) : line
  })
}

/** A person at a terminal sees what needs attention; a log that an editor or a supervisor keeps has the whole story. */
export const defaultLevel = (terminal: boolean): LogLevel.LogLevel => terminal ? "Warn" : "Info"

/** Logs go to stderr and nowhere else: stdout is the protocol. */
export const layer: Layer.Layer<never, never, Settings> = Layer.unwrap(Effect.gen(function*() {
  const settings = yield* Settings
  yield* Effect.sync(() => process.stderr.on("error", () => {})) // a log reader that hangs up must not end the process
  const terminal = process.stderr.isTTY === true
  const format = formatter(settings.secrets, terminal && process.env["NO_COLOR"] === undefined)
  const stderr = Logger.make((options) => {
    process.stderr.write(`${format.log(options)}\n`)
  })
  return Layer.mergeAll(
    Logger.layer([stderr]),
    // Nobody looks at spans, and each would be kept with what runs in it.
    Layer.succeed(References.TracerEnabled, false),
    Layer.succeed(References.MinimumLogLevel, settings.logLevel ?? defaultLevel(terminal))
  )
}))
