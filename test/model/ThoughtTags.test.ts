import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import { either } from "../support/Arbitraries.ts"
import { type TaggedText, ThoughtTags } from "../../src/model/ThoughtTags.ts"

interface Split {
  readonly thought: string
  readonly said: string
}

/** What stays of an answer in a history. */
const keptOf = (found: ReadonlyArray<TaggedText>): Split =>
  found.reduce<Split>(({ said, thought }, one) => {
    if (one === "retract") return { thought: thought + said, said: "" }
    const [kind, text] = one
    return kind === "text" ? { thought, said: said + text } : { thought: thought + text, said }
  }, { thought: "", said: "" })

const split = (pieces: ReadonlyArray<string>, opensUntagged = false): Split => {
  const tags = new ThoughtTags(opensUntagged)
  return keptOf([...pieces.flatMap((piece) => tags.split(piece)), ...tags.rest()])
}

const cases: ReadonlyArray<readonly [text: string, thought: string, said: string]> = [
  ...["think", "thinking", "thought", "reasoning", "THINK", "Think", "seed:think"].map((name) =>
    [`<${name}>hm</${name}>yes`, "hm", "yes"] as const
  ),
  ["[THINK]hm[/THINK]yes", "hm", "yes"],
  ["◁think▷hm◁/think▷yes", "hm", "yes"],
  ["<|begin_of_thought|>hm<|end_of_thought|>yes", "hm", "yes"],
  ["\n\n<think>\nhm</think>\n\nyes", "hm", "yes"],
  ["<think lang=\"en\">hm</think>yes", "hm", "yes"],
  ["<think>hm</thinking>yes", "hm", "yes"],
  ["<think><think>hm</think>yes", "hm", "yes"],
  ["<think><think>hm</think></think>yes", "hm", "yes"],
  ["<think>a <thinking>b</thinking> c</think>yes", "a <thinking>b</thinking> c", "yes"],
  ["<think>a <think>b</think> c</think>yes", "a <think>bc", "yes"],
  ["<think>\n\n</think>\n\nyes", "", "yes"],
  ["<think>a</think>so<think>b</think>yes", "ab", "soyes"],
  ["first\n<think>hm</think>yes", "hm", "first\nyes"],
  ["hm</think>yes", "hm", "yes"],
  ["hm[/THINK]yes", "hm", "yes"],
  ["<think>hm", "hm", ""],
  ["use `<think>` and `</think>`", "", "use `<think>` and `</think>`"],
  ["1 < 2 and </ or [x] <b>bold</b> <thinker>", "", "1 < 2 and </ or [x] <b>bold</b> <thinker>"],
  ["the <think> tag ends with </think> there", "", "the <think> tag ends with </think> there"],
  ["a <", "", "a <"],
  ["<thi", "", "<thi"]
]

describe("A text with tags of thoughts", () => {
  for (const [text, thought, said] of cases) {
    it(`has its thoughts apart: ${JSON.stringify(text)}`, () =>
      assert.deepStrictEqual(split([text]), { thought, said }))

    it(`is the same in single characters: ${JSON.stringify(text)}`, () =>
      assert.deepStrictEqual(split(Array.from(text)), { thought, said }))
  }

  it("may open with a tag where answers before had none", () => {
    assert.deepStrictEqual(split(["<think>hm</think>yes"], true), { thought: "hm", said: "yes" })
    assert.deepStrictEqual(split(["hm</think>yes"], true), { thought: "hm", said: "yes" })
    assert.deepStrictEqual(split(["yes"], true), { thought: "yes", said: "yes" })
  })

  const token = either(
    ...["<think>", "</think>", "<thinking>", "</thinking>", "[THINK]", "[/THINK]", "<", "`", "\n", "a", " b "]
      .map((one) => Arbitrary.Constant(one))
  )

  it.prop(
    "is split alike however it is cut",
    { tokens: Arbitrary.array(token, { maxLength: 12 }) },
    ({ tokens }) => assert.deepStrictEqual(split(Array.from(tokens.join(""))), split([tokens.join("")])),
    { arbitrary: { runs: 2000 } }
  )
})
