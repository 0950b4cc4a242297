import { Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { statSync } from "node:fs"
import { resolve } from "node:path"
import type { DryRunSettings } from "./DryRun.ts"
import { settingValues } from "../../domain/PolicySettings.ts"
import { wrongUsage } from "../Failure.ts"
import { lazily, optionalFlag, settingsFlags, toggle, whileRead } from "../Flags.ts"

interface DryRunPlace {
  readonly cwd: Option.Option<string>
  readonly agent?: Option.Option<string>
  readonly settings?: DryRunSettings
}

const folderOf = (cwd: Option.Option<string>) =>
  Effect.suspend(() => {
    const folder = resolve(Option.getOrElse(cwd, () => "."))
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
      ? Effect.succeed(folder)
      : Effect.fail(wrongUsage(`there is no folder ${folder}`))
  })

/** With the gates and rules of a new session; none is created. */
export const onPolicy = <M, A, E, R>(
  place: DryRunPlace,
  load: () => Promise<M>,
  use: (module: M) => Effect.Effect<A, E, R>
) =>
  whileRead(Effect.gen(function*() {
    const flags = yield* settingsFlags
    const cwd = yield* folderOf(place.cwd)
    const agent = place.agent === undefined ? undefined : Option.getOrUndefined(place.agent)
    return yield* lazily(
      () =>
        Promise.all([load(), import("./DryRun.ts"), import("../../app/EngineLayer.ts"), import("../../app/App.ts")]),
      ([module, { DryRun }, { layerPolicy }, { layerBase }]) =>
        use(module).pipe(
          Effect.provide(
            DryRun.layer({ cwd, agent, settings: place.settings ?? {} }).pipe(
              Layer.provideMerge(layerPolicy),
              Layer.provideMerge(layerBase(flags))
            )
          )
        )
    )
  }))

const cwd = optionalFlag("cwd", "DIR", "Folder of the session (default: the current one)")
const agent = optionalFlag("agent", "ALIAS", "Whose risk profile counts (default: the agent a new session would get)")

const setting = <const V extends ReadonlyArray<string>>(name: string, values: V, description: string) =>
  Flag.Literals(name, values).pipe(Flag.withDescription(description), Flag.optional)
const rules = (list: string, description: string) =>
  Flag.String(list).pipe(
    Flag.withAlias(`rules-${list}`),
    Flag.withMetavar("RULE"),
    Flag.withDescription(description),
    Flag.atLeast(0)
  )

const call = {
  call: Argument.String("call").pipe(
    Argument.withMetavar("TOOL key=value…"),
    Argument.withDescription("The tool and its arguments; a value that is JSON and no text counts as JSON"),
    Argument.variadic()
  ),
  json: toggle("json", "The whole trace as one JSON object"),
  batch: toggle(
    "batch",
    "Read calls from standard input, one {\"tool\": …, \"arguments\": {…}} a line, and answer each with one line, in order"
  ),
  mode: setting("mode", settingValues.work_mode, "Work mode"),
  network: setting("network", settingValues.network, "Network access policy"),
  approval: setting("approval", settingValues.tool_approval, "Tool approval policy"),
  response: setting("response", settingValues.approval_response, "Approval response policy"),
  sandbox: setting("sandbox", settingValues.sandbox, "Sandbox mode"),
  level: setting("level", ["readonly", "supervised", "full"], "Autonomy level"),
  deny: rules("deny", "One more deny rule; may be repeated"),
  ask: rules("ask", "One more ask rule; may be repeated"),
  allow: rules("allow", "One more allow rule; may be repeated"),
  cwd,
  agent
}

const dryRun = (name: string) =>
  Command.make(name, call, ({ allow, approval, ask, deny, level, mode, network, response, sandbox, ...given }) => {
    const chosen = Option.getOrNull
    const settings: DryRunSettings = {
      mode: chosen(mode),
      network: chosen(network),
      approval: chosen(approval),
      response: chosen(response),
      sandbox: chosen(sandbox),
      level: chosen(level),
      ...(deny.length + ask.length + allow.length > 0 ? { rules: { deny, ask, allow } } : {})
    }
    const place = { cwd: given.cwd, agent: given.agent, settings }
    return onPolicy(place, () => import("./Explain.ts"), ({ explain }) => explain(given))
  })

const explain = dryRun("explain").pipe(
  Command.withDescription(
    "Pass one tool call through the gates without running it: the verdict of each gate, the gate that decides, and the " +
      "sandbox of the call. Settings that are given count as the session's own choice."
  ),
  Command.withShortDescription("Dry run of one tool call through the gates"),
  Command.withExamples([
    { command: "postern policy explain shell command='git push -f' --network off", description: "For people" },
    { command: "postern policy explain file_write path=a.ts content=x --mode ro --json", description: "For programs" },
    { command: "postern policy explain --batch < calls.ndjson", description: "Many calls" }
  ])
)

const list = Command.make(
  "list",
  { json: toggle("json", "One JSON object a line"), cwd, agent },
  ({ json, ...place }) => onPolicy(place, () => import("./Rules.ts"), ({ list }) => list({ json }))
).pipe(
  Command.withAlias("ls"),
  Command.withDescription("List the rules of the operator, the user and the project")
)

const add = Command.make(
  "add",
  {
    list: Argument.Literals("list", ["deny", "ask", "allow"]).pipe(Argument.withDescription("deny, ask or allow")),
    rule: Argument.String("rule").pipe(Argument.withDescription("Such as 'shell(git push **)' or 'write(./src/**)'")),
    layer: Flag.Literals("layer", ["user", "project"]).pipe(
      Flag.withDescription("user: config.toml; project: .postern/rules.toml of the folder"),
      Flag.withDefault("user")
    ),
    reason: optionalFlag("reason", "TEXT", "The reason, shown with the rule"),
    cwd
  },
  ({ cwd, reason, ...given }) =>
    onPolicy(
      { cwd },
      () => import("./Rules.ts"),
      ({ add }) => add({ ...given, reason: Option.getOrUndefined(reason) })
    )
).pipe(
  Command.withDescription("Add a rule to a file; its comments and its order stay")
)

const remove = Command.make("remove", {
  id: Argument.String("id").pipe(
    Argument.withDescription("As `rules list` shows it; its first four or more characters will do")
  ),
  cwd
}, ({ cwd, id }) => onPolicy({ cwd }, () => import("./Rules.ts"), ({ remove }) => remove({ id }))).pipe(
  Command.withAlias("rm"),
  Command.withDescription("Remove a rule from the file it is in")
)

const test = dryRun("test").pipe(Command.withDescription("Try the rules on one tool call, as `policy explain` does"))

const ruleCommands = Command.make("rules").pipe(
  Command.withDescription("List, add, remove and try rules"),
  Command.withSubcommands([list, add, remove, test])
)

const trust = Command.make(
  "trust",
  {
    folder: Argument.String("folder").pipe(
      Argument.withDescription("The folder whose allow rules are to count"),
      Argument.optional
    ),
    list: toggle("list", "Show the trusted folders, and whether their rules are still those that were trusted"),
    yes: Flag.withAlias(toggle("yes", "Do not ask"), "y")
  },
  ({ folder, list, yes }) =>
    onPolicy(
      { cwd: Option.none() },
      () => import("./Rules.ts"),
      ({ trust }) => trust({ folder: Option.getOrUndefined(folder), list, yes })
    )
).pipe(
  Command.withDescription(
    "Show the rules of a project's own file, and let its allow rules count: in exactly this folder, while the file stays as it is"
  )
)

const untrust = Command.make("untrust", {
  folder: Argument.String("folder").pipe(Argument.withDescription("A trusted folder; it may be gone"))
}, (given) => onPolicy({ cwd: Option.none() }, () => import("./Rules.ts"), ({ untrust }) => untrust(given))).pipe(
  Command.withDescription("Stop trusting a folder")
)

export const policy = Command.make("policy").pipe(
  Command.withDescription("What tool calls may do: dry runs, rules and trusted folders"),
  Command.withSubcommands([explain, ruleCommands, trust, untrust])
)
