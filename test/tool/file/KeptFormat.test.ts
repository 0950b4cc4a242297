import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, linkSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { keep } from "../../../src/tool/file/LineEnds.ts"
import * as TextEncoding from "../../../src/tool/file/TextEncoding.ts"
import { replaceAll } from "../../../src/tool/file/FileEdit.ts"
import { lines, oneOf } from "../../support/Arbitraries.ts"
import { bench, toolbox } from "../Call.ts"

const edited = (text: string, ...edits: ReadonlyArray<readonly [string, string]>) => {
  const found = replaceAll(text, edits.map(([oldText, newText]) => ({ oldText, newText })), "f")
  return found._tag === "Success" ? found.success.text : found.failure
}

const utf16 = (text: string, order: "le" | "be") => {
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le")
  return order === "le" ? bytes : bytes.swap16()
}

describe("Line ends of an edit", () => {
  it("are not compared, and untouched ones stay", () => {
    const mixed = "one\r\ntwo\r\nthree\nfour\r\n"
    const cases: ReadonlyArray<readonly [string, string, string, string]> = [
      [mixed, "one\ntwo", "1\n2", "1\r\n2\r\nthree\nfour\r\n"],
      [mixed, "two\nthree", "two\nand\nthree", "one\r\ntwo\r\nand\r\nthree\nfour\r\n"],
      [mixed, "three\r\nfour", "3\r\n4", "one\r\ntwo\r\n3\n4\r\n"],
      [mixed, "three", "3a\n3b", "one\r\ntwo\r\n3a\n3b\nfour\r\n"],
      [mixed, "one", "zero\none", "zero\r\none\r\ntwo\r\nthree\nfour\r\n"],
      [mixed, "three\nfour\n", "", "one\r\ntwo\r\n"],
      [mixed, "two\nthree\n", "three\n", "one\r\nthree\nfour\r\n"],
      ["a\r\nb", "b", "b\nc", "a\r\nb\r\nc"],
      ["a\nb\r\nc\n", "a\nb\nc\n", "a\nx\nb\nc\nd\n", "a\nx\nb\r\nc\nd\n"],
      ["a\rb\rc\r", "a\nb", "a\nx\nb", "a\rx\rb\rc\r"],
      ["only", "only", "on\r\nly", "on\r\nly"],
      ["progress\rdone\nnext\n", "next", "then", "progress\rdone\nthen\n"]
    ]
    for (const [text, oldText, newText, expected] of cases) {
      assert.strictEqual(edited(text, [oldText, newText]), expected, JSON.stringify([text, oldText, newText]))
    }
  })

  it("change where an edit changes nothing else", () => {
    assert.strictEqual(edited("a\r\nb\r\nc\n", ["a\r\nb", "a\nb"]), "a\nb\r\nc\n")
  })

  it("do not make two passages one", () => {
    assert.match(edited("a\r\nb\nx\na\nb\n", ["a\nb", "c"]), /found 2 times in f \(lines 1, 4\)/)
  })

  it.prop("an edit of one line leaves every other byte", {
    texts: Arbitrary.array(Arbitrary.all([oneOf("a", "b", "", "  c"), oneOf("\n", "\r\n")]), { maxLength: 20 }),
    at: oneOf(0, 1, 2, 5)
  }, ({ at, texts }) => {
    const rows = texts.map(([text, end]) => `${text}${end}`)
    rows.splice(at, 0, "needle\r\n")
    assert.strictEqual(edited(rows.join(""), ["needle", "pin"]), rows.join("").replace("needle", "pin"))
  })

  it.prop("a whole text that says nothing new changes nothing", [lines], ([text]) => {
    const folded = text.includes("\n") ? text.replaceAll("\r\n", "\n") : text.replaceAll("\r", "\n")
    if (!folded.includes("\r")) assert.strictEqual(keep(text, folded), text)
  })

  it("of a large file with mixed ends stay through a new whole text", () => {
    const rows = Array.from({ length: 5000 }, (_, line) => `line ${line}${line % 3 === 0 ? "\r\n" : "\n"}`)
    const old = rows.join("")
    const written = `first\n${old.replaceAll("\r\n", "\n").replace("line 2500\n", "middle\n")}last\n`
    assert.strictEqual(keep(old, written), `first\r\n${old.replace("line 2500", "middle")}last\n`)
  })
})

