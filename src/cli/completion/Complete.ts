import { readdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import type { Completions } from "effect/cli"
import { ConfigStore } from "../../config/edit/ConfigStore.ts"
import { pathsOf } from "../../config/Paths.ts"
import { Settings } from "../../config/Settings.ts"
import { settingValues } from "../../domain/PolicySettings.ts"
import { Environment } from "../../platform/Environment.ts"
import { layerBase } from "../../app/App.ts"
import { layer as layerStored } from "../sessions/StoredSessions.ts"
import { SessionRepository } from "../sessions/SessionRepository.ts"
import { oneLine } from "../terminal/Text.ts"

/** Answers the completion scripts: what may stand in the place of the last word. See docs/cli.md#completions */

export interface Candidate {
  readonly value: string
  readonly description?: string | undefined
}

type Kind = "folder" | "file" | "key" | "value" | "session" | "agent" | "mode"

/** Flags whose values are known only here. */
const flagKinds: Readonly<Record<string, Kind>> = {
  "config-dir": "folder",
  cwd: "folder",
  "token-file": "file",
  output: "file",
  agent: "agent",
  resume: "session",
  mode: "mode"
}

/** The same for the words behind a command. */
const argumentKinds: Readonly<Record<string, Kind>> = {
  "config get": "key",
  "config set": "key",
  "config unset": "key",
  "config list": "key",
  "sessions show": "session",
  "sessions export": "session",
  "sessions close": "session",
  "sessions kill": "session",
  "sessions delete": "session",
  "policy trust": "folder",
  "policy untrust": "folder"
}

/** Folders end in a slash, after which the shell goes on. */
const paths = (word: string, onlyFolders: boolean): ReadonlyArray<Candidate> => {
  const typed = word.slice(0, word.lastIndexOf("/") + 1)
  const folder = typed.startsWith("~/") ? join(homedir(), typed.slice(2)) : typed === "" ? "." : typed
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const isHidden = entry.name.startsWith(".") && !word.slice(typed.length).startsWith(".")
      if (isHidden || (onlyFolders && !entry.isDirectory())) return []
      return [{ value: `${typed}${entry.name}${entry.isDirectory() ? "/" : ""}` }]
    })
  } catch {
    return []
  }
}

const inConfig = <A, E>(configDir: string | undefined, use: (store: ConfigStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const environment = yield* Environment
    const { configFile } = pathsOf(configDir, environment)
    return yield* Effect.provide(Effect.flatMap(ConfigStore, use), ConfigStore.layerFile(configFile))
  })

const keys = (configDir: string | undefined) =>
  Effect.map(
    inConfig(configDir, (store) => store.list()),
    (found) => found.map(({ path, description }): Candidate => ({ value: path, description }))
  )

/** The values of a key that has only some. */
const values = (configDir: string | undefined, key: string) =>
  Effect.map(inConfig(configDir, (store) => store.list(key)), (found) => {
    const { enumVariants, kind } = found.find(({ path }) => path === key) ?? {}
    return (enumVariants ?? (kind === "bool" ? ["true", "false"] : [])).map((value): Candidate => ({ value }))
  })

const agents = (configDir: string | undefined) =>
  Effect.map(
    Settings.load({ configDir }),
    ({ started }) =>
      Array.from(started.agents.values(), ({ alias, model }): Candidate => ({ value: alias, description: model }))
  )

const sessions = (configDir: string | undefined) =>
  Effect.flatMap(SessionRepository, ({ prompted }) => prompted).pipe(
    Effect.map((found) =>
      found.map(({ sessionId, title }): Candidate => ({ value: sessionId, description: oneLine(title ?? "") }))
    ),
    Effect.provide(Layer.provide(layerStored, layerBase({ configDir, logLevel: "none" }))),
    Effect.scoped
  )

const ofKind = (
  kind: Kind,
  word: string,
  before: string,
  configDir: string | undefined
): Effect.Effect<ReadonlyArray<Candidate>, unknown> => {
  switch (kind) {
    case "folder":
    case "file":
      return Effect.succeed(paths(word, kind === "folder"))
    case "key":
      return keys(configDir)
    case "value":
      return values(configDir, before)
    case "session":
      return sessions(configDir)
    case "agent":
      return agents(configDir)
    case "mode":
      return Effect.succeed(settingValues.work_mode.map((value) => ({ value })))
  }
}

