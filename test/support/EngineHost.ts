import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Layer } from "effect"
import * as EngineLayer from "../../src/app/EngineLayer.ts"
import { textsOf } from "../../src/domain/Content.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { Environment } from "../../src/platform/Environment.ts"
import { unconfined } from "./Bubblewrap.ts"
import { folder, make, newSession, prompt } from "./SessionHarness.ts"

/** A session with the real engine and a configuration of its own; `say` gives what each call of a script came to. */
export const host = (config: (outside: string) => string, variables: Readonly<Record<string, string>> = {}) => {
  const engine = EngineLayer.layer.pipe(Layer.provide(Layer.succeed(Environment, { ...process.env, ...variables })))
  const cwd = folder()
  const outside = folder()
  const text = config(outside)
  const { home, layer } = make(text.includes("sandbox") ? {} : unconfined, { engine })
  const put = (path: string, content: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  writeFileSync(join(home, "config.toml"), text)
  const say = (...script: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const { sessionId } = yield* newSession(cwd)
      yield* (yield* prompt(sessionId, script.join("\n"))).end
      const { transcript } = yield* SessionStore
      return (yield* transcript(sessionId)).flatMap((entry) =>
        entry._tag === "ToolCall"
          ? [`${entry.call.status} ${entry.call.content.map((one) => textsOf([one])[0] ?? one.type).join("\n")}`]
          : []
      )
    })
  return { cwd, home, outside, put, say, layer }
}
