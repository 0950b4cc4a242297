import { decode } from "./Entities.ts"
import * as Page from "./Page.ts"

/** HTML as text with the few marks of Markdown that carry meaning. One pass over the input, whatever it looks like. */

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

interface Tag {
  readonly name: string
  readonly closing: boolean
  readonly attributes: string
  readonly end: number
}

/** The tag that begins at `start`; an unfinished one lasts to the end of the input. */
const tagAt = (html: string, start: number): Tag => {
  const closing = html[start + 1] === "/"
  let at = start + (closing ? 2 : 1)
  const from = at
  while (at < html.length && /[^\s/>]/.test(html[at]!)) at++
  const name = html.slice(from, at).toLowerCase()
  const attributesFrom = at
  while (at < html.length && html[at] !== ">") {
    const quote = html[at]
    if ((quote === "\"" || quote === "'") && html[at - 1] === "=") {
      const end = html.indexOf(quote, at + 1)
      at = end === -1 ? html.length : end
    }
    at++
  }
  return { name, closing, attributes: html.slice(attributesFrom, at), end: Math.min(at + 1, html.length) }
}

const attribute = (tag: Tag, name: string): string | undefined => {
  const found = new RegExp(`(?:^|\\s)${name}\\s?=\\s?(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(
    tag.attributes.slice(0, 8192)
  )
  const value = found?.[1] ?? found?.[2] ?? found?.[3]
  return value === undefined ? undefined : decode(value)
}

export interface Readable {
  readonly title: string
  readonly text: string
}

/** Links are resolved against `base`. */
export const toText = (html: string, base: URL): Readable => {
  const page = Page.make()
  let title = ""
  let baseUrl = base
  const after = (mark: string, from: number): number => {
    const search = new RegExp(mark, "gi")
    search.lastIndex = from
    return search.exec(html)?.index ?? html.length
  }
  let at = 0
  while (at < html.length) {
    const open = html.indexOf("<", at)
    const end = open === -1 ? html.length : open
    if (end > at) page.text(decode(html.slice(at, end)))
    if (open === -1) break
    if (html.startsWith("<!--", open)) at = after("-->", open + 4) + 3
    else if (!/[A-Za-z/!?]/.test(html[open + 1] ?? "")) {
      page.text("<")
      at = open + 1
    } else {
      const tag = tagAt(html, open)
      at = tag.end
      if (tag.closing) page.close(tag.name)
      else if (tag.name === "title" && title === "") {
        at = after("</title", tag.end)
        title = decode(html.slice(tag.end, at)).replace(/\s+/g, " ").trim()
      } else if (silent.has(tag.name)) {
        if (!tag.attributes.endsWith("/")) at = after(`</${tag.name}`, tag.end)
      } else if (tag.name === "base") baseUrl = resolved(attribute(tag, "href"), base) ?? base
      else {page.open(tag.name, (name) =>
          name === "href" ? resolved(attribute(tag, name), baseUrl)?.href : attribute(tag, name))}
    }
  }
  return { title, text: page.result() }
}

const resolved = (href: string | undefined, base: URL): URL | undefined => {
  if (href === undefined || href.startsWith("#") || !URL.canParse(href, base.href)) return undefined
  const url = new URL(href, base)
  return url.protocol === "http:" || url.protocol === "https:" ? url : undefined
}
