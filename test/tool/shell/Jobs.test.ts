import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { resolve } from "../../../src/domain/PolicySettings.ts"
import * as Jobs from "../../../src/tool/shell/Jobs.ts"
import { type RunContext, ToolFailed, type ToolOutput } from "../../../src/tool/Tool.ts"
import { bench, toolbox } from "../Call.ts"

/** Whether the system still has the process whose id a job printed. */
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const gone = (pid: number) =>
  Effect.gen(function*() {
    while (alive(pid)) yield* Effect.sleep("10 millis")
  }).pipe(Effect.timeout("5 seconds"))

type Run = (name: string, input: unknown, overrides?: Partial<RunContext>) => Effect.Effect<ToolOutput, unknown>

/** A job that said its process id and goes on, and that id. */
const endless = Effect.fnUntraced(function*(run: Run, jobs: Jobs.Jobs) {
  const { rawOutput } = yield* run("shell", { command: "echo pid:$$:; sleep 1000; true", background: true }, { jobs })
  const id = (rawOutput as { readonly job: string }).job
  for (let text = "";; yield* Effect.sleep("10 millis")) {
    text += (yield* run("job_output", { id }, { jobs })).text
    const pid = /pid:(\d+):/.exec(text)?.[1]
    if (pid !== undefined) return { id, pid: Number(pid) }
  }
})

describe("background jobs", () => {
  layer(toolbox(), { excludeTestServices: true })((it) => {
    it.effect("go on while other calls run, and each look shows what is new", () =>
      Effect.gen(function*() {
        const { text } = yield* bench
        const command = "echo one; until [ -e go ]; do sleep 0.01; done; echo two; exit 3"
        assert.match(yield* text("shell", { command, background: true }), /^Started in the background as job 1\./)
        for (let seen = ""; !seen.endsWith("\none");) seen = yield* text("job_output", { id: "1" })
        yield* text("shell", { command: "touch go" })
        assert.strictEqual(
          yield* text("job_output", { id: "1", wait_secs: 60 }),
          `[Job 1 ended with exit code 3: ${command}]\ntwo`
        )
        assert.match(yield* text("job_output", { id: "#1" }), /\(no new output\)$/)
        assert.strictEqual(yield* text("job_list", {}), `1: ended with exit code 3: ${command}`)
      }))

    it.effect("are looked at between characters, never inside one", () =>
      Effect.gen(function*() {
        const { text } = yield* bench
        yield* text("shell", {
          command: "printf 'begun \\303'; until [ -e go ]; do sleep 0.01; done; printf '\\251\\n'",
          background: true
        })
        let seen = ""
        while (!seen.includes("\nbegun")) seen = yield* text("job_output", { id: "1" })
        assert.isTrue(seen.endsWith("\nbegun"))
        yield* text("shell", { command: "touch go" })
        assert.match(yield* text("job_output", { id: "1", wait_secs: 60 }), /\n\u00e9$/)
      }))

    it.effect("end when they are told to, with everything they started", () =>
      Effect.gen(function*() {
        const { context, run, text } = yield* bench
        const { id, pid } = yield* endless(run, context.jobs)
        assert.match(yield* text("job_list", {}), /^1: has been running for \d+ s: echo pid/)
        assert.strictEqual(yield* text("job_kill", { id }), "Job 1 was ended.")
        yield* gone(pid)
        assert.match(yield* text("job_output", { id }), /^\[Job 1 was ended by job_kill: /)
        assert.match(yield* text("job_kill", { id }), /had ended already: it was ended by job_kill/)
      }))

    it.effect("are eight at most, and an unknown one is named", () =>
      Effect.gen(function*() {
        const { failure, text } = yield* bench
        for (let i = 0; i < Jobs.maxRunning; i++) yield* text("shell", { command: "sleep 1000", background: true })
        assert.match(
          yield* failure("shell", { command: "sleep 1000", background: true }),
          /8 commands run in the background already/
        )
        yield* text("job_kill", { id: "3" })
        assert.match(yield* text("shell", { command: "sleep 1000", background: true }), /as job 9\./)
        assert.match(yield* failure("job_output", { id: "77" }), /There is no job 77\. There are: 1, 2, 3,/)
      }))

    it.effect("end when the policy no longer grants what they need, and no others", () =>
      Effect.gen(function*() {
        const { context, run, text } = yield* bench
        const { id, pid } = yield* endless(run, context.jobs)
        const knobs = (values: object) => resolve("supervised", { session: values, project: {}, user: {} })
        yield* context.jobs.policyChanged(knobs({ sandbox: "read-only" }))
        assert.isTrue(alive(pid))
        yield* context.jobs.policyChanged(knobs({ network: "off" }))
        yield* gone(pid)
        assert.match(yield* text("job_output", { id }), /the policy of the session does not let it run any more/)
        const second = yield* endless(run, context.jobs)
        yield* context.jobs.policyChanged(knobs({ work_mode: "ro" }))
        yield* gone(second.pid)
      }))

    it.effect("print into bounded memory", () =>
      Effect.gen(function*() {
        const { text } = yield* bench
        yield* text("shell", { command: "echo first; yes | head -c 20M; echo last", background: true })
        const shown = yield* text("job_output", { id: "1", wait_secs: 60 })
        assert.isBelow(shown.length, 34_000)
        assert.match(shown, /first\ny\n/)
        assert.match(shown, /bytes cut here[^\n]*\n[\sy]*last$/)
      }))

    it.effect("fail at once where there is nothing to hold them", () =>
      Effect.gen(function*() {
        const { context, run, text } = yield* bench
        const confinement = {
          ...context.confinement,
          confine: () => Effect.fail(new ToolFailed({ message: "SANDBOX_UNAVAILABLE" }))
        }
        const failed = yield* Effect.flip(run("shell", { command: "true", background: true }, { confinement }))
        assert.strictEqual(failed.message, "SANDBOX_UNAVAILABLE")
        assert.strictEqual(yield* text("job_list", {}), "There are no background commands.")
      }))
  })

  it.live("end with their session", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const jobs = yield* Scope.provide(Jobs.make(() => Effect.never), scope)
      const { run } = yield* bench
      const { pid } = yield* endless(run, jobs)
      yield* Scope.close(scope, Exit.void)
      yield* gone(pid)
    }).pipe(Effect.provide(toolbox())))
})
