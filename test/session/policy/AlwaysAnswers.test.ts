import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as EngineLayer from "../../../src/app/EngineLayer.ts"
import type { Attachment, PermissionRequest } from "../../../src/session/lifecycle/Attachment.ts"
import type { Session } from "../../../src/session/lifecycle/Session.ts"
import * as Migrations from "../../../src/store/Migrations.ts"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import * as Sqlite from "../../../src/store/Sqlite.ts"
import { newSession as sessionRow } from "../../store/Samples.ts"
import { make, newSession, prompt } from "../../support/SessionHarness.ts"
import { temporaryFolder } from "../../support/TemporaryFolder.ts"

/** Answers the first question with always and rejects the others; `asked` has what they were about. */
const always = (asked: Array<PermissionRequest>): Attachment => ({
  publish: () => Effect.void,
  choose: () => Effect.never,
  ask: (request) =>
    Effect.sync(() => asked.push(request) === 1 ? { _tag: "AllowAlways", scope: "session" } : { _tag: "RejectOnce" })
})

const lastCode = Effect.fnUntraced(function*(session: Session, command: string) {
  yield* (yield* prompt(session.sessionId, `run ${command}`)).end
  const { decisions } = yield* (yield* SessionStore).policy.trail(session.sessionId)
  return decisions.at(-1)!.code
})

describe("the rule of an always-allow answer", () => {
  it.live("covers later calls like it, and none that is dangerous", () => {
    const { folder, layer } = make(undefined, { engine: EngineLayer.layer })
    return Effect.gen(function*() {
      const cwd = folder()
      const session = yield* newSession(cwd)
      yield* session.policy.set("tool_approval", "whitelist_accept", "user")
      const asked: Array<PermissionRequest> = []
      session.attach(always(asked))
      assert.strictEqual(yield* lastCode(session, "mkdir made"), "POLICY_ASK")
      assert.deepStrictEqual(asked[0]!.allow, ["shell(mkdir made *)"])
      assert.strictEqual(yield* lastCode(session, "mkdir made inner"), "RULE_ALLOW")
      assert.strictEqual(yield* lastCode(session, "mkdir made -m 4777 opened"), "POLICY_ASK")
      assert.lengthOf(asked, 2)
      assert.isFalse(existsSync(join(cwd, "opened")))
    }).pipe(Effect.provide(layer))
  })

  it.live("is needed for no part that only reads, where reads run", () => {
    const { folder, layer } = make(undefined, { engine: EngineLayer.layer })
    return Effect.gen(function*() {
      const session = yield* newSession(folder())
      yield* session.policy.set("tool_approval", "whitelist_accept", "user")
      const asked: Array<PermissionRequest> = []
      session.attach(always(asked))
      assert.strictEqual(yield* lastCode(session, "mkdir -p made | tail -5"), "POLICY_ASK")
      assert.deepStrictEqual(asked[0]!.allow, ["shell(mkdir *)"])
      for (const command of ["mkdir a | tail -5", "mkdir b && ls b | wc -l", "cat < /dev/null; mkdir c"]) {
        assert.strictEqual(yield* lastCode(session, command), "RULE_ALLOW", command)
      }
      for (
        const command of [
          "mkdir d; cat /srv/x",
          "mkdir d; cat ../x",
          "mkdir d; touch e",
          "mkdir d & ls",
          "ls | xargs mkdir",
          "sh -c 'mkdir d'"
        ]
      ) {
        assert.strictEqual(yield* lastCode(session, command), "POLICY_ASK", command)
      }
      yield* session.policy.set("tool_approval", "manual", "user")
      assert.strictEqual(yield* lastCode(session, "mkdir f | tail -5"), "POLICY_ASK")
      assert.strictEqual(yield* lastCode(session, "mkdir g"), "RULE_ALLOW")
      yield* session.policy.set("tool_approval", "universal_reject", "user")
      assert.strictEqual(yield* lastCode(session, "mkdir h | tail -5"), "POLICY_DENY")
    }).pipe(Effect.provide(layer))
  })

  it.live("of a database of before this version covers no dangerous call either", () =>
    Effect.gen(function*() {
      const file = join(yield* temporaryFolder, "acp-sessions.db")
      yield* Effect.scoped(Effect.gen(function*() {
        const opened = yield* Sqlite.open(file)
        yield* Effect.provide(Migrations.migrate(file, Migrations.sessions.slice(0, 10)), opened)
        const sql = Context.get(opened, SqlClient.SqlClient)
        const { agent, cwd, sessionId } = sessionRow("s")
        yield* sql`INSERT INTO sessions (session_id, agent, cwd, additional_directories, created_at, updated_at)
          VALUES (${sessionId}, ${agent}, ${cwd}, '[]', '2026-01-01', '2026-01-01')`
        for (const list of ["allow", "deny"]) {
          yield* sql`INSERT INTO session_rules (session_id, id, list, rule, at)
            VALUES (${sessionId}, ${list}, ${list}, 'shell(aws s3 *)', '2026-01-01')`
        }
      }))
      const rules = SessionStore.use(({ policy }) => policy.rules("s"))
      assert.deepStrictEqual(yield* Effect.provide(rules, SessionStore.layerOrMemory(file)), [
        { id: "allow", list: "allow", rule: "shell(aws s3 *)", reason: null, guard: true },
        { id: "deny", list: "deny", rule: "shell(aws s3 *)", reason: null }
      ])
    }))
})
