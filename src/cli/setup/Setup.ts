import { Effect, Stdio, Stream } from "effect"
import { chmodSync, statSync } from "node:fs"
import { load } from "../../config/load/ConfigFile.ts"
import { type ConfigChange, ConfigStore } from "../../config/edit/ConfigStore.ts"
import { builtIn, type Provider, providers, proxyOf } from "../../config/Providers.ts"
import { isAlias, isReserved } from "../../config/schema/KeyPath.ts"
import type { ConfigTable } from "../../config/schema/Schema.ts"
import type { ListedModel } from "../../model/http/Remote.ts"
import type { ModelFault } from "../../model/ModelFault.ts"
import * as Chunk from "../../platform/Chunk.ts"
import { Environment, type EnvironmentVariables } from "../../platform/Environment.ts"
import { programWords } from "../client/ClientOptions.ts"
import { type Failure, failure, wrongUsage } from "../Failure.ts"
import { canAsk } from "../terminal/Confirm.ts"
import * as Dialogue from "../terminal/Dialogue.ts"
import * as Interrupts from "../terminal/Interrupts.ts"
import { orFail, print, table, warn } from "../terminal/Output.ts"
import { oneLine, truncate } from "../terminal/Text.ts"
import { aliasFor, isGeneric, type KnownProvider, knownProviders } from "./KnownProviders.ts"

/** The flags of `postern setup`. */
export interface SetupOptions {
  readonly provider: string | undefined
  readonly model: string | undefined
  readonly baseUrl: string | undefined
  readonly apiKeyEnv: string | undefined
  readonly apiKeyStdin: boolean
  readonly alias: string | undefined
  readonly agent: string | undefined
  readonly untested: boolean
  readonly list: boolean
  readonly yes: boolean
}

type ProviderTable = NonNullable<ConfigTable["providers"]>[string]

/** Where the key is: stored in the file, in a variable, or not needed. */
type KeySource = { readonly api_key: string } | { readonly api_key_env: string } | undefined

/** What the answers are about, and how the missing ones are asked for. */
interface SetupContext {
  readonly options: SetupOptions
  readonly file: string
  readonly table: ConfigTable
  readonly environment: EnvironmentVariables
  /** Absent where nothing can be asked. */
  readonly dialogue: Dialogue.Dialogue | undefined
  readonly say: (text: string) => void
}

const names = knownProviders.map(({ name }) => name).join(", ")

const missing = ({ options }: SetupContext, flag: string, allowed: string) =>
  wrongUsage(
    `${flag} is missing, and ${
      options.yes ? "there is no suggestion for it" : "there is no terminal to ask on"
    }: ${allowed}; see postern setup --help`
  )

const numbered = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  table(["", ...head], rows.map((row, at) => [String(at + 1).padStart(3), ...row]))

/** The value at a typed number, counted from 1. */
const atNumber = <A>(values: ReadonlyArray<A>, typed: string): A | undefined =>
  /^\d+$/.test(typed) ? values[Number(typed) - 1] : undefined

const isSet = (environment: EnvironmentVariables, variable: string | undefined): variable is string =>
  variable !== undefined && (environment[variable] ?? "").trim() !== ""

// The provider

const remarkOn = ({ keyVariable }: KnownProvider, environment: EnvironmentVariables): string =>
  isSet(environment, keyVariable) ? `$${keyVariable}` : ""

const providerTable = (environment: EnvironmentVariables): string =>
  numbered(
    ["NAME", "PROVIDER", knownProviders.some(({ keyVariable }) => isSet(environment, keyVariable)) ? "KEY" : ""],
    knownProviders.map((one) => [one.name, one.label, remarkOn(one, environment)])
  )

/** The first provider whose key is there, else the first one of all. */
const suggestedProvider = (environment: EnvironmentVariables): KnownProvider | undefined =>
  knownProviders.find(({ keyVariable }) => isSet(environment, keyVariable)) ?? knownProviders[0]

/** By number, by name, or by the only name that begins so. */
const providerOf = (typed: string): KnownProvider | undefined => {
  const said = typed.toLowerCase()
  const found = atNumber(knownProviders, said) ?? knownProviders.find(({ name }) => name === said)
  if (found !== undefined) return found
  const beginning = said === "" ? [] : knownProviders.filter(({ name }) => name.startsWith(said))
  return beginning.length === 1 ? beginning[0] : undefined
}

