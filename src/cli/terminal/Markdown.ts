import { lexer, type Token, type Tokens } from "marked"
import { padded, widthOf, wrapped } from "./Columns.ts"
import type { TextStyles } from "./Output.ts"
import { plain } from "./Text.ts"

/** Markdown as lines of a terminal: https://github.github.com/gfm/. Lines of code keep their length, all others are wrapped. */

export interface MarkdownStyle {
  readonly styles: TextStyles
  /** In columns. */
  readonly width: number
}

/** The lexer leaves a few entities to whoever writes HTML. */
const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&quot;": "\"",
  "&#39;": "'"
}
const decoded = (text: string) => text.replace(/&(lt|gt|amp|quot|#39);/g, (entity) => entities[entity] ?? entity)

/** The tokens inside of one, where it has some. */
const inside = (token: Token): ReadonlyArray<Token> => "tokens" in token ? token.tokens ?? [] : []

const inline = (tokens: ReadonlyArray<Token>, styles: TextStyles): string =>
  tokens.map((token): string => {
    switch (token.type) {
      case "strong":
        return styles.bold(inline(inside(token), styles))
      case "em":
        return styles.italic(inline(inside(token), styles))
      case "del":
        return styles.strike(inline(inside(token), styles))
      case "codespan":
        return styles.cyan(token["text"])
      case "br":
        return "\n"
      case "link": {
        const label = inline(inside(token), styles)
        const href = String(token["href"])
        const isShown = label.includes(href.replace(/^mailto:/, "")) || href.startsWith("#")
        return styles.underline(label) + (isShown ? "" : styles.dim(` (${href})`))
      }
      case "image":
        return `[image: ${token["text"] || token["href"]}]${styles.dim(` (${token["href"]})`)}`
      case "checkbox":
        return ""
      default:
        return inside(token).length > 0
          ? inline(inside(token), styles)
          : decoded(String("text" in token ? token["text"] : token.raw))
    }
  }).join("")

const paragraph = (text: string, width: number): ReadonlyArray<string> =>
  // A line break of the source is a blank; two blanks at its end are a break.
  text.split("\n").flatMap((line) => wrapped(line.trim(), width))

const flowing = (tokens: ReadonlyArray<Token>, { styles, width }: MarkdownStyle): ReadonlyArray<string> =>
  paragraph(
    inline(
      tokens.map((token) => token.type === "text" ? { ...token, text: token["text"].replace(/\n/g, " ") } : token),
      styles
    ),
    width
  )

const indented = (lines: ReadonlyArray<string>, first: string, rest: string) =>
  lines.map((line, at) => line === "" ? "" : (at === 0 ? first : rest) + line)

const listLines = (list: Tokens.List, { styles, width }: MarkdownStyle): ReadonlyArray<string> =>
  list.items.flatMap((item, at) => {
    const number = `${(Number(list.start) || 1) + at}.`
    const mark = item.task ? item.checked === true ? "☑" : "☐" : list.ordered ? number : "•"
    const room = widthOf(mark) + 1
    const body = blocks(item.tokens, { styles, width: Math.max(10, width - room) }, !item.loose)
    const lines = indented(body.length === 0 ? [""] : body, `${mark} `, " ".repeat(room))
    return item.loose && at < list.items.length - 1 ? [...lines, ""] : lines
  })

/** The narrowest column of a table. */
const narrowest = 8

/** Widths that fit; the widest columns give way. `undefined` where even narrow columns do not fit. */
const fitting = (wanted: ReadonlyArray<number>, room: number): ReadonlyArray<number> | undefined => {
  const widths = [...wanted]
  let total = widths.reduce((sum, one) => sum + one, 0)
  while (total > room) {
    const widest = Math.max(...widths)
    if (widest <= narrowest) return undefined
    widths[widths.indexOf(widest)] = widest - 1
    total--
  }
  return widths
}

const tableLines = (table: Tokens.Table, { styles, width }: MarkdownStyle): ReadonlyArray<string> => {
  const cell = ({ tokens }: Tokens.TableCell) => inline(tokens, styles).replace(/\n/g, " ")
  const head = table.header.map((one) => styles.bold(cell(one)))
  const rows = table.rows.map((row) => row.map(cell))
  const wanted = head.map((one, at) => Math.max(1, widthOf(one), ...rows.map((row) => widthOf(row[at] ?? ""))))
  const widths = fitting(wanted, width - 3 * (wanted.length - 1))
  if (widths === undefined) {
    return rows.flatMap((row, at) => [
      ...(at === 0 ? [] : [""]),
      ...row.flatMap((one, column) => wrapped(`${head[column] ?? ""}: ${one}`, width))
    ])
  }
  const line = (cells: ReadonlyArray<string>): ReadonlyArray<string> => {
    const parts = widths.map((size, at) => wrapped(cells[at] ?? "", size))
    const height = Math.max(...parts.map((part) => part.length))
    return Array.from(
      { length: height },
      (_, row) =>
        widths.map((size, at) => padded(parts[at]?.[row] ?? "", size, table.align[at] ?? "left")).join(
          styles.dim(" │ ")
        ).trimEnd()
    )
  }
  return [
    ...line(head),
    styles.dim(widths.map((size) => "─".repeat(size)).join("─┼─")),
    ...rows.flatMap(line)
  ]
}

const blockLines = (token: Token, style: MarkdownStyle): ReadonlyArray<string> => {
  const { styles, width } = style
  switch (token.type) {
    case "heading": {
      const text = inline(inside(token), styles)
      return paragraph(token["depth"] === 1 ? styles.bold(styles.underline(text)) : styles.bold(text), width)
    }
    case "paragraph":
    case "text":
      return flowing(token.tokens ?? [{ type: "text", raw: token.raw, text: token["text"] }], style)
    case "code":
      return String(token["text"]).split("\n").map((line) => line === "" ? "" : `  ${styles.cyan(line)}`)
    case "list":
      return listLines(token as Tokens.List, style)
    case "table":
      return tableLines(token as Tokens.Table, style)
    case "blockquote": {
      const bar = styles.dim("│ ")
      return blocks(token.tokens ?? [], { styles, width: Math.max(10, width - 2) }, false).map((line) => bar + line)
    }
    case "hr":
      return [styles.dim("─".repeat(Math.min(width, 40)))]
    case "html":
      return String(token["text"]).trimEnd().split("\n").flatMap((line) => wrapped(line, width))
    default:
      return []
  }
}

/** Blocks that show nothing: blank lines, and what only other blocks refer to. */
const isSilent = ({ type }: Token) => type === "space" || type === "def" || type === "checkbox"

const blocks = (tokens: ReadonlyArray<Token>, style: MarkdownStyle, isTight: boolean): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const token of tokens) {
    if (isSilent(token)) continue
    if (lines.length > 0 && !isTight) lines.push("")
    lines.push(...blockLines(token, style))
  }
  return lines
}

