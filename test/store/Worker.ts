import { Effect } from "effect"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { agent, newSession, toolCall, user } from "./Samples.ts"

// A second process on a store's file: `node Worker.ts <file> <job> [argument]`. It says on stdout how far it got.
const [, , file = "", job = "", argument = ""] = process.argv

const say = (text: string) => Effect.sync(() => console.log(text))

const jobs: Record<string, (store: SessionStore["Service"]) => Effect.Effect<unknown, unknown>> = {
  /** Creates 50 sessions. */
  create: (store) =>
    Effect.forEach(Array.from({ length: 50 }, (_, n) => `${argument}${n}`), (id) => store.create(newSession(id))),

  /** Opens the stored session and keeps it open. */
  open: Effect.fnUntraced(function*(store) {
    yield* store.setRoots("s", "/work", [])
    yield* say("open")
    return yield* Effect.never
  }),

  /** Holds a turn open. */
  hold: Effect.fnUntraced(function*(store) {
    const { turn, position } = yield* store.beginTurn("s", user("from afar"))
    yield* store.checkpoint("s", turn, {
      rows: [{ position, entry: toolCall("t", "in_progress") }],
      context: "[\"from afar\"]"
    })
    yield* say("holding")
    return yield* Effect.never
  }),

  /** Turn after turn, until it is killed. */
  turns: Effect.fnUntraced(function*(store) {
    for (;;) {
      const { turn, position } = yield* store.beginTurn("s", user("q"))
      yield* say(`begun ${turn}`)
      for (let step = 0; step < 3; step++) {
        const text = agent("x".repeat(step * 5000))
        const rows = [{ position, entry: toolCall(`${turn}`, "in_progress") }, { position: position + 1, entry: text }]
        yield* store.checkpoint("s", turn, { rows, context: `[${turn},"partial"]` })
        yield* say(`saved ${turn}`)
      }
      yield* store.commitTurn("s", turn, {
        rows: [
          { position, entry: toolCall(`${turn}`, "completed") },
          { position: position + 1, entry: agent(`answer ${turn}`) }
        ],
        context: `[${turn}]`,
        outcome: "end_turn",
        title: `turn ${turn}`
      })
      yield* say(`committed ${turn}`)
    }
  })
}

const work = jobs[job]
if (work === undefined) throw new Error(`no job ${job}`)
await Effect.runPromise(Effect.provide(SessionStore.use(work), SessionStore.layer(file)))
