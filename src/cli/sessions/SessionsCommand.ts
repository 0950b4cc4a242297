import { Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { lazily, optionalFlag, settingsFlags, toggle, whileRead } from "../Flags.ts"
import type * as Sessions from "./Sessions.ts"
import type { SessionRepository } from "./SessionRepository.ts"

/** Through the daemon where one is running, so that its live sessions change too; else on the files. No agent is started. */
const onSessions = <A, E, R>(use: (sessions: typeof Sessions) => Effect.Effect<A, E, R | SessionRepository>) =>
  whileRead(Effect.flatMap(settingsFlags, (flags) =>
    lazily(
      () => Promise.all([import("./Sessions.ts"), import("../daemon/DaemonClient.ts"), import("../../app/App.ts")]),
      ([sessions, { connect }, { layerBase }]) =>
        Effect.gen(function*() {
          const daemon = yield* Effect.catchTag(connect, "NoDaemon", () => Effect.undefined)
          const repository = daemon === undefined
            ? Effect.map(Effect.promise(() => import("./StoredSessions.ts")), ({ layer }) => layer)
            : Effect.map(Effect.promise(() => import("./DaemonSessions.ts")), ({ layer }) => layer(daemon))
          return yield* Effect.provide(use(sessions), Layer.unwrap(repository))
        }).pipe(Effect.scoped, Effect.provide(layerBase(flags)))
    )))

const oneId = Argument.String("id").pipe(
  Argument.withDescription("A session id, or its first four or more characters where no other session has the same")
)

const list = Command.make("list", {
  cwd: optionalFlag("cwd", "DIR", "Only sessions of this folder"),
  all: toggle("all", "Killed sessions, too"),
  json: toggle("json", "One JSON object a line")
}, (given) => onSessions(({ list }) => list({ ...given, cwd: Option.getOrUndefined(given.cwd) }))).pipe(
  Command.withAlias("ls"),
  Command.withDescription("List the sessions of both modes, newest first")
)

const show = Command.make("show", {
  id: oneId,
  decisions: toggle(
    "decisions",
    "The decision about each tool call, and the answers to permission requests"
  ),
  json: toggle("json", "As JSON")
}, (given) => onSessions(({ show }) => show(given))).pipe(
  Command.withDescription("Show a session as it looked in the terminal")
)

const exported = Command.make("export", {
  id: oneId,
  format: Flag.Literals("format", ["markdown", "json"]).pipe(
    Flag.withDescription("markdown to read, json to process"),
    Flag.withDefault("markdown")
  ),
  output: Flag.withAlias(optionalFlag("output", "FILE", "Where to write (default: standard output)"), "o"),
  force: Flag.withAlias(toggle("force", "Replace the file if there is one"), "f")
}, (given) => onSessions(({ exportTo }) => exportTo({ ...given, output: Option.getOrUndefined(given.output) }))).pipe(
  Command.withDescription("Write a session as one document")
)

const remove = Command.make("delete", {
  ids: Argument.variadic(oneId, { min: 1 }),
  yes: Flag.withAlias(toggle("yes", "Do not ask"), "y")
}, (given) => onSessions(({ remove }) => remove(given))).pipe(
  Command.withAlias("rm"),
  Command.withDescription("Delete sessions and everything stored about them, for good")
)

const kill = Command.make(
  "kill",
  { ids: Argument.variadic(oneId, { min: 1 }) },
  (given) => onSessions(({ kill }) => kill(given))
).pipe(
  Command.withDescription("End sessions for good; they can still be read")
)

const close = Command.make(
  "close",
  { ids: Argument.variadic(oneId, { min: 1 }) },
  (given) => onSessions(({ close }) => close(given))
).pipe(
  Command.withDescription("Close active sessions of the daemon; they can be resumed later")
)

export const sessions = Command.make("sessions").pipe(
  Command.withDescription("Show, export, close, kill and delete sessions"),
  Command.withSubcommands([list, show, exported, close, kill, remove])
)
