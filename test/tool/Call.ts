import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Schema } from "effect"
import { plainRunner } from "../../src/sandbox/Confinement.ts"
import type { PlanEntry, ToolCallItem } from "../../src/domain/Content.ts"
import { Environment } from "../../src/platform/Environment.ts"
import * as Jobs from "../../src/tool/shell/Jobs.ts"
import type { UserNotice } from "../../src/domain/SessionEvent.ts"
import { Toolbox } from "../../src/tool/Toolbox.ts"
import { commandLimitsOf } from "../../src/policy/decision/Limits.ts"
import { type AnyTool, type RunContext, type ToolContext, ToolFailed, type ToolOutput } from "../../src/tool/Tool.ts"
import * as Workspace from "../../src/workspace/Workspace.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const systemPath = "/usr/local/bin:/usr/bin:/bin"

/** The toolbox as it is on a machine with these variables. */
export const toolbox = (variables: Record<string, string> = {}) =>
  Toolbox.layer.pipe(Layer.provide(Layer.succeed(Environment, { PATH: systemPath, ...variables })))

const unconfined = {
  runner: plainRunner,
  report: {
    backend: "none",
    mode: "danger-full-access",
    network: true,
    files: "none",
    net: "none",
    processes: "none",
    notes: []
  }
} as const

/** A workspace in a temporary folder and the tools called by name with undecoded arguments. */
export const bench = Effect.gen(function*() {
  const { tools } = yield* Toolbox
  const cwd = yield* temporaryFolder
  const workspace = yield* Workspace.make({ cwd })
  const jobs = yield* Jobs.make(() => Effect.never)
  const progress: Array<ReadonlyArray<ToolCallItem>> = []
  const notices: Array<UserNotice> = []
  const plans: Array<ReadonlyArray<PlanEntry>> = []
  const context: RunContext = {
    sessionId: "s1",
    workspace,
    mayRead: Effect.undefined,
    client: {},
    jobs,
    mayFetch: () => Effect.succeed(true),
    progress: (content) => Effect.sync(() => void progress.push(content)),
    attachments: () => cwd,
    writesNothing: false,
    notify: (notice) => Effect.sync(() => void notices.push(notice)),
    plan: (entries) => Effect.sync(() => void plans.push(entries)),
    confinement: {
      mode: "danger-full-access",
      network: true,
      reads: false,
      capabilities: ["shell_rw"],
      commands: commandLimitsOf(undefined),
      confine: (argv, where) => Effect.succeed({ ...unconfined, argv, ...where })
    },
    askUser: (_, choices) =>
      choices[0] === undefined ? Effect.fail(new ToolFailed({ message: "nobody" })) : Effect.succeed(choices[0])
  }
  const tool = (name: string): AnyTool => {
    const found = tools.get(name)
    if (found === undefined) throw new Error(`no tool ${name}`)
    return found
  }
  const decode = (name: string, input: unknown) =>
    Schema.decodeUnknownEffect(tool(name).parameters)(input).pipe(
      Effect.mapError((error) => new ToolFailed({ message: error.message }))
    )
  const run = (
    name: string,
    input: unknown,
    overrides: Partial<RunContext> = {}
  ): Effect.Effect<ToolOutput, ToolFailed> =>
    Effect.scoped(
      Effect.flatMap(decode(name, input), (parameters) => tool(name).run(parameters, { ...context, ...overrides }))
    )
  const text = (name: string, input: unknown) => Effect.map(run(name, input), (output) => output.text)
  const failure = (name: string, input: unknown) => Effect.map(Effect.flip(run(name, input)), (error) => error.message)
  /** What people see who are asked about the call. */
  const preview = (name: string, input: unknown) =>
    Effect.gen(function*() {
      const parameters = yield* decode(name, input)
      const { disclose, preview } = tool(name)
      return { ...yield* preview(parameters, context), ...yield* disclose?.(parameters, context) ?? Effect.undefined }
    })
  const put = (path: string, content: string | Uint8Array) => writeFileSync(join(cwd, path), content)
  return { cwd, context, run, text, failure, preview, put, progress, plans, notices, tools }
})

/** A context in which every path passes the check as it is spelled, as if a link took its place right after. */
export const swapped = (context: ToolContext): Pick<ToolContext, "workspace"> => ({
  workspace: { ...context.workspace, resolve: (path) => Effect.succeed(join(context.workspace.cwd, path)) }
})
