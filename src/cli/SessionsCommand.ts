import { Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { lazily, maybe, on, shared, whileRead } from "./Flags.ts"
import type * as Sessions from "./Sessions.ts"

/** The commands work on the store itself: no agent is started, and a missing store is an error. */
const onStore = <A, E, R>(use: (sessions: typeof Sessions) => Effect.Effect<A, E, R>) =>
  whileRead(Effect.flatMap(shared, (flags) =>
    lazily(
      () => Promise.all([import("./Sessions.ts"), import("../app/App.ts")]),
      ([sessions, { layerBase, layerStore }]) =>
        Effect.provide(use(sessions), Layer.provideMerge(layerStore, layerBase(flags)))
    )))

const oneId = Argument.String("id").pipe(
  Argument.withDescription("A session id, or its first four or more characters where no other session has the same")
)

const list = Command.make("list", {
  cwd: maybe("cwd", "DIR", "Only sessions of this folder"),
  all: on("all", "Killed sessions too: they can be read and never go on"),
  json: on("json", "One JSON object a line")
}, (given) => onStore(({ list }) => list({ ...given, cwd: Option.getOrUndefined(given.cwd) }))).pipe(
  Command.withAlias("ls"),
  Command.withDescription("List the stored sessions, newest first")
)

const show = Command.make("show", {
  id: oneId,
  decisions: on("decisions", "What the policy decided about each tool call, and what was answered to which question"),
  json: on("json", "As JSON")
}, (given) =>
  onStore(({ show }) => show(given))).pipe(Command.withDescription("Show a session as it looked in the terminal"))

const exported = Command.make("export", {
  id: oneId,
  format: Flag.Literals("format", ["markdown", "json"]).pipe(
    Flag.withDescription("markdown to read, json to process"),
    Flag.withDefault("markdown")
  ),
  output: Flag.withAlias(maybe("output", "FILE", "Where to write (default: standard output)"), "o"),
  force: Flag.withAlias(on("force", "Replace the file if there is one"), "f")
}, (given) => onStore(({ exportTo }) => exportTo({ ...given, output: Option.getOrUndefined(given.output) }))).pipe(
  Command.withDescription("Write a session as one document")
)

const remove = Command.make("delete", {
  ids: Argument.variadic(oneId, { min: 1 }),
  yes: Flag.withAlias(on("yes", "Do not ask"), "y")
}, (given) => onStore(({ remove }) => remove(given))).pipe(
  Command.withAlias("rm"),
  Command.withDescription("Delete sessions and everything stored about them, for good")
)

export const sessions = Command.make("sessions").pipe(
  Command.withDescription("Look at stored sessions and delete them"),
  Command.withSubcommands([list, show, exported, remove])
)
