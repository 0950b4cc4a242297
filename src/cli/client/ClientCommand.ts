import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { lazily, optionalFlag, settingsFlags, toggle, whileRead } from "../Flags.ts"

export const client = Command.make("client", {
  prompt: Argument.String("prompt").pipe(
    Argument.withDescription(
      "Run this prompt and exit; standard input is not read then. Without it: standard input if that is no terminal, else a " +
        "conversation"
    ),
    Argument.variadic()
  ),
  cwd: optionalFlag("cwd", "DIR", "Folder of the session (default: the current one, or the resumed session's own)"),
  resume: optionalFlag("resume", "ID", "Resume this session"),
  last: toggle("last", "Resume the newest session of the folder"),
  agent: optionalFlag("agent", "ALIAS", "Which configured agent to talk to"),
  model: optionalFlag("model", "NAME", "Which model answers in this session"),
  mode: optionalFlag("mode", "NAME", "The mode of this session, such as ro, pl or aw"),
  json: toggle("json", "One JSON object a line: every session/update as it comes, then the result of the prompt"),
  quiet: Flag.withAlias(toggle("quiet", "The answer only: no thoughts, tool calls or plan"), "q"),
  server: optionalFlag("server", "CMD", "Talk to this ACP agent instead: a command line, quoted as in a shell")
}, (given) =>
  whileRead(Effect.flatMap(settingsFlags, (global) =>
    lazily(() => import("./Client.ts"), ({ run }) =>
      run({
        ...given,
        ...global,
        cwd: Option.getOrUndefined(given.cwd),
        resume: Option.getOrUndefined(given.resume),
        agent: Option.getOrUndefined(given.agent),
        model: Option.getOrUndefined(given.model),
        mode: Option.getOrUndefined(given.mode),
        server: Option.getOrUndefined(given.server)
      }))))).pipe(
    Command.withDescription(
      "Talk to an ACP agent in the terminal, or run one prompt and exit. Permissions are asked for in the terminal. Where " +
        "there is none, or standard input is not a terminal, they are refused: run the prompt in a terminal, or resume " +
        "the session there (--resume). Exit codes: 0 done, 1 failed, or something was refused for lack of a terminal, " +
        "2 wrong usage, 130 interrupted; 141 nobody reads the output any more, 143 ended by SIGTERM."
    ),
    Command.withShortDescription("ACP client for the terminal: a conversation, or one prompt"),
    Command.withExamples([
      { command: "postern client", description: "A conversation about the current folder" },
      { command: "postern client \"fix the failing test\"", description: "One prompt" },
      {
        command: "git diff | postern client --quiet",
        description: "The prompt from standard input, the answer to standard output"
      },
      { command: "postern client --last", description: "Resume this folder's newest session" },
      { command: "postern client --server \"npx some-agent --acp\" \"hello\"", description: "Another agent" }
    ])
  )