const tokensOf = (source: string): ReadonlyArray<Token> => lexer(source, { gfm: true })

/** A whole text. */
export const render = (source: string, style: MarkdownStyle): ReadonlyArray<string> =>
  blocks(tokensOf(plain(source)), style, false)

/** A text that is still being written. */
export interface MarkdownStream {
  readonly push: (piece: string) => void
  /** Lines of the blocks that cannot change any more, each once. */
  readonly settled: () => ReadonlyArray<string>
  /** Lines of what may still change. */
  readonly open: () => ReadonlyArray<string>
  /** Lines of everything that is left. */
  readonly end: () => ReadonlyArray<string>
}

/** In characters: an open block that has become longer is not looked at again. */
const longestOpen = 200_000

/** Whether nothing that follows the blank lines behind it can change a block. */
const isClosed = ({ raw, type }: Token): boolean =>
  type === "paragraph" || type === "heading" || type === "hr" || type === "table" ||
  (type === "code" && /^ {0,3}(`{3,}|~{3,})/.test(raw))

/**
 * `isCopy` says that people have just seen a text elsewhere: such a block becomes one line. The width may change between two calls.
 */
export const stream = (style: () => MarkdownStyle, isCopy: (text: string) => boolean = () => false): MarkdownStream => {
  let source = ""
  let hasLines = false
  let heldReturn = ""

  const linesOf = (tokens: ReadonlyArray<Token>): ReadonlyArray<string> =>
    tokens.flatMap((token, at) => {
      if (isSilent(token)) return []
      const isShown = (token.type === "code" || token.type === "paragraph") && isCopy(String(token["text"]))
      const lines = isShown ? [style().styles.dim("(as above)")] : blockLines(token, style())
      const apart = hasLines || tokens.slice(0, at).some((one) => !isSilent(one))
      return apart ? ["", ...lines] : lines
    })

  const take = (tokens: ReadonlyArray<Token>): ReadonlyArray<string> => {
    const lines = linesOf(tokens)
    hasLines ||= lines.length > 0
    return lines
  }

  return {
    push: (piece) => {
      const text = heldReturn + piece
      heldReturn = text.endsWith("\r") ? "\r" : ""
      source += plain(text.slice(0, text.length - heldReturn.length).replace(/\r\n?/g, "\n"))
    },
    settled: () => {
      const tokens = tokensOf(source)
      const last = tokens.findLastIndex((token) => !isSilent(token))
      const before = tokens[last]
      const isDone = source.length > longestOpen ||
        (before !== undefined && last < tokens.length - 1 && isClosed(before))
      const count = isDone ? tokens.length : Math.max(0, last)
      const settled = tokens.slice(0, count)
      if (settled.length === 0) return []
      source = source.slice(settled.reduce((length, { raw }) => length + raw.length, 0))
      return take(settled)
    },
    open: () => linesOf(tokensOf(source)),
    end: () => {
      const rest = tokensOf(source)
      source = ""
      return take(rest)
    }
  }
}
