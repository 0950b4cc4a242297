import { existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import type { ToolCallItem } from "../../../src/domain/Content.ts"
import { bench, toolbox } from "../Call.ts"

const secrets = {
  ANTHROPIC_API_KEY: "sk-ant-verysecretverysecret",
  GITHUB_TOKEN: "ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  SSH_AUTH_SOCK: "/tmp/agent",
  NODE_OPTIONS: "--require=/evil.js",
  BASH_ENV: "/evil.sh",
  POSTERN_acp__default_agent: "x",
  SOMETHING: "else",
  LANG: "C.UTF-8"
}

describe("shell", () => {
  layer(toolbox(secrets), { excludeTestServices: true })((it) => {
    it.effect("runs in the workspace and returns what was printed", () =>
      Effect.gen(function*() {
        const { cwd, run } = yield* bench
        const output = yield* run("shell", { command: "pwd; echo err >&2; [[ a == a ]] && echo bash" })
        assert.deepStrictEqual(new Set(output.text.split("\n")), new Set([cwd, "err", "bash"]))
        assert.deepStrictEqual(output.rawOutput, { exitCode: 0 })
        assert.strictEqual((yield* run("shell", { command: "true" })).text, "(no output)")
      }))

    it.effect("shows the output of a failed command with its exit code or signal", () =>
      Effect.gen(function*() {
        const { failure } = yield* bench
        assert.strictEqual(yield* failure("shell", { command: "echo why; exit 7" }), "exit code 7\nwhy")
        assert.strictEqual(yield* failure("shell", { command: "false" }), "exit code 1")
        assert.match(yield* failure("shell", { command: "kill -KILL $$" }), /ended by signal SIGKILL/)
        assert.match(yield* failure("shell", { command: "no-such-program-here" }), /exit code 127\n.*not found/)
      }))

    it.effect("names the timeout and keeps the output so far", () =>
      Effect.gen(function*() {
        const { failure } = yield* bench
        assert.strictEqual(
          yield* failure("shell", { command: "echo begun; sleep 60", timeout_secs: 1 }),
          "timed out after 1 second without output and was stopped\nbegun"
        )
        assert.match(yield* failure("shell", { command: "true", timeout_secs: 601 }), /timeout_secs/)
        assert.match(yield* failure("shell", { command: "true", timeout_secs: 0 }), /timeout_secs/)
      }))

    it.effect("starts nothing for a command of comments only", () =>
      Effect.gen(function*() {
        const { run } = yield* bench
        assert.match((yield* run("shell", { command: "\n# a\n  # b\n" })).text, /^Nothing was run/)
      }))

    it.effect("refuses an empty command and one with NUL", () =>
      Effect.gen(function*() {
        const { failure } = yield* bench
        assert.match(yield* failure("shell", { command: "  \n" }), /empty/)
        assert.match(yield* failure("shell", { command: "echo a\0b" }), /NUL/)
      }))

    it.effect("hides the host's secrets from the command", () =>
      Effect.gen(function*() {
        const { text } = yield* bench
        const printed = yield* text("shell", { command: "env; cat /proc/$$/environ | tr '\\0' '\\n'" })
        assert.notMatch(printed, /secret|ghp_|SSH_AUTH_SOCK|NODE_OPTIONS|BASH_ENV|POSTERN|SOMETHING/)
        assert.match(printed, /^TERM=dumb$/m)
        assert.match(printed, /^GIT_TERMINAL_PROMPT=0$/m)
        assert.match(printed, /^LANG=C.UTF-8$/m)
      }))

    it.effect("has no input and no terminal", () =>
      Effect.gen(function*() {
        const { text } = yield* bench
        assert.strictEqual(
          yield* text("shell", { command: "read line; echo \"[$line]\"; test -t 0 || echo none" }),
          "[]\nnone"
        )
      }))

    it.effect("cuts a flood in the middle and keeps all of it in a private file outside the workspace", () =>
      Effect.gen(function*() {
        const { cwd, text } = yield* bench
        const printed = yield* text("shell", { command: "echo first; yes | head -c 50M; echo last" })
        assert.isBelow(printed.length, 34_000)
        assert.match(printed, /^first\ny\ny\n/)
        assert.match(printed, /y\nlast$/)
        const path = /bytes cut here. The full output is in (\S+)\]/.exec(printed)?.[1] ?? ""
        assert.strictEqual(statSync(path).size, 50 * 1024 * 1024 + 11)
        assert.strictEqual(statSync(path).mode & 0o777, 0o600)
        assert.strictEqual(statSync(dirname(path)).mode & 0o777, 0o700)
        assert.isFalse(realpathSync(path).startsWith(cwd))
      }))

    it.effect("keeps at most 64 MiB of a larger flood", () =>
      Effect.gen(function*() {
        const { text } = yield* bench
        const printed = yield* text("shell", { command: "yes | head -c 80M" })
        const path = /The first 67108864 bytes are in (\S+)\]/.exec(printed)?.[1] ?? ""
        assert.strictEqual(statSync(path).size, 64 * 1024 * 1024)
      }))

    it.effect("shows progress while the command runs", () =>
      Effect.gen(function*() {
        const { run } = yield* bench
        const seen = yield* Deferred.make<ReadonlyArray<ToolCallItem>>()
        const fiber = yield* Effect.forkChild(run("shell", { command: "echo working; sleep 60" }, {
          progress: (content) => Effect.asVoid(Deferred.succeed(seen, content))
        }))
        assert.deepStrictEqual(yield* Deferred.await(seen), [
          { type: "output", text: "working\n" }
        ])
        yield* Fiber.interrupt(fiber)
      }))

    it.effect("ends when it is interrupted, although the command ignores SIGTERM and floods", () =>
      Effect.gen(function*() {
        const { run } = yield* bench
        const started = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(run("shell", { command: "trap '' TERM; yes" }, {
          progress: () => Effect.asVoid(Deferred.succeed(started, undefined))
        }))
        yield* Deferred.await(started)
        const exit = yield* Effect.timeout(Effect.andThen(Fiber.interrupt(fiber), Fiber.await(fiber)), "2 seconds")
        assert.isTrue(Exit.hasInterrupts(exit))
      }))

    it.effect("shows people the whole command", () =>
      Effect.gen(function*() {
        const { preview } = yield* bench
        assert.deepStrictEqual(yield* preview("shell", { command: "npm test" }), {
          title: "npm test",
          rawInput: { command: "npm test" }
        })
        const lines = `echo ${"x".repeat(4000)}\n\necho done`
        assert.deepStrictEqual(yield* preview("shell", { command: `${lines}\n` }), {
          title: lines,
          rawInput: { command: `${lines}\n` }
        })
        const long = `echo ${"x".repeat(5000)}`
        const shown = yield* preview("shell", { command: long })
        assert.strictEqual(shown.title, `${long.slice(0, 4095)}…`)
        assert.deepStrictEqual(shown.content, [{ type: "output", text: long }])
      }))
  })

  it.live("removes kept output when the host ends", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(toolbox(), scope)
      const printed = yield* Effect.flatMap(bench, ({ text }) => text("shell", { command: "yes | head -c 100K" })).pipe(
        Effect.provideContext(context)
      )
      const path = /full output is in (\S+)\]/.exec(printed)?.[1] ?? ""
      assert.strictEqual(readFileSync(path).length, 102_400)
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(existsSync(dirname(path)))
    }))
})
