import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SessionEvent } from "../../../src/domain/SessionEvent.ts"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import { make as makeHarness, newSession, prompt } from "../../support/SessionHarness.ts"
import { type Answer, make, told } from "../../support/ScriptedModel.ts"

interface Talk {
  readonly say: (text: string) => Effect.Effect<string, unknown, Effect.Services<ReturnType<typeof prompt>>>
  readonly session: Effect.Success<ReturnType<typeof newSession>>
  readonly events: ReadonlyArray<SessionEvent>
  readonly requests: ReturnType<typeof make>["requests"]
  readonly broken: ReturnType<typeof makeHarness>["broken"]
}

const talk = (
  name: string,
  body: (talk: Talk) => Effect.Effect<void, unknown, Effect.Services<ReturnType<typeof newSession>> | SessionStore>,
  answers: ReadonlyArray<Answer> = [],
  prepare: (home: string) => void = () => {}
) =>
  it.live(name, () => {
    const { engine, requests } = make(answers)
    const harness = makeHarness({}, { engine })
    prepare(harness.home)
    return Effect.gen(function*() {
      const session = yield* newSession()
      const events: Array<SessionEvent> = []
      session.attach({
        publish: (event) => Effect.sync(() => void events.push(event)),
        ask: () => Effect.never,
        choose: () => Effect.never
      })
      const say = (text: string) =>
        Effect.flatMap(prompt(session.sessionId, text), ({ end }) => Effect.map(end, ({ text }) => text))
      yield* body({ say, session, events, requests, broken: harness.broken })
    }).pipe(Effect.provide(harness.layer))
  })

const skill = (home: string) => {
  const folder = join(home, "agents/default/workspace/skills/ship")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "SKILL.md"), "---\nname: ship\ndescription: How to ship\n---\nFirst tag, then push.")
}

