import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { PassThrough } from "node:stream"
import * as PermissionPrompt from "../../src/cli/client/PermissionPrompt.ts"
import * as Keyboard from "../../src/cli/terminal/Keyboard.ts"
import { textStyles } from "../../src/cli/terminal/Output.ts"

const offer = (optionId: string, kind: string): PermissionPrompt.PermissionOffer => ({ optionId, kind, name: optionId })
const four = [
  offer("1", "allow_once"),
  offer("2", "allow_always"),
  offer("3", "reject_once"),
  offer("4", "reject_always")
]
const chosen = (optionId: string) => ({ outcome: "selected", optionId })

describe("the answer to a permission request", () => {
  it.each([
    ["y", "1"],
    ["YES", "1"],
    [" a ", "2"],
    ["always", "2"],
    ["n", "3"],
    ["no", "3"],
    ["v", "4"],
    ["never", "4"],
    ["2", "2"]
  ])("%j chooses option %s", (said, optionId) => {
    expect(PermissionPrompt.read(four, said)).toEqual(chosen(optionId))
  })

  it.each(["", "  ", "ok", "yn", "1y", "allow"])("%j chooses nothing", (said) => {
    expect(PermissionPrompt.read(four, said)).toBeUndefined()
  })

  it("never allows more than was typed", () => {
    expect(PermissionPrompt.read([offer("x", "allow_always"), offer("z", "reject_once")], "y")).toBeUndefined()
  })

  it("numbers several options of one kind", () => {
    const many = [
      offer("edit", "allow_always"),
      offer("all", "allow_always"),
      offer("no", "reject_once"),
      offer("odd", "reject-with-edit")
    ]
    expect(PermissionPrompt.read(many, "a")).toBeUndefined()
    expect(PermissionPrompt.read(many, "2")).toEqual(chosen("all"))
    expect(PermissionPrompt.read(many, "4")).toEqual(chosen("odd"))
    expect(PermissionPrompt.choices(many, textStyles(false))).toBe("  1  edit\n  2  all\n  n  no\n  4  odd\n")
  })

  it("has the scope that the user chooses, if the agent offers several", () => {
    const scopes = [{ scope: "session", name: "here" }, { scope: "workspace", name: "everywhere here" }]
    const scoped = [
      ...four.slice(0, 1),
      { ...four[1]!, name: "here", _meta: { postern: { scopes } } },
      ...four.slice(2)
    ]
    expect(PermissionPrompt.choices(scoped, textStyles(false))).toBe(
      "  y  1\n  a  here\n  w  everywhere here\n  n  3\n  v  4\n"
    )
    expect(PermissionPrompt.read(scoped, "a")).toEqual(chosen("2"))
    expect(PermissionPrompt.read(scoped, "w")).toEqual({ ...chosen("2"), _meta: { postern: { scope: "workspace" } } })
  })

  it("depends on the shown keys, not on the ids of the options", () => {
    const lying = [offer("n", "allow_always"), offer("yes", "reject_once"), offer("always", "constructor")]
    expect(PermissionPrompt.choices(lying, textStyles(false))).toBe("  a  n\n  n  yes\n  3  always\n")
    expect(PermissionPrompt.read(lying, "n")).toEqual(chosen("yes"))
    expect(PermissionPrompt.read(lying, "a")).toEqual(chosen("n"))
    expect(PermissionPrompt.read(lying, "yes")).toBeUndefined()
    expect(PermissionPrompt.read(lying, "always")).toEqual(chosen("n"))
    expect(PermissionPrompt.read([offer("n", "allow_always")], "n")).toEqual({ outcome: "cancelled" })
    expect(PermissionPrompt.read([offer("", "allow_always"), offer("1", "x")], "")).toBeUndefined()
  })

  it("can be the full id of an option", () => {
    const ids = [offer("allow-once", "allow_once"), offer("reject-once", "reject_once")]
    expect(PermissionPrompt.read(ids, "reject-once")).toEqual(chosen("reject-once"))
    expect(PermissionPrompt.read(ids, "Allow-Once")).toBeUndefined()
  })

  it("can be \"no\" even where that is not offered", () => {
    expect(PermissionPrompt.read([offer("1", "allow_once")], "no")).toEqual({ outcome: "cancelled" })
  })

  it("without a terminal rejects once", () => {
    expect(PermissionPrompt.rejection(four)).toEqual(chosen("3"))
    expect(PermissionPrompt.rejection([offer("1", "allow_once"), offer("4", "reject_always")])).toEqual(chosen("4"))
    expect(PermissionPrompt.rejection([offer("1", "allow_once")])).toEqual({ outcome: "cancelled" })
  })

  it("to a question is the number of a choice, or cancelled without a terminal", () => {
    const question = [offer("choice-0", "allow_once"), offer("choice-1", "reject_once")]
    expect(PermissionPrompt.choices(question, textStyles(false))).toBe("  1  choice-0\n  2  choice-1\n")
    expect(PermissionPrompt.read(question, "2")).toEqual(chosen("choice-1"))
    expect(["y", "n", "no"].map((said) => PermissionPrompt.read(question, said))).toEqual([
      undefined,
      undefined,
      undefined
    ])
    expect(PermissionPrompt.rejection(question)).toEqual({ outcome: "cancelled" })
  })

  /** A terminal whose keys come in the given order, each group when the program reads. */
  const answering = Effect.fnUntraced(function*(keys: ReadonlyArray<string>, lines: Array<string | undefined> = []) {
    const stdin = new PassThrough()
    const output = new PassThrough()
    const keyboard = yield* Keyboard.make(stdin, output)
    const written: Array<string> = []
    const interrupts: Array<string> = []
    const typed = [...keys]
    const ask = PermissionPrompt.make({
      editor: {
        prompt: () => Effect.die("not asked here"),
        ask: (text, label) =>
          Effect.sync(() => {
            written.push(text + label)
            return lines.shift()
          })
      },
      keyboard: {
        ...keyboard,
        quiet: Effect.andThen(Effect.sync(() => void stdin.write(typed.shift() ?? "")), Effect.sleep("20 millis"))
      },
      screen: {
        lost: () => {},
        showing: (lines, use) =>
          Effect.suspend(() => {
            written.push(lines().join("\n"))
            setImmediate(() => stdin.write(typed.shift() ?? ""))
            return use(() => {})
          })
      },
      write: (text) => void written.push(text),
      animate: true,
      wrap: (line) => [line],
      styles: textStyles(false),
      interrupt: () => void interrupts.push("stop")
    })
    return { ask, written, interrupts }
  })

  it.live("is one key, and none that was typed before the choices were shown", () =>
    Effect.gen(function*() {
      const { ask, written } = yield* answering(["a", "xqY"])
      expect(yield* ask("? Run\n", four)).toEqual({ _tag: "Chosen", choice: chosen("1"), name: "1" })
      expect(written).toEqual([
        "? Run\n",
        "  y  1\n  a  2\n  n  3\n  v  4\n  d  No, and tell it what to do instead\n[y/a/n/v/d] ",
        "  → 1\n"
      ])
    }))

  it.live("can be what to do instead", () =>
    Effect.gen(function*() {
      const { ask } = yield* answering(["", "d"], ["  use the other file "])
      expect(yield* ask("? Run\n", four)).toEqual({ _tag: "Instead", text: "use the other file" })
      const without = yield* answering(["", "d"], [undefined])
      expect(yield* without.ask("? Run\n", four)).toEqual({ _tag: "Chosen", choice: chosen("3"), name: "no" })
    }))

  it.live("rejects at Ctrl-D, and stops the turn at Escape and Ctrl-C", () =>
    Effect.gen(function*() {
      const { ask, interrupts } = yield* answering(["", "\u0003\u0004"])
      expect(yield* ask("?", four)).toMatchObject({ choice: chosen("3") })
      expect(interrupts).toEqual(["stop"])
    }))

  it.live("to a question may be the text of a choice, or its beginning", () =>
    Effect.gen(function*() {
      const question = [
        { ...offer("choice-0", "allow_once"), name: "Red" },
        { ...offer("choice-1", "reject_once"), name: "Green" }
      ]
      const { ask, written } = yield* answering([], ["blue", "gr"])
      expect(yield* ask("? Which\n", question)).toMatchObject({ choice: chosen("choice-1") })
      expect(written).toEqual(["? Which\n  1  Red\n  2  Green\nnumber or text: ", "number or text: "])
    }))
})