const chooseProvider = Effect.fnUntraced(function*(context: SetupContext) {
  const { dialogue, environment, options, say } = context
  if (options.provider !== undefined) {
    const found = providerOf(options.provider)
    if (found !== undefined) return found
    return yield* wrongUsage(`${oneLine(options.provider)} is not one of the providers: ${names}`)
  }
  const suggested = suggestedProvider(environment)
  if (dialogue === undefined) {
    const found = options.yes && suggested !== undefined && isSet(environment, suggested.keyVariable)
    return found ? suggested : yield* missing(context, "--provider", `one of ${names}`)
  }
  say(`\nWhich provider?\n${providerTable(environment)}`)
  while (true) {
    const typed = yield* dialogue.ask(`Number or name [${suggested?.name}]: `)
    const found = typed === "" ? suggested : providerOf(typed)
    if (found !== undefined) return found
    say(`${oneLine(typed)} is not one of: ${names}\n`)
  }
})

const isAddress = (text: string): boolean => /^https?:\/\/\S+$/.test(text) && URL.canParse(text)

/** The address, `undefined` for the vendor's own. */
const chooseAddress = Effect.fnUntraced(
  function*(context: SetupContext, known: KnownProvider, given: string | undefined) {
    const { dialogue, options, say } = context
    if (given !== undefined) {
      return isAddress(given) ? given : yield* wrongUsage(`${oneLine(given)} is no http or https address`)
    }
    if (known.asksAddress !== true) return known.baseUrl
    if (dialogue === undefined || options.yes) {
      return known.baseUrl ?? (yield* missing(context, "--base-url", "the address of the server"))
    }
    while (true) {
      const typed = yield* dialogue.ask(`Its address${known.baseUrl === undefined ? "" : ` [${known.baseUrl}]`}: `)
      const address = typed === "" ? known.baseUrl : typed
      if (address !== undefined && isAddress(address)) return address
      say("An address begins with http:// or https://, such as http://127.0.0.1:8000/v1\n")
    }
  }
)

const aliasOf = Effect.fnUntraced(
  function*({ options, table }: SetupContext, known: KnownProvider, address: string | undefined) {
    const alias = options.alias ?? (isGeneric(known) ? aliasFor(address ?? "") : known.name)
    if (!isAlias(alias) || isReserved(["providers"], alias)) {
      return yield* wrongUsage(`--alias ${oneLine(alias)} cannot be used as a name`)
    }
    const kind = table.providers?.[alias]?.kind ?? builtIn[alias]?.kind
    if (kind !== undefined && kind !== known.kind) {
      return yield* wrongUsage(`the provider ${alias} is of the kind ${kind} already; name another one with --alias`)
    }
    return alias
  }
)

// The key

const isVariableName = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)

const keyFromStandardInput = Effect.gen(function*() {
  const stdio = yield* Stdio.Stdio
  const text = yield* stdio.stdin.pipe(
    Stream.decodeText(),
    Stream.mkString,
    Effect.mapError(() => failure("standard input cannot be read"))
  )
  return text.trim() === "" ? yield* wrongUsage("--api-key-stdin: standard input has no key") : text.trim()
})

const askKey = Effect.fnUntraced(
  function*(context: SetupContext, known: KnownProvider, ask: Dialogue.Dialogue["askHidden"]) {
    const { environment, say } = context
    const { keyPage, keyVariable } = known
    const isThere = isSet(environment, keyVariable)
    if (keyPage !== undefined && !isThere) say(`Keys are made at ${keyPage}\n`)
    const empty = isThere ? `empty: use $${keyVariable}` : keyVariable === undefined ? "empty where none is needed" : ""
    while (true) {
      const typed = yield* ask(
        `Key, which is not shown, or the $VARIABLE that has it${empty === "" ? "" : ` [${empty}]`}: `
      )
      if (typed === "" && isThere) return { api_key_env: keyVariable }
      if (typed === "" && keyVariable === undefined) return undefined
      const variable = typed.startsWith("$") ? typed.slice(1).replace(/^\{(.*)\}$/, "$1") : undefined
      if (variable === undefined && typed !== "" && !/\s/.test(typed)) return { api_key: typed }
      if (variable !== undefined && isVariableName(variable)) {
        if (isSet(environment, variable)) return { api_key_env: variable }
        say(`The variable ${variable} is not set here.\n`)
      } else say("That is no key.\n")
    }
  }
)

