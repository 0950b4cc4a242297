import { parseArgs } from "node:util"
import { release } from "../platform/Stdout.ts"
import { run } from "./AcpStdio.ts"
import { runMain } from "./Main.ts"

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

/** Words that are not plain flags of `acp` are the command line's business: help, completions, errors. */
export const start = (words: ReadonlyArray<string>): void => {
  const flags = flagsOf(words)
  if (flags !== undefined) return runMain(run(flags))
  release()
  void import("../cli/Main.ts").then(({ start }) => start())
}
