import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { RuleLayer } from "../../../src/policy/rules/RuleSet.ts"
import { decodeText } from "../../../src/policy/rules/source/RulesFile.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"
import { place, tools } from "./Ruled.ts"

const decode = (text: string, layer: RuleLayer = "project") =>
  decodeText("rules.toml", text, layer, { place, tools, analyse })
const complaint = (text: string, layer?: RuleLayer) => Result.getOrThrow(Result.flip(decode(text, layer))).message

describe("The knobs in a project's file", () => {
  it("stand next to its rules", () => {
    const { entries, settings } = Result.getOrThrow(
      decode("deny = [\"shell\"]\n[policy]\nnetwork = \"off\"\nsandbox = \"read-only\"")
    )
    assert.deepStrictEqual([entries.length, settings], [1, { network: "off", sandbox: "read-only" }])
  })

  it("fail the file where one cannot be used", () => {
    assert.strictEqual(
      complaint("[policy]\nnetwork = \"maybe\""),
      "rules.toml: [policy]: network must be one of on, off, not \"maybe\""
    )
    assert.match(
      complaint("[policy]\nlevel = \"full\""),
      /^rules\.toml: \[policy\]: "level" is no knob; the knobs are work_mode, network/
    )
    assert.match(complaint("policy = 1"), /\[policy\]: must be a table of knobs/)
    assert.match(complaint("[policy]\nnetwork = \"off\"", "managed"), /^rules\.toml: "policy" is no list of rules/)
  })
})