const chooseKey = Effect.fnUntraced(
  function*(
    context: SetupContext,
    known: KnownProvider
  ): Effect.fn.Return<KeySource, Failure, Stdio.Stdio> {
    const { dialogue, environment, options } = context
    const { apiKeyEnv } = options
    if (apiKeyEnv !== undefined) {
      if (!isVariableName(apiKeyEnv)) return yield* wrongUsage("--api-key-env takes the name of a variable, not a key")
      if (!options.untested && !isSet(environment, apiKeyEnv)) {
        return yield* failure(
          `the variable ${apiKeyEnv} is not set, so its key cannot be tried; --untested writes it anyway`
        )
      }
      return { api_key_env: apiKeyEnv }
    }
    if (options.apiKeyStdin) return { api_key: yield* keyFromStandardInput }
    if (dialogue !== undefined && !options.yes) return yield* askKey(context, known, dialogue.askHidden)
    if (known.keyVariable === undefined) return undefined
    if (isSet(environment, known.keyVariable)) return { api_key_env: known.keyVariable }
    return yield* missing(
      context,
      "--api-key-env",
      `the variable that has the key, or --api-key-stdin; set ${known.keyVariable}`
    )
  }
)

// The trial

/** The keys of a provider in the file that a new set-up replaces. */
const replaced = ["kind", "base_url", "api_key", "api_key_env"] as const

const providerWith = (
  { environment, table }: SetupContext,
  alias: string,
  set: ProviderTable
): Provider | undefined => {
  const kept = Object.fromEntries(
    Object.entries(table.providers?.[alias] ?? {}).filter(([key]) => !(replaced as ReadonlyArray<string>).includes(key))
  )
  return providers({ [alias]: { ...kept, ...set } }, environment).get(alias)
}

const trialTimeout = "20 seconds"
const loadRemote = Chunk.make(() => import("../../model/http/Remote.ts"))

/** Succeeds with the models, none where the provider does not list them. */
const tried = Effect.fnUntraced(
  function*({ environment }: SetupContext, known: KnownProvider, provider: Provider) {
    const { trial } = yield* loadRemote
    const ask = yield* trial(proxyOf(environment))
    const hasOwnAddress = provider.baseUrl !== undefined && provider.baseUrl !== known.baseUrl
    return yield* ask(provider, hasOwnAddress ? undefined : known.keyPath).pipe(
      Effect.catchIf(({ reason }) => reason === "model_unknown", () => Effect.succeed<ReadonlyArray<ListedModel>>([])),
      Effect.mapError((fault: ModelFault) => fault),
      Effect.timeoutOrElse({
        duration: trialTimeout,
        orElse: () => Effect.fail({ reason: "model_timeout", message: `no answer within ${trialTimeout}` } as const)
      })
    )
  },
  Effect.scoped
)

interface Tried {
  readonly alias: string
  readonly set: ProviderTable
  readonly models: ReadonlyArray<ListedModel>
}

/** Asks for address and key until the provider answers to them. */
const connect = Effect.fnUntraced(function*(context: SetupContext, known: KnownProvider) {
  const { dialogue, options, say } = context
  let given = options.baseUrl
  let key: { readonly source: KeySource } | undefined
  while (true) {
    const address = yield* chooseAddress(context, known, given)
    const alias = yield* aliasOf(context, known, address)
    key ??= { source: yield* chooseKey(context, known) }
    const set: ProviderTable = {
      kind: known.kind,
      ...(address === undefined ? {} : { base_url: address }),
      ...key.source
    }
    const provider = providerWith(context, alias, set)
    if (provider === undefined || options.untested) return { alias, set, models: [] } satisfies Tried
    say(`Asking ${oneLine(address ?? known.label)} for its models…\n`)
    const answer = yield* Effect.result(tried(context, known, provider))
    if (answer._tag === "Success") return { alias, set, models: answer.success } satisfies Tried
    const { message, reason } = answer.failure
    if (dialogue === undefined || options.yes) return yield* failure(message)
    // What follows the dash is about a configuration that is not written yet.
    say(`That did not work. ${oneLine(message.replace(/ — [^—]*$/, ""))}\n`)
    const isKey = reason === "model_key_refused" || reason === "model_no_credit"
    const next = yield* dialogue.ask(
      `Enter to try ${isKey ? "another key" : "again"}, w to write it as it is, q to leave: `
    )
    if (/^q/i.test(next)) return yield* failure("nothing was changed")
    if (/^w/i.test(next)) return { alias, set, models: [] } satisfies Tried
    if (isKey || key.source === undefined) key = undefined
    given = isKey || known.asksAddress !== true ? address : undefined
  }
})

// The model

const suggestedModel = ({ prefers = [] }: KnownProvider, models: ReadonlyArray<ListedModel>): string | undefined => {
  for (const preferred of prefers) {
    const found = models.find(({ id }) => preferred.test(id))
    if (found !== undefined) return found.id
  }
  return models[0]?.id
}

/** People write `claude-sonnet-4.6` where the list has `claude-sonnet-4-6`. */
const sameModel = (one: string, other: string): boolean => one.replaceAll(".", "-") === other.replaceAll(".", "-")