describe("Encodings", () => {
  const cases: ReadonlyArray<readonly [string, Buffer, string]> = [
    ["UTF-8", Buffer.from("é€"), "é€"],
    ["UTF-8", Buffer.from("\uFEFFé"), "é"],
    ["UTF-16LE", utf16("é€😀\r\n", "le"), "é€😀\r\n"],
    ["UTF-16BE", utf16("é€😀", "be"), "é€😀"],
    ["Windows-1252", Buffer.from("caf\xe9 \x93x\x94 \x80 \x97\x97\x97\x97\x97\x97", "latin1"), "café “x” € ——————"],
    ["Windows-1252", Buffer.from("Gr\xfc\xdfe, \x84Spa\xdf\x93", "latin1"), "Grüße, „Spaß“"]
  ]
  it("are read as text and written back as the same bytes", () => {
    for (const [name, bytes, text] of cases) {
      const decoded = TextEncoding.decode(bytes)
      assert.deepStrictEqual(decoded._tag === "Success" && [decoded.success.encoding.name, decoded.success.text], [
        name,
        text
      ])
      if (decoded._tag !== "Success") continue
      const again = TextEncoding.encode(text, decoded.success.encoding)
      assert.deepStrictEqual(again._tag === "Success" && again.success, bytes, name)
    }
  })

  it("that cannot be told are no text", () => {
    const no: ReadonlyArray<readonly [TextEncoding.Undecodable, Buffer]> = [
      ["encoding", Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])], // Windows-1251
      ["encoding", Buffer.from([0x82, 0xb1, 0x82, 0xf1, 0x82, 0xc9, 0x82, 0xbf])], // Shift JIS
      ["encoding", Buffer.from([...Buffer.from("é ü €"), 0xe9])], // damaged UTF-8
      ["encoding", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])], // UTF-32
      ["encoding", Buffer.from("no mark, sixteen bits", "utf16le")],
      ["encoding", Buffer.from([0xff, 0xfe, 0x61])],
      ["binary", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2])],
      ["binary", Buffer.from([0x7f, 0xe9, 1])]
    ]
    for (const [why, bytes] of no) {
      const decoded = TextEncoding.decode(bytes)
      assert.strictEqual(decoded._tag === "Failure" && decoded.failure, why, bytes.toString("hex"))
    }
  })
})

