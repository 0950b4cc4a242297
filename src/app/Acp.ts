
const flagsOf = (words: ReadonlyArray<string>) => {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: { "config-dir": { type: "string" }, "log-level": { type: "string" } }
    })
    return { configDir: values["config-dir"], logLevel: values["log-level"] }
  } catch {
    return undefined
  }
}

/** Starts the agent, unless the words are not plain flags of `acp`: help, completions and errors are left to the command line. */
export const start = (words: ReadonlyArray<string>): boolean => {
  const flags = flagsOf(words)
  if (flags === undefined) {
    release()
    return false
  }
  runMain(run(flags))
  return true
}