const shownModels = 20

const modelList = (models: ReadonlyArray<ListedModel>): string => {
  const rest = models.length - shownModels
  return numbered(
    ["MODEL", "CONTEXT"],
    models.slice(0, shownModels).map(({ contextWindow, id }) => [
      oneLine(id),
      contextWindow === undefined ? "" : `${contextWindow.toLocaleString("en")} tokens`
    ])
  ) + (rest > 0 ? `… and ${rest} more: type a part of the name\n` : "")
}

const askModel = Effect.fnUntraced(
  function*(known: KnownProvider, models: ReadonlyArray<ListedModel>, { ask, say }: Dialogue.Dialogue) {
    if (models.length === 0) say("It does not list its models.\n")
    let shown = models
    if (models.length > 0) say(`\nWhich model?\n${modelList(shown)}`)
    while (true) {
      const suggested = suggestedModel(known, shown)
      const typed = yield* ask(
        models.length === 0
          ? "Id of the model: "
          : `Number, name or a part of it${suggested === undefined ? "" : ` [${suggested}]`}: `
      )
      if (typed === "") {
        if (suggested !== undefined) return suggested
        continue
      }
      const exact = models.find(({ id }) => sameModel(id, typed)) ?? atNumber(shown.slice(0, shownModels), typed)
      if (exact !== undefined) return exact.id
      const found = models.filter(({ id }) => id.toLowerCase().includes(typed.toLowerCase()))
      const [first] = found
      if (first !== undefined && found.length === 1) return first.id
      if (found.length > 1) {
        shown = found
        say(modelList(shown))
      } else if (models.length === 0 && !/\s/.test(typed)) return typed
      else if (/^y/i.test(yield* ask(`${oneLine(typed)} is not in the list. Use it anyway? [y/N] `))) return typed
    }
  }
)

const chooseModel = Effect.fnUntraced(
  function*(context: SetupContext, known: KnownProvider, models: ReadonlyArray<ListedModel>) {
    const { dialogue, options } = context
    const { model } = options
    if (model !== undefined) {
      const listed = models.find(({ id }) => sameModel(id, model))
      if (listed !== undefined || models.length === 0) return listed?.id ?? model
      const ids = models.map(({ id }) => id).join(", ")
      return yield* failure(
        `${oneLine(model)} is not one of its models: ${truncate(oneLine(ids), 2000)}; --untested takes any`
      )
    }
    if (dialogue !== undefined && !options.yes) return yield* askModel(known, models, dialogue)
    const suggested = suggestedModel(known, models)
    if (options.yes && suggested !== undefined) return suggested
    const ids = models.map(({ id }) => id).join(", ")
    return yield* missing(
      context,
      "--model",
      ids === "" ? "the id of a model" : `one of ${truncate(oneLine(ids), 2000)}`
    )
  }
)

// The agent

/** The agent of new sessions; a new one, `main`, where none is configured. */
const chooseAgent = Effect.fnUntraced(function*(context: SetupContext) {
  const { dialogue, options, say, table } = context
  if (options.agent !== undefined) {
    return isAlias(options.agent)
      ? options.agent
      : yield* wrongUsage(`${oneLine(options.agent)} cannot be used as a name`)
  }
  const enabled = Object.entries(table.agents ?? {}).flatMap(([alias, { enabled }]) => enabled === false ? [] : [alias])
  const preset = table.acp?.default_agent
  if (preset !== undefined && preset.trim() !== "") return preset
  const [first = "main"] = enabled
  if (enabled.length < 2) return first
  if (dialogue === undefined || options.yes) {
    return yield* missing(context, "--agent", `one of ${enabled.join(", ")}`)
  }
  say(
    `\nWhich agent gets it?\n${
      numbered(["AGENT", "MODEL"], enabled.map((alias) => [alias, table.agents?.[alias]?.model ?? ""]))
    }`
  )
  while (true) {
    const typed = yield* dialogue.ask(`Number or name [${first}]: `)
    const found = typed === "" ? first : enabled.find((alias) => alias === typed) ?? atNumber(enabled, typed)
    if (found !== undefined) return found
    say(`${oneLine(typed)} is not one of: ${enabled.join(", ")}\n`)
  }
})

// Writing

interface Plan {
  readonly changes: ReadonlyArray<ConfigChange>
  /** Keys that would contradict the new ones. */
  readonly without: ReadonlyArray<string>
  readonly storesKey: boolean
}

