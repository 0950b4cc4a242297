import { Effect } from "effect"
import { Agents } from "../../session/lifecycle/Agents.ts"
import * as KeyedLock from "../../platform/KeyedLock.ts"
import type { FileFault } from "../../workspace/Files.ts"
import * as Personality from "../../workspace/Personality.ts"
import { usableAgent } from "../access/Access.ts"
import * as Errors from "../protocol/Errors.ts"
import { mapRpcErrors } from "../protocol/Errors.ts"
import { PersonalityMethods } from "../protocol/AgentContracts.ts"

/** The methods `personality/*`; see docs/native-rpc.md#personality. */

/** What a user can start from who writes these files for the first time. */
const templates: { readonly [N in Personality.PersonalityName]: (agent: string) => string } = {
  "SOUL.md": () =>
    `# How you work

- Say what you found and what you did; leave out what nobody asked for.
- Look before you change something, and check afterwards that it works.
- Say so when you do not know, and ask when the answer would change what you do.
`,
  "IDENTITY.md": (agent) =>
    `# Who you are

You are ${agent}, a coding agent.
`,
  "USER.md": () =>
    `# Who you work for

- Name:
- Language of answers:
- What they know well, and what to explain:
`,
  "AGENTS.md": () =>
    `# How work is done here

- Read the project's own instructions before you change it.
- Keep to the style of the files around a change.
- Run the tests that cover a change.
`,
  "TOOLS.md": () =>
    `# Notes on tools

- Commands of this machine that are worth knowing:
- Commands that are slow or risky, and when to use them all the same:
`,
  "HEARTBEAT.md": () =>
    `# What to look after

Nothing regular.
`,
  "MEMORY.md": () =>
    `# What to keep in mind

Lasting facts and decisions, one a line.
`
}

const named = (filename: string) =>
  Personality.isName(filename)
    ? Effect.succeed(filename)
    : Errors.invalid(`filename: must be one of ${Personality.names.join(", ")}`, "filename")

/** What a file that is written here has to be, so that it can be read as it was sent. */
const text = (content: string) => {
  const { length } = Array.from(content)
  if (length > Personality.maxChars) {
    return Errors.invalid(
      `content: ${length} characters, and the limit is ${Personality.maxChars}`,
      "content",
      "too_large"
    )
  }
  return content.includes("\0") || !content.isWellFormed()
    ? Errors.invalid("content: it is not text", "content", "malformed")
    : Effect.succeed(content)
}

const refused = (filename: string) => ({ detail, reason }: FileFault) => {
  const message = `${filename}: ${detail}`
  switch (reason) {
    case "stale":
      return Errors.stale(message, { filename })
    case "large":
      return Errors.invalid(message, "filename", "too_large")
    case "folder":
    case "link":
    case "special":
      return Errors.invalid(message, "filename", "invalid")
    default:
      return Errors.unavailable(message)
  }
}

export const layer = PersonalityMethods.toLayer(Effect.gen(function*() {
  const agentOf = usableAgent(yield* Agents)
  // One writer at a time: no other may write between the check of a file's time and its replacement.
  const lock = KeyedLock.make()

  return PersonalityMethods.of({
    "personality/list": Effect.fnUntraced(function*({ agent }) {
      const { workspace } = yield* agentOf(agent)
      const files = yield* Effect.mapError(Personality.list(workspace), refused("the agent's workspace"))
      return { files, max_chars: Personality.maxChars }
    }, mapRpcErrors),

    "personality/get": Effect.fnUntraced(function*({ agent, filename }) {
      const { workspace } = yield* agentOf(agent)
      const name = yield* named(filename)
      const { content, ...found } = yield* Effect.mapError(Personality.get(workspace, name), refused(name))
      return { filename, content, exists: content !== null, ...found }
    }, mapRpcErrors),

    "personality/put": Effect.fnUntraced(function*({ agent, content, expected_mtime_ms, filename }) {
      const { workspace } = yield* agentOf(agent)
      const name = yield* named(filename)
      const put = Personality.put(workspace, name, yield* text(content), expected_mtime_ms ?? undefined)
      return { ...yield* Effect.mapError(lock.within(name)(put), refused(name)) }
    }, mapRpcErrors),

    "personality/templates": Effect.fnUntraced(function*({ agent }) {
      const { alias } = yield* agentOf(agent)
      return {
        preset: "default",
        files: Personality.names.map((filename) => ({ filename, content: templates[filename](alias) }))
      }
    }, mapRpcErrors)
  })
}))
