import { Tokenizer } from "htmlparser2"
import * as Page from "./Page.ts"

/** Elements whose content is no text. */
const silent = new Set([
  "script",
  "style",
  "template",
  "svg",
  "iframe",
  "object",
  "noscript",
  "canvas",
  "select",
  "math",
  "video",
  "audio"
])

/** Soft hyphen and zero-width (non-)joiner: nothing to read. */
const invisible = new Set([0xad, 0x200c, 0x200d])

interface ReadablePage {
  readonly title: string
  readonly text: string
}

const resolved = (href: string | undefined, base: URL): URL | undefined => {
  if (href === undefined || href.startsWith("#") || !URL.canParse(href, base.href)) return undefined
  const url = new URL(href, base)
  return url.protocol === "http:" || url.protocol === "https:" ? url : undefined
}

/**
 * HTML as text with the few marks of Markdown that carry meaning; links are resolved against `base`. It takes tokens
 * and no tree: the library's parser needs quadratic time for deep nesting.
 */
export const toText = (html: string, base: URL): ReadablePage => {
  const page = Page.make()
  let title = ""
  let baseUrl = base
  /** Since the last tag. */
  let text = ""
  let name = ""
  let attributes = new Map<string, string>()
  let attribute = ""
  let value = ""
  /** The element that is being passed over, or whose text is the title. */
  let within: string | undefined

  const sliced = (start: number, end: number) => html.slice(start, end)

  const flush = () => {
    if (within === "title") title = text.replace(/\s+/g, " ").trim()
    else if (within === undefined && text !== "") page.text(text)
    text = ""
  }

  const open = (isClosed: boolean) => {
    if (within !== undefined) return
    if (silent.has(name) || (name === "title" && title === "")) within = isClosed ? undefined : name
    else if (name === "base") baseUrl = resolved(attributes.get("href"), base) ?? base
    else {
      page.open(
        name,
        (key) => key === "href" ? resolved(attributes.get(key), baseUrl)?.href : attributes.get(key)
      )
    }
  }

  const tokenizer = new Tokenizer({ decodeEntities: true, recognizeSelfClosing: true }, {
    ontext: (start, end) => {
      text += sliced(start, end)
    },
    ontextentity: (code) => {
      if (!invisible.has(code)) text += String.fromCodePoint(code)
    },
    onopentagname: (start, end) => {
      flush()
      name = sliced(start, end).toLowerCase()
      attributes = new Map()
    },
    onattribname: (start, end) => {
      attribute = sliced(start, end).toLowerCase()
      value = ""
    },
    onattribdata: (start, end) => {
      value += sliced(start, end)
    },
    onattribentity: (code) => {
      value += String.fromCodePoint(code)
    },
    onattribend: () => {
      if (!attributes.has(attribute)) attributes.set(attribute, value)
    },
    onopentagend: () => open(false),
    onselfclosingtag: () => open(true),
    onclosetag: (start, end) => {
      flush()
      const closed = sliced(start, end).toLowerCase()
      if (within === undefined) page.close(closed)
      else if (within === closed) within = undefined
    },
    oncdata: () => {},
    oncomment: () => {},
    ondeclaration: () => {},
    onprocessinginstruction: () => {},
    onend: flush
  })
  tokenizer.write(html)
  tokenizer.end()
  return { title, text: page.result() }
}
