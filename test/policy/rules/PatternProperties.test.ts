import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result } from "effect"
import { alternatives, compile, escaped, textOf as textOfChars } from "../../../src/policy/rules/pattern/Glob.ts"
import * as PathPattern from "../../../src/policy/rules/pattern/PathPattern.ts"
import { parse as parseRule, quoteWord } from "../../../src/policy/rules/Rule.ts"
import { covers, hits, parse } from "../../../src/policy/rules/pattern/TokenPattern.ts"
import { filledLine, line, oneOf, textOf } from "../../support/Arbitraries.ts"
import { place, shell, tools } from "./Ruled.ts"

const word = textOf(["a", "b", "x", "-", "=", "."], { minLength: 1, maxLength: 3 })
const words = Arbitrary.array(filledLine, { minLength: 1, maxLength: 4 })
const pattern = (text: string) => Result.getOrThrow(parse(text))

/** A pattern of `*` and literal characters as a regular expression. */
const regular = (text: string) => new RegExp(`^${text.replace(/[.=-]/g, "\\$&").replaceAll("*", ".*")}$`)

describe("Properties of command patterns", () => {
  it.prop(
    "words that are quoted for a rule match these words and no others",
    { words, other: filledLine },
    ({ other, words }) => {
      const quoted = pattern(words.map(quoteWord).join(" "))
      assert.isTrue(covers(quoted, words))
      assert.isTrue(hits(quoted, words))
      for (const at of words.keys()) {
        const changed = words.with(at, other)
        if (other !== words[at]) assert.isFalse(covers(quoted, changed) || hits(quoted, changed))
      }
      assert.isFalse(covers(quoted, [...words, other]) || covers(quoted, words.slice(0, -1)))
    }
  )

  it.prop(
    "behind = nothing is a wildcard",
    { words: Arbitrary.array(word, { minLength: 1 }), other: word },
    ({ other, words }) => {
      const text = words.map((one) => one.replaceAll("=", "*")).join(" ")
      const exact = pattern(`=${text}`)
      assert.isTrue(covers(exact, text.split(" ")))
      const guessed = text.replaceAll("*", other).split(" ")
      if (guessed.join(" ") !== text) assert.isFalse(covers(exact, guessed))
    }
  )

  it.prop(
    "a trailing * takes any further words, and ** any words anywhere",
    { words, more: Arbitrary.array(line) },
    ({ more, words }) => {
      const quoted = words.map(quoteWord).join(" ")
      assert.isTrue(covers(pattern(`${quoted} *`), [...words, ...more]))
      assert.isTrue(covers(pattern(`** ${quoted}`), [...more, ...words]))
      assert.isTrue(covers(pattern(`${quoted} ** ${quoted}`), [...words, ...more, ...words]))
    }
  )

  it.prop("inside a word * is any text, as a regular expression has it", {
    text: textOf(["a", "b", "*", "-"], { minLength: 2, maxLength: 6 }),
    fill: word,
    isFilled: oneOf(true, false),
    other: word
  }, ({ fill, isFilled, other, text }) => {
    if (/^\*+$/.test(text)) return
    const chosen = isFilled ? text.replaceAll("*", fill) : other
    const expected = regular(text).test(chosen)
    if (isFilled) assert.isTrue(expected)
    assert.strictEqual(covers(pattern(text), [chosen]), expected)
    assert.strictEqual(hits(pattern(text), [chosen]), expected)
    assert.isFalse(covers(pattern(text), [chosen, chosen]))
  })

  it.prop("what an allow rule covers, a deny rule of the same pattern hits", {
    pairs: Arbitrary.array(
      Arbitrary.all({
        part: oneOf("a", "*", "**", "{a,ab}", "a*", "\"a\"", "'*'", "\\a"),
        word: oneOf("a", "ab", "*")
      }),
      { minLength: 1, maxLength: 3 }
    ),
    more: Arbitrary.array(word, { maxLength: 1 })
  }, ({ more, pairs }) => {
    const read = pattern(pairs.map(({ part }) => part).join(" "))
    const words = [...pairs.map(({ word }) => word), ...more]
    if (covers(read, words)) assert.isTrue(hits(read, words))
  }, { arbitrary: { runs: 400 } })

  it.prop(
    "a word that is not literal is matched by * and ** only",
    { words, at: oneOf(0, 1, 2, 3) },
    ({ at, words }) => {
      if (at >= words.length) return
      const unknown = words.map((one, index) => index === at ? null : one)
      const quoted = words.map(quoteWord)
      assert.isFalse(covers(pattern(quoted.join(" ")), unknown))
      assert.isFalse(covers(pattern(quoted.with(at, "*").join(" ") + " end"), [...unknown, "end"]))
      assert.isTrue(covers(pattern(quoted.with(at, "**").join(" ") + " end"), [...unknown, "end"]))
    }
  )
})

