/** Text under construction from the elements of a page. */
export interface Page {
  readonly text: (text: string) => void
  readonly open: (name: string, attribute: (name: string) => string | undefined) => void
  readonly close: (name: string) => void
  readonly result: () => string
}

const paragraphs = new Set([
  "p",
  "blockquote",
  "table",
  "pre",
  "ul",
  "ol",
  "dl",
  "figure",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "form"
])
const lines = new Set([
  "div",
  "section",
  "article",
  "main",
  "header",
  "footer",
  "nav",
  "aside",
  "address",
  "tr",
  "dt",
  "dd",
  "figcaption",
  "details",
  "summary",
  "fieldset",
  "li",
  "br",
  "body",
  "html",
  "head",
  "caption",
  "option",
  "label",
  "thead",
  "tbody"
])

const maxDepth = 8

export const make = (): Page => {
  const parts: Array<string> = []
  /** Line ends owed before the next text, and whether a blank is. */
  let breaks = 0
  let blank = false
  let pre = 0
  const lists: Array<number | undefined> = []
  const links: Array<{ readonly href: string; readonly at: number } | undefined> = []
  let cells = 0

  const put = (text: string) => {
    if (parts.length > 0) {
      if (breaks > 0) parts.push("\n".repeat(breaks))
      else if (blank) parts.push(" ")
    }
    breaks = 0
    blank = false
    parts.push(text)
  }
  const end = (count: number) => {
    breaks = Math.max(breaks, count)
  }

  const closeLink = () => {
    const link = links.pop()
    if (link === undefined) return
    // A link without text is an icon; it is omitted.
    if (parts.length === link.at + 1) parts.pop()
    else parts.push(`](${link.href})`)
  }

  return {
    text(text) {
      if (pre > 0) return void (text !== "" && put(text))
      const words = text.replace(/[\s\u00a0]+/g, " ")
      if (words.startsWith(" ")) blank = true
      const trimmed = words.trim()
      if (trimmed === "") return
      put(trimmed)
      blank = words.endsWith(" ")
    },
    open(name, attribute) {
      if (paragraphs.has(name)) end(lists.length > 0 && (name === "ul" || name === "ol") ? 1 : 2)
      else if (lines.has(name)) end(1)
      switch (name) {
        case "h1":
        case "h2":
        case "h3":
        case "h4":
        case "h5":
        case "h6":
          put("#".repeat(Number(name[1])))
          blank = true
          break
        case "ul":
        case "ol":
          lists.push(name === "ol" ? 1 : undefined)
          break
        case "li": {
          const number = lists.at(-1)
          put(
            `${"  ".repeat(Math.min(Math.max(lists.length - 1, 0), maxDepth))}${
              number === undefined ? "-" : `${number}.`
            }`
          )
          blank = true
          if (number !== undefined) lists[lists.length - 1] = number + 1
          break
        }
        case "pre":
          put("```\n")
          pre++
          break
        case "hr":
          end(2)
          put("---")
          end(2)
          break
        case "tr":
          cells = 0
          break
        case "td":
        case "th":
          if (cells++ > 0) {
            blank = true
            put("|")
            blank = true
          }
          break
        case "img": {
          const alt = attribute("alt")?.trim()
          if (alt) put(`[image: ${alt}]`)
          break
        }
        case "a": {
          const href = pre > 0 ? undefined : attribute("href")
          if (href !== undefined) put("[")
          links.push(href === undefined ? undefined : { href, at: parts.length - 1 })
        }
      }
    },
    close(name) {
      switch (name) {
        case "a":
          closeLink()
          break
        case "ul":
        case "ol":
          lists.pop()
          break
        case "pre":
          if (pre > 0 && --pre === 0) parts.push(parts.at(-1)?.endsWith("\n") ? "```" : "\n```")
      }
      if (paragraphs.has(name)) end(lists.length > 0 && (name === "ul" || name === "ol") ? 1 : 2)
      else if (lines.has(name)) end(1)
    },
    result: () => parts.join("").split("\n").map((line) => line.trimEnd()).join("\n").replace(/\n{3,}/g, "\n\n").trim()
  }
}