describe("A slash command", () => {
  talk(
    "is answered without the model, appears in the transcript, and stays out of the context",
    Effect.fnUntraced(function*({ requests, say, session }) {
      assert.match(yield* say("/help"), /`\/compact \[what matters most\]`: Replace/)
      assert.lengthOf(requests, 0)
      yield* say("hello")
      assert.deepStrictEqual(told(requests[0]!), ["user: hello"])
      const store = yield* SessionStore
      assert.deepStrictEqual((yield* store.transcript(session.sessionId)).map(({ _tag }) => _tag), [
        "User",
        "Agent",
        "User",
        "Agent"
      ])
    })
  )

  talk(
    "that does not exist is sent to the model as a prompt",
    Effect.fnUntraced(function*({ requests, say }) {
      yield* say("/etc/hosts is wrong")
      yield* say("/unknown thing")
      assert.deepStrictEqual(requests.map((request) => told(request).at(-1)), [
        "user: /etc/hosts is wrong",
        "user: /unknown thing"
      ])
    })
  )

  talk(
    "/status and /context say what the session is and holds",
    Effect.fnUntraced(function*({ say, session }) {
      yield* say("fix the build")
      const status = yield* say("/status")
      for (
        const part of [
          "fix the build",
          session.sessionId,
          "test/scripted",
          session.workspace.cwd,
          "Work mode aw",
          "1,250 of 200,000 tokens (1 %)"
        ]
      ) {
        assert.include(status, part)
      }
      assert.match(yield* say("/context"), /In all: 1,2\d\d of 200,000 tokens .+ in 2 messages, 1 turns/s)
    }),
    [{ text: "ok", usage: { input: 1_200, output: 50 } }]
  )

  talk(
    "/mode and /policy show and set the policy",
    Effect.fnUntraced(function*({ events, say, session }) {
      assert.include(yield* say("/mode"), "The Work mode is `aw`")
      assert.include(yield* say("/mode ro"), "`work_mode` is `ro` now")
      assert.strictEqual(session.policy.settings().values.work_mode, "ro")
      assert.isTrue(events.some(({ _tag }) => _tag === "PolicyChanged"))
      assert.include(yield* say("/policy network off"), "`network` is `off` now")
      assert.match(yield* say("/policy"), /\| `network` \| `off` \| session \|/)
      assert.include(
        yield* say("/mode wild"),
        "That was not done: \"wild\" is no value of work_mode; it must be one of chat, ro, pl, sw, aw"
      )
    })
  )

  talk(
    "/model shows and sets the model",
    Effect.fnUntraced(function*({ say, session }) {
      assert.include(yield* say("/model"), "The model is `offline/builtin`")
      assert.include(yield* say("/model nowhere/x"), "That was not done")
      assert.include(yield* say("/model offline/other"), "The model is `offline/other` now")
      assert.strictEqual(session.model.model(), "offline/other")
    })
  )

  talk(
    "/rules lists, adds and removes rules of the session",
    Effect.fnUntraced(function*({ say, session }) {
      assert.include(yield* say("/rules"), "There are no rules")
      const [, id] = /Rule `(.+?)` of this session/.exec(yield* say("/rules deny shell(rm *)")) ?? []
      assert.include(yield* say("/rules"), `| \`${id}\` | deny | \`shell(rm *)\` | session |`)
      assert.include(yield* say("/rules allow shell(((("), "That was not done")
      yield* say(`/rules remove ${id}`)
      assert.deepStrictEqual((yield* session.policy.source).session, [])
    })
  )

  talk(
    "/plan shows the plan, and with a task plans it in Work mode pl",
    Effect.fnUntraced(function*({ requests, say, session }) {
      assert.include(yield* say("/plan"), "There is no plan yet")
      yield* say("go")
      assert.strictEqual(yield* say("/plan"), "- [x] look\n- [ ] fix")
      yield* say("/plan rewrite it")
      assert.strictEqual(session.policy.settings().values.work_mode, "pl")
      assert.match(told(requests.at(-1)!).at(-1)!, /^user: Make a plan for this.+rewrite it$/s)
    }),
    [{
      calls: [{
        name: "TodoWrite",
        params: { todos: [{ content: "look", status: "completed" }, { content: "fix", status: "pending" }] }
      }]
    }]
  )

  talk(
    "/compact puts a summary with the wanted focus in the place of the context",
    Effect.fnUntraced(function*({ events, requests, say }) {
      assert.include(yield* say("/compact"), "That was not done: there is nothing to summarise")
      yield* say("hello")
      assert.strictEqual(yield* say("/compact the tests"), "")
      assert.include(told(requests[1]!).at(-1)!, "Above all keep what concerns this: the tests")
      yield* say("on")
      assert.deepStrictEqual(told(requests[2]!), [
        "user: [Earlier in this session]\nShort.",
        "assistant: I go on from there.",
        "user: on"
      ])
      assert.strictEqual(
        events.filter((event) => event._tag === "CompactionChanged" && event.compaction.status === "completed").length,
        1
      )
    }),
    [{ text: "hi" }, { text: "Short." }]
  )

  talk(
    "/new makes the model forget, and only the model",
    Effect.fnUntraced(function*({ broken, requests, say, session }) {
      yield* say("hello")
      broken.add("checkpoint")
      assert.include(yield* say("/new"), "That was not done: The disk is full")
      broken.delete("checkpoint")
      yield* say("still there?")
      assert.deepStrictEqual(told(requests[1]!), ["user: hello", "assistant: done", "user: still there?"])
      yield* say("/new")
      yield* say("fresh")
      assert.deepStrictEqual(told(requests[2]!), ["user: fresh"])
      assert.include(JSON.stringify(yield* (yield* SessionStore).transcript(session.sessionId)), "still there?")
    })
  )

  talk(
    "of a skill becomes its instructions and the task",
    Effect.fnUntraced(function*({ requests, say, session }) {
      assert.include(yield* say("/help"), "`/ship [what to do]`: How to ship")
      yield* say("/ship version 2")
      assert.match(
        told(requests[0]!).at(-1)!,
        /<skill name="ship">\nFirst tag, then push\.\n<\/skill>\n\nThe task: version 2$/
      )
      assert.strictEqual(session.record().title, "/ship version 2")
    }),
    [],
    skill
  )
})

describe("The title of a session", () => {
  talk(
    "comes from the first prompt that is about work, as soon as it is sent",
    Effect.fnUntraced(function*({ events, say, session }) {
      yield* say("/status")
      assert.isNull(session.record().title)
      yield* say("Fix the build\nand the tests")
      yield* say("Something else")
      assert.strictEqual(session.record().title, "Fix the build")
      const first = events.findIndex((event) => event._tag === "InfoChanged" && event.title === "Fix the build")
      assert.isBelow(first, events.findIndex((event) => event._tag === "Delta" && event.text === "done"))
    })
  )

  talk(
    "stays the one the user gave",
    Effect.fnUntraced(function*({ events, say, session }) {
      assert.strictEqual(yield* session.rename("Mine"), "Mine")
      yield* say("Fix the build")
      assert.strictEqual(session.record().title, "Mine")
      assert.deepInclude(events[0], { _tag: "InfoChanged", title: "Mine" })
    })
  )
})