describe("A file that is edited or written", () => {
  layer(toolbox())((it) => {
    it.effect("keeps byte order mark, line ends and encoding, and says so", () =>
      Effect.gen(function*() {
        const { cwd, put, text } = yield* bench
        const bytes = (name: string) => readFileSync(join(cwd, name))
        put("a.txt", "\uFEFFone\r\ntwo\nthree\r\n")
        assert.match(
          yield* text("file_write", { path: "a.txt", content: "one\ntwo\n2b\nthree\n" }),
          /Kept: its line ends, its byte order mark\.$/
        )
        assert.strictEqual(bytes("a.txt").toString(), "\uFEFFone\r\ntwo\n2b\nthree\r\n")
        for (const order of ["le", "be"] as const) {
          put("wide.txt", utf16("café\r\nx\r\n", order))
          assert.match(yield* text("file_read", { path: "wide.txt" }), /^1: café\n2: x\n/)
          yield* text("file_edit", { path: "wide.txt", old_string: "café\nx", new_string: "thé\ny😀" })
          assert.deepStrictEqual(bytes("wide.txt"), utf16("thé\r\ny😀\r\n", order))
          assert.match(yield* text("file_write", { path: "wide.txt", content: "z" }), /encoding \(UTF-16/)
          assert.deepStrictEqual(bytes("wide.txt"), utf16("z", order))
        }
        put("old.txt", Buffer.from("caf\xe9 \x80\r\n", "latin1"))
        assert.match(yield* text("file_read", { path: "old.txt" }), /^1: café €\n/)
        yield* text("file_edit", { path: "old.txt", old_string: "café", new_string: "thé" })
        assert.deepStrictEqual(bytes("old.txt"), Buffer.from("th\xe9 \x80\r\n", "latin1"))
        assert.match(
          yield* text("file_write", { path: "old.txt", content: "“é”\n" }),
          /Kept: its line ends, its encoding/
        )
        assert.deepStrictEqual(bytes("old.txt"), Buffer.from("\x93\xe9\x94\r\n", "latin1"))
      }))

    it.effect("is not written where its encoding cannot be kept", () =>
      Effect.gen(function*() {
        const { cwd, failure, put, text } = yield* bench
        const old = Buffer.from("caf\xe9\n", "latin1")
        put("old.txt", old)
        const says = /is in Windows-1252, which has no "中"/
        assert.match(yield* failure("file_edit", { path: "old.txt", old_string: "café", new_string: "中" }), says)
        assert.match(yield* failure("file_write", { path: "old.txt", content: "中" }), says)
        assert.deepStrictEqual(readFileSync(join(cwd, "old.txt")), old)
        const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])
        put("cyrillic.txt", cyrillic)
        const unknown = /in an encoding other than UTF-8, UTF-16 with a byte order mark, and Windows-1252/
        for (
          const [tool, rest] of [["file_read", {}], ["file_edit", { old_string: "a", new_string: "b" }], [
            "file_write",
            { content: "x" }
          ]] as const
        ) assert.match(yield* failure(tool, { path: "cyrillic.txt", ...rest }), unknown, tool)
        assert.deepStrictEqual(readFileSync(join(cwd, "cyrillic.txt")), cyrillic)
        put("image", Uint8Array.of(1, 0, 3))
        assert.match(yield* text("file_write", { path: "image", content: "x" }), /was a binary file and is text now/)
      }))

    it.effect("does not go through an editor, which may write UTF-8, where it is in another encoding", () =>
      Effect.gen(function*() {
        const { cwd, put, run } = yield* bench
        const seen: Array<string> = []
        const client = {
          editor: {
            read: () => Effect.sync(() => (seen.push("read"), "\uFEFFa\n")),
            write: (_: string, content: string) => Effect.sync(() => seen.push(content) > 0)
          }
        }
        put("wide.txt", utf16("a", "le"))
        yield* run("file_edit", { path: "wide.txt", old_string: "a", new_string: "b" }, { client })
        assert.deepStrictEqual([seen, readFileSync(join(cwd, "wide.txt"))], [[], utf16("b", "le")])
        put("mark.txt", "\uFEFFa\n")
        yield* run("file_edit", { path: "mark.txt", old_string: "a", new_string: "b" }, { client })
        assert.deepStrictEqual(seen, ["read", "\uFEFFb\n"])
      }))

    it.effect("stays the same file: hard links, mode, owner, attributes", () =>
      Effect.gen(function*() {
        const { cwd, put, text } = yield* bench
        const [a, b] = [join(cwd, "a"), join(cwd, "b")]
        put("a", "old text, longer than the new one")
        linkSync(a, b)
        chmodSync(a, 0o6751)
        if (process.getuid?.() === 0) {
          chownSync(a, 1234, 1235)
          chmodSync(a, 0o6751)
        }
        const attribute = (...command: ReadonlyArray<string>) =>
          execFileSync("python3", ["-c", `import os,sys\n${command.join("\n")}`, a], { encoding: "utf8" }).trim()
        attribute("os.setxattr(sys.argv[1], 'user.colour', b'red')")
        const before = statSync(a)
        yield* text("file_edit", { path: "a", old_string: "old text, longer than the new", new_string: "new" })
        yield* text("file_write", { path: "a", content: "whole" })
        const after = statSync(b)
        assert.strictEqual(readFileSync(b, "utf8"), "whole")
        assert.deepStrictEqual([after.ino, after.nlink, after.uid, after.gid, after.mode & 0o777], [
          before.ino,
          2,
          before.uid,
          before.gid,
          0o751
        ])
        assert.strictEqual(attribute("print(os.getxattr(sys.argv[1], 'user.colour').decode())"), "red")
      }))
  })
})
