import { Effect } from "effect"
import { MemoryStore } from "../../src/store/MemoryStore.ts"

// A second process on an agent's memory: `node MemoryWorker.ts <folder> <name>` stores 30 entries of its own and one that all share.
const [, , folder = "", name = ""] = process.argv

await Effect.runPromise(
  MemoryStore.use(({ of }) => of("main")).pipe(
    Effect.flatMap((memory) =>
      Effect.forEach(Array.from({ length: 30 }, (_, n) => n), (n) =>
        Effect.andThen(
          memory.store({ key: `${name}${n}`, content: `walrus ${name} ${n}`, category: "core" }),
          memory.store({ key: "shared", content: `from ${name}`, category: "core" })
        ))
    ),
    Effect.provide(MemoryStore.layer(folder))
  )
)