interface Place {
  readonly command: Completions.CommandDescriptor
  /** Without the name of the program. */
  readonly path: string
  /** Words behind the command that are no flags. */
  readonly given: ReadonlyArray<string>
  /** The flag whose value is asked for. */
  readonly flag: Completions.FlagDescriptor | undefined
  readonly configDir: string | undefined
}

const flagIn = (flags: ReadonlyArray<Completions.FlagDescriptor>, word: string) =>
  flags.find(({ aliases, name }) =>
    word === `--${name}` || aliases.some((alias) => word === `-${alias}` || word === `--${alias}`)
  )

/** Where the last of the words stands. */
const placeOf = (
  root: Completions.CommandDescriptor,
  globals: ReadonlyArray<Completions.FlagDescriptor>,
  words: ReadonlyArray<string>
): Place => {
  let command = root
  const path: Array<string> = []
  const given: Array<string> = []
  let flag: Completions.FlagDescriptor | undefined
  let configDir: string | undefined
  for (const word of words) {
    if (flag !== undefined) {
      if (flag.name === "config-dir") configDir = word
      flag = undefined
      continue
    }
    const sub = given.length === 0 ? command.subcommands.find(({ name }) => name === word) : undefined
    if (sub !== undefined) {
      command = sub
      path.push(sub.name)
    } else if (word.startsWith("-")) {
      const found = flagIn([...command.flags, ...globals], word)
      flag = found !== undefined && found.type._tag !== "Boolean" ? found : undefined
    } else given.push(word)
  }
  return { command, path: path.join(" "), given, flag, configDir }
}

const kindOf = ({ flag, given, path }: Place): Kind | undefined => {
  if (flag !== undefined) return flagKinds[flag.name]
  if (path === "config set" && given.length % 2 === 1) return "value"
  return argumentKinds[path]
}

const choices = (type: Completions.FlagType | Completions.ArgumentType): ReadonlyArray<Candidate> =>
  type._tag === "Choice" ? type.values.map((value) => ({ value })) : []

const flagsOf = ({ command }: Place, globals: ReadonlyArray<Completions.FlagDescriptor>): ReadonlyArray<Candidate> =>
  [...command.flags, ...globals].map(({ description, name }) => ({ value: `--${name}`, description }))

/** What may be typed instead of the last word. What cannot be read offers nothing. */
export const candidates = (
  root: Completions.CommandDescriptor,
  globals: ReadonlyArray<Completions.FlagDescriptor>,
  words: ReadonlyArray<string>
) =>
  Effect.gen(function*() {
    const typed = words.at(-1) ?? ""
    const [, joined, value] = /^(--[\w-]+)=(.*)$/s.exec(typed) ?? []
    const before = joined === undefined ? words.slice(0, -1) : [...words.slice(0, -1), joined]
    const word = value ?? typed
    const place = placeOf(root, globals, before)
    const { command, flag, given } = place
    const kind = kindOf(place)
    const dynamic = kind === undefined || (flag === undefined && word.startsWith("-"))
      ? []
      : yield* Effect.orElseSucceed(
        ofKind(kind, word, given.at(-1) ?? "", place.configDir),
        (): ReadonlyArray<Candidate> => []
      )
    const fixed = flag !== undefined
      ? choices(flag.type)
      : word.startsWith("-")
      ? flagsOf(place, globals)
      : [
        ...(given.length > 0 ? [] : command.subcommands.map(({ description, name }) => ({ value: name, description }))),
        ...command.arguments.flatMap(({ type }) => choices(type))
      ]
    return [...fixed, ...dynamic].filter((one) => one.value.startsWith(word)).map((one) =>
      joined === undefined ? one : { ...one, value: `${joined}=${one.value}` }
    )
  }).pipe(Effect.catchCause(() => Effect.succeed<ReadonlyArray<Candidate>>([])))

/** A candidate a line, its description behind a tab. */
export const lines = (found: ReadonlyArray<Candidate>): string =>
  found.map(({ description = "", value }) => `${value}\t${oneLine(description)}\n`).join("")
