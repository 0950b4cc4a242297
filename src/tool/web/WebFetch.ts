import { Effect, Schema } from "effect"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import * as Tool from "../Tool.ts"
import * as Body from "./Body.ts"
import * as HttpExchange from "./HttpExchange.ts"
import { FetchAccess, Resolver, type WebAccess } from "./WebAccess.ts"

const maxRedirects = 10

/** A page is read up to this many times the text that may come of it. */
const markup = 10

const maxProblem = 2000

const Parameters = Schema.Struct({
  url: Schema.String.annotate({ description: "Address of the page, with http:// or https://" })
})

const redirects = new Set([301, 302, 303, 307, 308])

const label = ({ status, statusText }: HttpExchange.WebResponse) =>
  `${status}${statusText === "" ? "" : ` ${statusText}`}`

export const make = Effect.gen(function*() {
  const accessNow = yield* FetchAccess
  const resolver = yield* Resolver

  const get = (url: URL, access: WebAccess) =>
    Effect.provideService(
      HttpExchange.send(
        { url, method: "GET", headers: { accept: "text/html, text/*;q=0.9, */*;q=0.5" } },
        access,
        access.maxResponseSize * markup
      ),
      Resolver,
      resolver
    )

  /** Each redirect is checked like the first address; a redirect to another host needs a call of its own. */
  const follow = Effect.fnUntraced(
    function*(start: URL, access: WebAccess, context: Tool.ToolContext): Effect.fn.Return<
      { readonly answer: HttpExchange.WebResponse; readonly url: URL },
      Tool.ToolFailed
    > {
      let url = start
      for (let hops = 0; hops <= maxRedirects; hops++) {
        const answer = yield* get(url, access)
        const location = answer.headers["location"]
        if (!redirects.has(answer.status) || location === undefined) return { answer, url }
        const next = yield* HttpExchange.parse(
          URL.canParse(location, url.href) ? new URL(location, url).href : location
        )
        const allowed = next.origin === url.origin ||
          (next.hostname === url.hostname && (yield* context.mayFetch(next.href)))
        if (!allowed) {
          return yield* Tool.fail(`${url.href} redirects to ${next.href}. To read that, fetch it by its own address.`)
        }
        url = next
      }
      return yield* Tool.fail(`${start.href} was not read: more than ${maxRedirects} redirects.`)
    }
  )

  return Tool.make<typeof Parameters.Type>({
    name: "web_fetch",
    description:
      "Fetch a page or a text file from the web and read it as text. Pages come back without markup, with their links. Hosts of " +
      "this machine's own network are refused; a redirect to another host is reported, not followed.",
    parameters: Parameters,
    kind: "fetch",
    capabilities: ["ro"],
    network: "required",
    origin: "external",
    needs: ({ url }) => ToolRequirements.fetch(url),
    preview: ({ url }) => Effect.succeed({ title: `Fetch ${Tool.firstLine(url, 120)}` }),
    run: Effect.fnUntraced(function*({ url: written }, context) {
      const access = accessNow()
      if (!access.enabled) return yield* Tool.fail("web_fetch is switched off in the configuration.")
      const { answer, url } = yield* follow(yield* HttpExchange.parse(written), access, context).pipe(
        Effect.timeoutOrElse({
          duration: `${access.timeoutSecs} seconds`,
          orElse: () => Effect.fail(Tool.fail(`${written} was not read within ${access.timeoutSecs} s.`))
        })
      )
      const type = Body.mediaType(answer)
      if (!Body.isText(answer)) {
        return yield* Tool.fail(
          `${url.href} answered ${label(answer)} with ${type}, which is no text. web_fetch reads text only.`
        )
      }
      const page = yield* Body.readable(answer, url)
      if (answer.status >= 400) {
        return yield* Tool.fail(
          `${url.href} answered ${label(answer)}.\n${Body.within(page.text, maxProblem).text}`.trim()
        )
      }
      const shown = Body.within(page.text, access.maxResponseSize)
      const cut = shown.cut || answer.cut ? "\n[The text is cut here: it is longer than what is read at once.]" : ""
      const head = page.title === "" ? url.href : `${page.title}\n${url.href}`
      return {
        text: `${head}\n\n${shown.text === "" ? "[The page has no text.]" : shown.text}${cut}`,
        rawOutput: { url: url.href, status: answer.status, contentType: type, bytes: answer.body.length }
      }
    })
  })
})
