import { describe, expect, it } from "vitest"
import { textLines, unlimited } from "../../src/cli/terminal/ToolCallView.ts"
import { textStyles } from "../../src/cli/terminal/Output.ts"
import { json, oneLine, plain, plainOutput, truncate } from "../../src/cli/terminal/Text.ts"

describe("text for a terminal", () => {
  it("has no escape sequence", () => {
    expect(plain("\u001b[2J\u001b]0;title\u0007\u001bP$q\u001b\\")).toBe("␛[2J␛]0;title␇␛P$q␛\\")
    expect(plain("\u009b31m and \u009d0;x\u009c")).toBe("‹U+009B›31m and ‹U+009D›0;x‹U+009C›")
  })

  it("cannot overwrite what was shown", () => {
    expect(plain("rm -rf /\rls\b\b\u007f")).toBe("rm -rf /␍ls␈␈␡")
    expect(plain("\u0000\u000b\u000c")).toBe("␀␋␌")
  })

  it("has no bidirectional override", () => {
    expect(plain("a\u202eb\u2066c\u200fd")).toBe("a‹U+202E›b‹U+2066›c‹U+200F›d")
  })

  it("keeps tabs, newlines and emoji with joiners, and CRLF as a newline", () => {
    expect(plain("a\tb\r\nc 👩‍💻 ünï")).toBe("a\tb\nc 👩‍💻 ünï")
  })

  it("can be processed piece by piece, as it streams", () => {
    const text = "x\u001b[31my\r\nz\u202e"
    expect(Array.from(text, plain).join("")).toBe(plain(text))
  })

  it("loses only colour codes where it is program output", () => {
    expect(plainOutput("\u001b[1;32mok\u001b[0m \u001b[2K \u001b[38:2:1:2:3mx\u001b[m")).toBe("ok ␛[2K x")
  })

  it("is joined to one line by oneLine", () => {
    expect(oneLine(" a\n  b\n\n c\u001b ")).toBe("a ⏎ b ⏎ c␛")
  })

  it("as JSON has no control character and still parses to the same value", () => {
    const value = { text: "\u001b[0m\u009b1m\u007f\u202e\u2028é" }
    expect(json(value)).toBe("{\"text\":\"\\u001b[0m\\u009b1m\\u007f\\u202e\\u2028é\"}")
    expect(JSON.parse(json(value))).toEqual(value)
  })

  it.each([["\r", "␍"], [" ", " "], ["\t", "\t"], ["\n", "\n"]])(
    "may repeat %j 300,000 times",
    (char, shown) => {
      const run = char.repeat(300_000)
      const visible = shown.repeat(300_000)
      expect(plain(`a${run}b`) === `a${visible}b`).toBe(true)
      expect(plain(`a${run}\n${run}`) === (char === "\r" ? "a\n" : `a${visible}\n${visible}`)).toBe(true)
      expect(oneLine(`${run}a${run}b${run}`) === (char === "\n" ? "a ⏎ b" : `a${visible}b`)).toBe(true)
      expect(oneLine(`a${run}\n${run}b`)).toBe("a ⏎ b")
      expect(textLines(`a${run}b${run}`, unlimited, textStyles(false)).join("\n") === `a${visible}b`).toBe(true)
    }
  )

  it("as JSON is cut off only at 100 levels", () => {
    const deep = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels))
    expect(json({ text: "x", list: deep(500) }, 2)).toBe(`{"text":"x","list":${JSON.stringify(deep(500))}}`)
    const shown = json({ text: "x", list: deep(50_000) })
    expect(shown).toBe(`{"text":"x","list":${"[".repeat(99)}"(nested too deeply to show)"${"]".repeat(99)}}`)
  })

  it("is truncate between characters", () => {
    expect(truncate("abcdef", 4)).toBe("abc…")
    expect(truncate("ab😀cd", 4)).toBe("ab…")
    expect(truncate("abc", 3)).toBe("abc")
  })
})
