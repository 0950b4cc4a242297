import { Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Daemon } from "./DaemonClient.ts"
import { failure } from "./Failure.ts"
import { lazily, maybe, on, shared, whileRead } from "./Flags.ts"
import type * as LiveSessions from "./LiveSessions.ts"
import type * as Sessions from "./Sessions.ts"

/** The commands work on the store itself: no agent is started, and a missing store is an error. */
const onStore = <A, E, R>(use: (sessions: typeof Sessions) => Effect.Effect<A, E, R>) =>
  whileRead(Effect.flatMap(shared, (flags) =>
    lazily(
      () => Promise.all([import("./Sessions.ts"), import("../app/App.ts")]),
      ([sessions, { layerBase, layerStore }]) =>
        Effect.provide(use(sessions), Layer.provideMerge(layerStore, layerBase(flags)))
    )))

/** Through the daemon where one is running, which has to know; else on the store. */
const live = <A, E, R, A2, E2, R2>(
  use: (sessions: typeof LiveSessions, daemon: Daemon) => Effect.Effect<A, E, R>,
  otherwise: Effect.Effect<A2, E2, R2>
) =>
  Effect.flatMap(shared, (flags) =>
    lazily(
      () => Promise.all([import("./LiveSessions.ts"), import("./DaemonClient.ts"), import("../app/App.ts")]),
      ([sessions, { connect }, { layerBase }]) =>
        Effect.gen(function*() {
          const daemon = yield* Effect.catchTag(connect, "NoDaemon", () => Effect.undefined)
          if (daemon) yield* use(sessions, daemon)
          else yield* otherwise
        }).pipe(Effect.scoped, Effect.provide(layerBase(flags)))
    ))

const oneId = Argument.String("id").pipe(
  Argument.withDescription("A session id, or its first four or more characters where no other session has the same")
)

const list = Command.make("list", {
  cwd: maybe("cwd", "DIR", "Only sessions of this folder"),
  all: on("all", "Killed sessions too: they can be read and never go on"),
  json: on("json", "One JSON object a line")
}, (given) => {
  const options = { ...given, cwd: Option.getOrUndefined(given.cwd) }
  const stored = onStore(({ list }) => list(options))
  return given.all ? stored : live(({ list }, daemon) => list(daemon, options), stored)
}).pipe(
  Command.withAlias("ls"),
  Command.withDescription("List the stored sessions, newest first")
)

const show = Command.make("show", {
  id: oneId,
  decisions: on("decisions", "What the policy decided about each tool call, and what was answered to which question"),
  json: on("json", "As JSON")
}, (given) => onStore(({ show }) => show(given))).pipe(
  Command.withDescription("Show a session as it looked in the terminal")
)

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
}, (given) => live(({ end }, daemon) => end(daemon, "delete", given), onStore(({ remove }) => remove(given)))).pipe(
  Command.withAlias("rm"),
  Command.withDescription("Delete sessions and everything stored about them, for good")
)

const kill = Command.make(
  "kill",
  { ids: Argument.variadic(oneId, { min: 1 }) },
  (given) => live(({ end }, daemon) => end(daemon, "kill", { ...given, yes: true }), onStore(({ kill }) => kill(given)))
).pipe(
  Command.withDescription("End sessions so that they can be read and never go on")
)

const close = Command.make("close", { ids: Argument.variadic(oneId, { min: 1 }) }, (given) =>
  live(
    ({ end }, daemon) => end(daemon, "close", { ...given, yes: true }),
    Effect.fail(failure("no daemon is running, so no session of it is active"))
  )).pipe(Command.withDescription("Put active sessions of the daemon away; they can go on later"))

export const sessions = Command.make("sessions").pipe(
  Command.withDescription("Look at sessions, put them away and delete them"),
  Command.withSubcommands([list, show, exported, close, kill, remove])
)
