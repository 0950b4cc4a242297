import { assert, describe, it } from "@effect/vitest"
import { toText } from "../../../src/tool/web/Html.ts"

const base = new URL("https://example.com/docs/page")
const text = (html: string) => toText(html, base).text

describe("a page", () => {
  it("is read as text with headings, lists, links, tables and code", () => {
    const page = toText(
      `<!doctype html><html><head><title> The &quot;Guide&quot;
      </title><style>p { color: red }</style><script>if (a < b) alert("<p>no</p>")</script></head>
      <body><h1>Guide</h1><p>Read <b>this</b> and <a href="../other?a=1&amp;b=2">that page</a>,
      please.<br>Now.</p><ul><li>one</li><li>two<ol><li>first</li><li>second</li></ol></li></ul>
      <pre>let a = 1
  if (a &lt; 2) {}
</pre><table><tr><th>Key</th><th>Value</th></tr><tr><td>x</td><td>1</td></tr></table>
      <!-- <p>hidden</p> --><a href="#top"></a><a href="javascript:evil()">click</a><img alt="A cat" src=x></body></html>`,
      base
    )
    assert.strictEqual(page.title, "The \"Guide\"")
    assert.strictEqual(
      page.text,
      [
        "# Guide",
        "",
        "Read this and [that page](https://example.com/other?a=1&b=2), please.",
        "Now.",
        "",
        "- one",
        "- two",
        "  1. first",
        "  2. second",
        "",
        "```",
        "let a = 1",
        "  if (a < 2) {}",
        "```",
        "",
        "Key | Value",
        "x | 1",
        "",
        "click[image: A cat]"
      ].join("\n")
    )
  })

  it("keeps text that only looks like markup", () => {
    assert.strictEqual(
      text("a < b && c > d &amp;lt; &unknown; &#x41;&#66;&#xD800;&#9999999;"),
      "a < b && c > d &lt; &unknown; AB\uFFFD\uFFFD"
    )
    assert.strictEqual(text("x <3 y"), "x <3 y")
    assert.strictEqual(
      text("Luk&aacute;&scaron; &lsaquo;&CounterClockwiseContourIntegral;&rsaquo; so&shy;ft"),
      "Lukáš ‹∳› soft"
    )
  })

  it("has attributes in any quotes, and a tag in an attribute is none", () => {
    assert.strictEqual(text("<a title='> <p>' href=https://a.test/x>t</a>"), "[t](https://a.test/x)")
    assert.strictEqual(text("<A HREF='/y'>t</A>"), "[t](https://example.com/y)")
    assert.strictEqual(text("<base href='https://b.test/d/'><a href='z'>t</a>"), "[t](https://b.test/d/z)")
  })

  it("may end anywhere", () => {
    for (
      const html of [
        "<",
        "</",
        "<a",
        "<a href=",
        "<a href=\"x",
        "<!--",
        "<script>",
        "<title>",
        "a<p",
        "&",
        "&#",
        "<pre>x",
        "</pre></a></ul>",
        ""
      ]
    ) {
      assert.isString(text(html), html)
    }
    assert.strictEqual(text("a<script>b"), "a")
  })

  it("is read in linear time, whatever it looks like", () => {
    const count = 100_000
    assert.strictEqual(text(`<pre>${" ".repeat(1_000_000)}x`).at(-1), "x")
    for (
      const piece of [
        "<",
        "<a ",
        "<a \"",
        "<a='",
        "<!--",
        "<script>",
        "</a",
        "</x>",
        "<ul>",
        "<a href=x>",
        "&#",
        "&amp",
        "<pre>",
        "<title>",
        "<li>"
      ]
    ) {
      assert.isString(text(piece.repeat(count)), piece)
      assert.isString(text("<div>".repeat(count) + piece.repeat(count)), `nested ${piece}`)
    }
  })
})
