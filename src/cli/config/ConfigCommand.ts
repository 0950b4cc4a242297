import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ConfigDir, lazily, optionalFlag, toggle, whileRead } from "../Flags.ts"

/** A broken configuration must not keep these commands from repairing it, so none of them loads the settings. */
const onConfig = <A, E, R>(use: (module: typeof import("./Config.ts")) => Effect.Effect<A, E, R>) =>
  whileRead(
    Effect.flatMap(ConfigDir, (configDir) =>
      lazily(() =>
        import("./Config.ts"), (module) =>
        Effect.provide(use(module), module.layer(Option.getOrUndefined(configDir)))))
  )

const path = Argument.String("path").pipe(
  Argument.withMetavar("PATH"),
  Argument.withDescription("Such as acp.max_sessions or agents.main.model")
)

const get = Command.make(
  "get",
  { path, json: toggle("json", "As JSON, with whether it is set") },
  (given) => onConfig(({ get }) => get(given))
).pipe(
  Command.withDescription(
    "Print the value in force: the environment takes precedence over the file. Secrets are never shown. Fails when nothing is set."
  )
)

const set = Command.make("set", {
  words: Argument.String("path").pipe(
    Argument.withMetavar("PATH VALUE"),
    Argument.withDescription(
      "Pairs, written in one change; a single PATH takes its VALUE from standard input, as is right for secrets"
    ),
    Argument.variadic({ min: 1 })
  ),
  comment: optionalFlag("comment", "TEXT", "A comment to put above the line"),
  json: toggle("json", "Values are JSON")
}, ({ comment, ...given }) => onConfig(({ set }) => set({ ...given, comment: Option.getOrUndefined(comment) }))).pipe(
  Command.withDescription(
    "Change config.toml; comments and order stay, and an invalid configuration is never written"
  ),
  Command.withShortDescription("Change values in config.toml"),
  Command.withExamples([
    { command: "postern config set acp.max_sessions 20" },
    {
      command:
        "postern config set providers.local.kind openai-compatible providers.local.base_url http://127.0.0.1:11434/v1",
      description: "Several at once"
    },
    { command: "postern config set providers.anthropic.api_key < key.txt", description: "A secret" }
  ])
)

const unset = Command.make("unset", { path }, (given) => onConfig(({ unset }) => unset(given))).pipe(
  Command.withDescription("Remove a key or a table from config.toml")
)

const list = Command.make("list", {
  prefix: Argument.String("prefix").pipe(
    Argument.withMetavar("PREFIX"),
    Argument.withDescription("Only what is below this path"),
    Argument.optional
  ),
  all: toggle("all", "Keys that are not set, too"),
  json: toggle("json", "One JSON object a line")
}, ({ prefix, ...given }) => onConfig(({ list }) => list({ ...given, prefix: Option.getOrUndefined(prefix) }))).pipe(
  Command.withAlias("ls"),
  Command.withDescription("List what is set, in the file and the environment")
)

const where = Command.make("path", {}, () => onConfig(({ where }) => where)).pipe(
  Command.withDescription("Print where config.toml is, or would be")
)

const validate = Command.make("validate", {}, () => onConfig(({ validate }) => validate)).pipe(
  Command.withDescription("Check file and environment as at a start; fails with the first error")
)

const init = Command.make(
  "init",
  { force: Flag.withAlias(toggle("force", "Replace the file if there is one"), "f") },
  (given) => onConfig(({ init }) => init(given))
).pipe(Command.withDescription("Write a config.toml to start from, all of it comments"))

const schema = Command.make("schema", {
  path: optionalFlag("path", "PATH", "Only the part below this path")
}, ({ path }) => onConfig(({ schema }) => schema({ path: Option.getOrUndefined(path) }))).pipe(
  Command.withDescription("Print the JSON Schema of config.toml")
)

export const config = Command.make("config").pipe(
  Command.withDescription("Show and change the configuration"),
  Command.withSubcommands([get, set, unset, list, where, validate, init, schema])
)
