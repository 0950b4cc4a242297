import { Clock, Effect, Schema } from "effect"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import type { Job } from "./Jobs.ts"
import * as Tool from "../Tool.ts"

/** Looking after commands in the background; `shell` starts them. */

const maxWait = 120

const Id = Schema.String.annotate({ description: "Number of the job, as shell said it" })

const find = Effect.fnUntraced(
  function*(id: string, { jobs }: Tool.ToolContext): Effect.fn.Return<Job, Tool.ToolFailed> {
    const job = jobs.get(id.trim().replace(/^#/, ""))
    if (job !== undefined) return job
    const known = jobs.all().map((one) => one.id).join(", ")
    return yield* Tool.fail(
      `There is no job ${id}. ${
        known === "" ? "None was started in this session since it was opened." : `There are: ${known}.`
      }`
    )
  }
)

const stateOf = (job: Job) =>
  Effect.map(
    Clock.currentTimeMillis,
    (now) => job.ending() ?? `has been running for ${Math.round((now - job.startedAt) / 1000)} s`
  )

const Reading = Schema.Struct({
  id: Id,
  wait_secs: Tool.optional(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxWait })),
    "Seconds to wait for its end; 0 when absent"
  )
})

export const JobOutput = Tool.make<typeof Reading.Type>({
  name: "job_output",
  description: "See whether a background command still runs, and what it printed since the last look.",
  parameters: Reading,
  kind: "read",
  capabilities: ["ro"],
  origin: "local",
  needs: () => ToolRequirements.read(),
  preview: ({ id }) => Effect.succeed({ title: `Look at job ${id}` }),
  run: Effect.fnUntraced(function*({ id, wait_secs }, context) {
    const job = yield* find(id, context)
    if (wait_secs) yield* Effect.timeoutOption(job.over, `${wait_secs} seconds`)
    const printed = job.take().trimEnd()
    return {
      text: `[Job ${job.id} ${yield* stateOf(job)}: ${Tool.firstLine(job.command, 80)}]\n${
        printed === "" ? "(no new output)" : printed
      }`,
      rawOutput: { job: job.id, running: job.ending() === undefined }
    }
  })
})

const Nothing = Schema.Struct({})

export const JobList = Tool.make<typeof Nothing.Type>({
  name: "job_list",
  description: "List the background commands of this session: number, state, command.",
  parameters: Nothing,
  kind: "other",
  capabilities: ["none"],
  needs: () => ToolRequirements.nothing,
  preview: () => Effect.succeed({ title: "List jobs" }),
  run: Effect.fnUntraced(function*(_, { jobs }) {
    const lines = yield* Effect.forEach(
      jobs.all(),
      (job) => Effect.map(stateOf(job), (state) => `${job.id}: ${state}: ${Tool.firstLine(job.command, 120)}`)
    )
    return lines.length === 0 ? Tool.said("There are no background commands.") : { text: lines.join("\n") }
  })
})

const Killing = Schema.Struct({ id: Id })

export const JobKill = Tool.make<typeof Killing.Type>({
  name: "job_kill",
  description: "End a background command with everything it started.",
  parameters: Killing,
  kind: "execute",
  capabilities: ["none"],
  needs: () => ToolRequirements.nothing,
  preview: ({ id }) => Effect.succeed({ title: `End job ${id}` }),
  run: Effect.fnUntraced(function*({ id }, context) {
    const job = yield* find(id, context)
    const before = job.ending()
    if (before !== undefined) return Tool.said(`Job ${job.id} had ended already: it ${before}.`)
    yield* context.jobs.stop(job, "was ended by job_kill")
    return Tool.said(`Job ${job.id} was ended.`)
  })
})
