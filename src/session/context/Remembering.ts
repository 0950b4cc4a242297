import { Clock, Effect, Option } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { type Memory, MemoryStore } from "../../store/MemoryStore.ts"
import * as MemoryTools from "../../tool/memory/MemoryTools.ts"
import type { SessionTools } from "../../tool/SessionTools.ts"
import type { AnyTool } from "../../tool/Tool.ts"
import { newId } from "../../domain/Id.ts"
import * as Recollection from "./Recollection.ts"
import type { TurnInput } from "../turn/TurnLoop.ts"

/** The tools of a session and the memory's after them; the same map while the session's are the same. */
const joined = (tools: SessionTools, memory: ReadonlyMap<string, AnyTool>): SessionTools => {
  let own: ReadonlyMap<string, AnyTool> | undefined
  let all = memory
  return {
    ...tools,
    current: () => {
      if (own === tools.current()) return all
      own = tools.current()
      all = own.size === 0 ? memory : new Map([...own, ...memory])
      return all
    }
  }
}

/** A memory that cannot be used is no reason for a turn to fail, or to wait. */
const harmless = <A, E extends { readonly message: string }>(
  effect: Effect.Effect<A, E>
): Effect.Effect<Option.Option<A>> =>
  effect.pipe(
    Effect.tapError(({ message }) => Effect.logWarning(`the memory is left out: ${message}`)),
    Effect.option,
    Effect.timeoutOption("2 seconds"),
    Effect.map(Option.flatten)
  )

/**
 * Chat sessions of a process that has a `MemoryStore` remember: they get the memory tools, what is worth recalling before their
 * prompts, and keep what their users say. ACP sessions never do, on whatever path they became active (spec §4): this asks each turn
 * for the mode of its session, and nothing else gives tools or text of the memory to anybody. What a session remembers is its owner's: one
 * person's words are recalled in nobody else's sessions, the operator's included, whose tools do more.
 */
export const make = Effect.gen(function*() {
  const store = yield* Effect.serviceOption(MemoryStore)
  const live = yield* LiveSettings
  const sessions = new WeakMap<
    TurnInput["workspace"],
    { readonly of: SessionTools; readonly memory: Memory; readonly tools: SessionTools }
  >()

  const toolsOf = ({ sessionId, tools, workspace }: TurnInput, memory: Memory): SessionTools => {
    const known = sessions.get(workspace)
    if (known?.of === tools && known.memory === memory) return known.tools
    const made = { of: tools, memory, tools: joined(tools, MemoryTools.make(memory, sessionId)) }
    sessions.set(workspace, made)
    return made.tools
  }

  const recalled = Effect.fnUntraced(function*({ prompt, sessionId }: TurnInput, memory: Memory) {
    const found = yield* memory.search(prompt, { limit: Recollection.searched * 4 })
    const now = yield* Clock.currentTimeMillis
    return Recollection.block(found, { least: live.last().memory.minRelevance, now, sessionId })
  })

  const save = ({ prompt, sessionId }: TurnInput, memory: Memory) => {
    const content = live.last().memory.autoSave ? Recollection.worthSaving(prompt) : undefined
    return content === undefined
      ? Effect.void
      : memory.store({ key: Recollection.savedAs(newId()), content, category: "conversation", sessionId })
  }

  /** A turn as its model shall have it. */
  return Effect.fnUntraced(function*(input: TurnInput) {
    const excluded = input.mode !== "chat" || input.record.excludesMemory || input.overrides.excludeMemory === true
    if (excluded || Option.isNone(store)) return input
    const opened = yield* harmless(store.value.of(input.agent, { owner: input.record.owner }))
    if (Option.isNone(opened)) return input
    const memory = opened.value
    const context = yield* harmless(recalled(input, memory))
    yield* harmless(save(input, memory))
    return { ...input, tools: toolsOf(input, memory), prompt: Option.getOrElse(context, () => "") + input.prompt }
  })
})