describe("Properties of rules", () => {
  it.prop("a rule of quoted words is read, prints itself so that it is read again, and decides its command", {
    words: Arbitrary.array(filledLine, { maxLength: 3 })
  }, ({ words }) => {
    const text = `shell(${["echo", ...words].map(quoteWord).join(" ")})`
    const rule = Result.getOrThrow(parseRule(text, { list: "allow", tools }))
    assert.strictEqual(Result.getOrThrow(parseRule(rule.text, { list: "allow", tools })).text, rule.text)
    const command = ["echo", ...words.map((one) => `'${one.replaceAll("'", "'\\''")}'`)].join(" ")
    assert.strictEqual(shell({ allow: [text] }, command), "allow")
    assert.strictEqual(shell({ deny: [text] }, command), "deny")
    assert.isUndefined(shell({ allow: [text] }, `${command} more`))
  })

  it.prop("any text is a rule or says where it is wrong, and reading throws nothing", [line], ([text]) => {
    for (const written of [text, `shell(${text})`, `read(${text})`, `fetch(${text})`, `mcp(${text})`]) {
      const read = parseRule(written, { list: "deny", tools })
      if (Result.isFailure(read)) assert.isAtMost(read.failure.at, written.length)
    }
  })
})

describe("Properties of globs", () => {
  it.prop("escaped text matches itself and nothing else", { text: line, other: line }, ({ other, text }) => {
    const test = compile(escaped(text.replace(/[\\*?[{}!,]/g, "\\$&")), "file")
    assert.isTrue(test(text))
    assert.strictEqual(test(other), other === text)
  })

  it.prop("* and ? are any text and any character, as a regular expression has them", {
    glob: textOf(["a", "b", "*", "?"]),
    text: textOf(["a", "b", "c"])
  }, ({ glob, text }) => {
    const expected = new RegExp(`^${glob.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(text)
    assert.strictEqual(compile(escaped(glob), "file")(text), expected)
  })

  it.prop("braces stand for each alternative, in order, and for nothing else", {
    start: word,
    groups: Arbitrary.array(Arbitrary.array(word, { minLength: 2, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
    end: word
  }, ({ end, groups, start }) => {
    const text = `${start}${groups.map((group) => `{${group.join(",")}}`).join("")}${end}`
    const expected = groups.reduce<ReadonlyArray<string>>(
      (all, group) => all.flatMap((one) => group.map((choice) => one + choice)),
      [start]
    )
    assert.deepStrictEqual(alternatives(escaped(text))?.map(textOfChars), expected.map((one) => one + end))
  })
})

describe("Properties of path patterns", () => {
  const name = textOf(["a", "b", ".x", "-", " y"], { minLength: 1, maxLength: 3 }).pipe(
    Arbitrary.filter((text) => text.trim() === text)
  )
  const path = Arbitrary.array(name, { minLength: 1, maxLength: 3 })

  it.prop("a path with a leading ./ is that file and all below it, and no other", {
    path,
    below: Arbitrary.array(name, { maxLength: 2 }),
    other: path
  }, ({ below, other, path }) => {
    const pattern = Result.getOrThrow(PathPattern.parse(`./${path.join("/")}`))
    const matches = (names: ReadonlyArray<string>) =>
      PathPattern.matchesPath(pattern, [place.cwd, ...names].join("/"), place)
    assert.isTrue(matches([...path, ...below]))
    assert.strictEqual(matches(other), path.every((one, at) => other[at] === one))
    assert.isFalse(PathPattern.matchesPath(pattern, `/elsewhere/${path.join("/")}`, place))
  })

  it.prop(
    "a name without a slash is found at any depth",
    { before: Arbitrary.array(name), name },
    ({ before, name }) => {
      const pattern = Result.getOrThrow(PathPattern.parse(name))
      assert.isTrue(PathPattern.matchesPath(pattern, [place.cwd, ...before, name].join("/"), place))
    }
  )

  it.prop(
    "** is any number of folders",
    { start: name, middle: Arbitrary.array(name), end: name },
    ({ end, middle, start }) => {
      const pattern = Result.getOrThrow(PathPattern.parse(`./${start}/**/${end}`))
      assert.isTrue(PathPattern.matchesPath(pattern, [place.cwd, start, ...middle, end].join("/"), place))
    }
  )
})