const planOf = (
  { table }: SetupContext,
  agent: string,
  { alias, set, model, contextWindow }: {
    readonly alias: string
    readonly set: ProviderTable
    readonly model: string
    readonly contextWindow: number | undefined
  }
): Plan => {
  const at = (key: string) => `providers.${alias}.${key}`
  const old = table.providers?.[alias] ?? {}
  return {
    changes: [
      ...Object.entries(set).map(([key, value]) => ({ path: at(key), value })),
      ...(contextWindow === undefined || old.context_window !== undefined
        ? []
        : [{ path: at("context_window"), value: contextWindow }]),
      { path: `agents.${agent}.model`, value: `${alias}/${model}` },
      ...(table.agents?.[agent]?.enabled === false ? [{ path: `agents.${agent}.enabled`, value: true }] : [])
    ],
    without: replaced.filter((key) => old[key] !== undefined && set[key] === undefined).map(at),
    storesKey: set.api_key !== undefined
  }
}

const shownChange = ({ path, value }: ConfigChange): string =>
  `  ${path} = ${
    path.endsWith(".api_key") ? "(the key; only you can read the file)" : oneLine(JSON.stringify(value))
  }\n`

/** Others must not be able to read a file that is about to get a key. */
const keepPrivate = (file: string) =>
  Effect.sync(() => {
    const found = statSync(file, { throwIfNoEntry: false })
    if (found === undefined || (found.mode & 0o077) === 0) return
    try {
      chmodSync(file, 0o600)
    } catch {
      // It is somebody else's file; who may write to it decides who may read it.
    }
  })

const write = Effect.fnUntraced(function*({ dialogue, file, options, say }: SetupContext, plan: Plan) {
  const store = yield* ConfigStore
  if (dialogue !== undefined && !options.yes) {
    say(`\nThis goes into ${oneLine(file)}:\n${plan.changes.map(shownChange).join("")}`)
    say(plan.without.map((path) => `  ${path} is removed\n`).join(""))
    const answer = yield* dialogue.ask("Write it? [Y/n] ")
    if (!/^(y(es)?)?$/i.test(answer)) return yield* failure("nothing was changed")
  }
  if (plan.storesKey) yield* keepPrivate(file)
  yield* orFail(store.set(plan.changes, undefined, plan.without))
  for (const { path } of plan.changes) {
    const [variable] = store.overriding(path)
    if (variable !== undefined) yield* warn(`${variable} is set and takes precedence over ${path} in the file`)
  }
})

const shellWord = (word: string): string => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

const next = (file: string, model: string, { PATH }: EnvironmentVariables): string => {
  const program = programWords({ script: process.argv[1], path: PATH, cwd: process.cwd() }).map(shellWord).join(" ")
  return `wrote ${oneLine(file)}: new sessions use ${oneLine(model)}\n` +
    `next: ${program} client "what is in this folder?"   (or start a new session in your editor)\n`
}

const walk = Effect.fnUntraced(function*(context: SetupContext) {
  const { environment, file, options, say } = context
  say(`Setting up a model for Postern; Ctrl-C leaves without a change.\n`)
  const known = yield* chooseProvider(context)
  const { alias, models, set } = known.kind === "offline"
    ? { alias: "offline", models: [], set: {} }
    : yield* connect(context, known)
  const model = known.kind === "offline" ? "builtin" : yield* chooseModel(context, known, models)
  const agent = yield* chooseAgent(context)
  const contextWindow = known.kind === "openai-compatible"
    ? models.find(({ id }) => id === model)?.contextWindow
    : undefined
  yield* write(context, planOf(context, agent, { alias, set, model, contextWindow }))
  yield* print(next(file, `${alias}/${model}`, environment))
  if (options.untested || models.length === 0 && known.kind !== "offline") {
    say("It was not tried; postern doctor and a first message show whether it works.\n")
  }
})

/** Configures a model: from the flags, and from answers where there is a terminal. Writes once, at the end. */
export const setup = Effect.fnUntraced(function*(options: SetupOptions) {
  const environment = yield* Environment
  if (options.list) return yield* print(providerTable(environment))
  const { file } = yield* ConfigStore
  const table = yield* orFail(load(file, environment))
  const about = { options, file, table, environment }
  if (!canAsk() || options.yes || options.apiKeyStdin) {
    return yield* walk({ ...about, dialogue: undefined, say: () => {} })
  }
  const interrupts = yield* Interrupts.make
  yield* Effect.forkScoped(Chunk.keepAll)
  const dialogue = yield* Dialogue.make(process.stdin, process.stderr, interrupts)
  yield* interrupts.orInterrupt(walk({ ...about, dialogue, say: dialogue.say }))
}, Effect.scoped)
