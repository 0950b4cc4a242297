import { describe, expect, it } from "vitest"
import { shell } from "../rules/Ruled.ts"
import { analysed, read } from "./Analysed.ts"

/** Commands whose options and settings force a push, empty a folder, or send a secret, and harmless ones. */
const sets = read<string>("options.json") as unknown as Readonly<Record<"asked" | "run", ReadonlyArray<string>>>

const isAsked = (command: string): boolean => {
  const { opaque, shapes } = analysed(command)
  return opaque || shapes.length > 0
}

describe("what an option or a setting does", () => {
  it.each(sets.asked)("is asked about: %s", (command) => expect(isAsked(command)).toBe(true))

  it.each(sets.run)("is harmless: %s", (command) => expect(isAsked(command)).toBe(false))

  it.each([
    "git -c remote.origin.push=+main push",
    "git -c remote.origin.push=+main push origin",
    "git -c remote.o.mirror=true push o",
    "git -c remote.o.mirror push o"
  ])("is seen by a deny rule about forced pushes: %s", (command) => {
    expect(shell({ deny: ["shell(git push ** --force **)"] }, command)).toBe("deny")
  })
})
