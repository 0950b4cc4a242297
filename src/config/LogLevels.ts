import type { LogLevel } from "effect"

const levels: Readonly<Record<string, LogLevel.LogLevel>> = {
  all: "All",
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  warning: "Warn",
  error: "Error",
  fatal: "Fatal",
  none: "None"
}

export const logLevelWords = Object.keys(levels).filter((word) => word !== "warning")

/** Letter case does not count; `undefined` for a word that is no level. */
export const parseLogLevel = (word: string): LogLevel.LogLevel | undefined => {
  const known = word.trim().toLowerCase()
  return Object.hasOwn(levels, known) ? levels[known] : undefined
}
