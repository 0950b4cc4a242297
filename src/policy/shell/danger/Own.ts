import type { Command } from "../Command.ts"
import { checks } from "./Check.ts"

/** Postern told by a tool to change what holds the tool: its policy, its settings, who may reach it, and what it remembers. */

const looks = /^(rules (list|test)|explain|help)\b/
const entry = /(^|\/)(postern(\/dist\/main)?|dist\/main)(\.[cm]?js)?$/

/** Subcommands, without the global options. */
const verbs = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.filter((word, at) => !word.startsWith("-") && !/^--(config-dir|log-level)$/.test(words[at - 1] ?? ""))

const changes = (words: ReadonlyArray<string>): boolean => {
  const [first = "", ...rest] = verbs(words)
  const said = rest.join(" ")
  switch (first) {
    case "policy":
      return said !== "" && !looks.test(said)
    case "config":
      return said !== "" && !/^(get|list|show|check|path|help)\b/.test(said)
    case "sessions":
    case "session":
      return /^(delete|remove|rm|prune|clear)\b/.test(said)
    case "pair":
    case "otp":
    case "estop":
    case "unpair":
      return !/^(status|help)\b/.test(said)
    case "client":
    case "acp":
      // Another session, held by less than this one.
      return words.some((word) => /^--(mode|approval|response|sandbox|network|level|yes|config-dir)\b/.test(word))
  }
  return false
}

const tampers = (words: ReadonlyArray<string>): string | undefined => (changes(words) ? "tamper" : undefined)

const script = ({ args, line }: Command): string | undefined => {
  const [first] = line.operands
  return first === undefined || !entry.test(first.guess)
    ? undefined
    : tampers(args.slice(args.indexOf(first) + 1).map(({ guess }) => guess))
}

export const own = checks({
  postern: ({ args }) => tampers(args.map(({ guess }) => guess)),
  "node bun deno tsx ts-node": script,
  "main.js main.mjs main.cjs": ({ args, fields }) =>
    entry.test(fields.name?.guess ?? "") ? tampers(args.map(({ guess }) => guess)) : undefined
})
