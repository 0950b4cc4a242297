import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { ConfigDir, lazily, optionalFlag, toggle, whileRead } from "../Flags.ts"

const flags = {
  provider: optionalFlag(
    "provider",
    "NAME",
    "Which provider: anthropic, openai, openrouter, ollama … (--list has all)"
  ),
  model: optionalFlag("model", "ID", "Which of its models"),
  baseUrl: optionalFlag("base-url", "URL", "Its address, for servers of your own"),
  apiKeyEnv: optionalFlag(
    "api-key-env",
    "VARIABLE",
    "The environment variable that has the key; the key is not stored"
  ),
  apiKeyStdin: toggle("api-key-stdin", "Read the key from standard input and store it in config.toml"),
  alias: optionalFlag("alias", "ALIAS", "What the provider is called in config.toml (default: its name)"),
  agent: optionalFlag("agent", "ALIAS", "Which agent gets the model (default: the one of new sessions)"),
  untested: toggle("untested", "Write it without asking the provider"),
  list: toggle("list", "List the providers and exit"),
  yes: Flag.withAlias(toggle("yes", "Ask nothing: take the suggestion where a flag is missing"), "y")
}

const runSetup = (given: Command.Command.Config.Infer<typeof flags>) =>
  whileRead(Effect.flatMap(ConfigDir, (configDir) =>
    lazily(
      () => Promise.all([import("./Setup.ts"), import("../config/Config.ts")]),
      ([{ setup }, { layer }]) =>
        setup({
          ...given,
          provider: Option.getOrUndefined(given.provider),
          model: Option.getOrUndefined(given.model),
          baseUrl: Option.getOrUndefined(given.baseUrl),
          apiKeyEnv: Option.getOrUndefined(given.apiKeyEnv),
          alias: Option.getOrUndefined(given.alias),
          agent: Option.getOrUndefined(given.agent)
        }).pipe(Effect.provide(layer(Option.getOrUndefined(configDir))))
    )))

export const setup = Command.make("setup", flags, runSetup).pipe(
  Command.withDescription(
    "Set up a model: choose a provider, enter its key, which is tried and not shown, and choose one of its models. Writes config.toml, " +
      "whose comments and other keys stay; nothing is written before the end. Without a terminal the flags answer the questions."
  ),
  Command.withShortDescription("Choose a provider and a model, and write them to config.toml"),
  Command.withExamples([
    { command: "postern setup", description: "Ask for everything" },
    {
      command: "postern setup --provider anthropic --api-key-env ANTHROPIC_API_KEY --yes",
      description: "Without questions; the key stays in the variable"
    },
    { command: "postern setup --provider openrouter --api-key-stdin --yes < key.txt", description: "Store the key" },
    {
      command: "postern setup --provider ollama --base-url http://127.0.0.1:11434 --model qwen3-coder:30b",
      description: "A server of your own"
    }
  ])
)

/** The dialogue with nothing given: what `postern acp --setup` runs in the terminal of an editor. */
export const setupDialogue = runSetup({
  provider: Option.none(),
  model: Option.none(),
  baseUrl: Option.none(),
  apiKeyEnv: Option.none(),
  apiKeyStdin: false,
  alias: Option.none(),
  agent: Option.none(),
  untested: false,
  list: false,
  yes: false
})
