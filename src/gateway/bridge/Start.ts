import { parseArgs } from "node:util"
import { logLevelWords, parseLogLevel } from "../../config/LogLevels.ts"
import { pathsOf } from "../../config/Paths.ts"
import { answer } from "../../platform/StartFailure.ts"
import { protocolWrite } from "../../platform/Stdout.ts"
import { type BridgeOptions, run } from "./Bridge.ts"

/** `postern bridge` without the command-line library, which an editor would wait for. */

class WrongUsage extends Error {}

const usage = (problem: string): never => {
  throw new WrongUsage(problem)
}

const flags = {
  "config-dir": { type: "string" },
  "log-level": { type: "string" },
  url: { type: "string" },
  token: { type: "string" },
  "token-file": { type: "string" },
  "pair-code": { type: "string" },
  agent: { type: "string" },
  cwd: { type: "string" }
} as const

const parse = (words: ReadonlyArray<string>) => {
  try {
    return parseArgs({ args: [...words], options: flags }).values
  } catch (error) {
    return usage(error instanceof Error ? error.message.split(".", 1)[0]! : String(error))
  }
}

const checkedUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !["http:", "https:", "ws:", "wss:"].includes(url.protocol) || url.search !== "") {
    return usage(`--url: ${JSON.stringify(text)} is no address such as https://host:42617`)
  }
  return url.href.replace(/\/$/, "").replace(/\/acp$/, "").replace(/^ws/, "http")
}

/** Levels at which a lost connection that is tried for again is not told about. */
const quiet: ReadonlySet<string | undefined> = new Set(["Error", "Fatal", "None"])

const checkedLevel = (word: string) =>
  parseLogLevel(word) ?? usage(`--log-level: ${JSON.stringify(word)} is not one of ${logLevelWords.join(", ")}`)

const prepare = async (words: ReadonlyArray<string>): Promise<BridgeOptions> => {
  const given = parse(words)
  for (const [name, value] of Object.entries(given)) if (value.trim() === "") usage(`--${name}: it is empty`)
  if (given.token !== undefined && given["token-file"] !== undefined) {
    usage("--token and --token-file exclude each other")
  }
  if (given["pair-code"] !== undefined && !/^\d{6}$/.test(given["pair-code"])) usage("--pair-code: six digits")
  const url = given.url === undefined ? undefined : checkedUrl(given.url)
  return {
    configDir: pathsOf(given["config-dir"], process.env).configDir,
    url: url ?? (await import("./Discovery.ts").then(({ configuredUrl }) => configuredUrl(given["config-dir"]))),
    token: given.token,
    tokenFile: given["token-file"],
    pairCode: given["pair-code"],
    agent: given.agent,
    cwd: given.cwd,
    isQuiet: quiet.has(given["log-level"] === undefined ? undefined : checkedLevel(given["log-level"])),
    environment: process.env
  }
}

const failedWith = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll("\n", " ")

/** Ends the process with the exit code (docs/cli.md#exit-codes). */
export const start = (words: ReadonlyArray<string>): void => {
  process.stdout.on("error", () => process.exit(0))
  prepare(words).then(
    (options) =>
      run(options).then(
        () => process.exit(0),
        (error: unknown) => process.stderr.write(`postern: ${failedWith(error)}\n`, () => process.exit(1))
      ),
    (error: unknown) => {
      const isUsage = error instanceof WrongUsage
      const message = failedWith(error)
      process.stderr.write(`postern: ${message}\n${isUsage ? "see postern bridge --help\n" : ""}`)
      answer(message, isUsage ? "wrong_usage" : "config_invalid", protocolWrite, () => process.exit(isUsage ? 2 : 1))
    }
  )
}
