import http from "node:http"

/** The least a client of chat completions does: events out of a response, no checks, no retries, one call at most. */

type Json = Record<string, any>

const agent = new http.Agent({ keepAlive: true })
const tools = [{
  type: "function",
  function: {
    name: "file_read",
    description: "Reads a file",
    parameters: { type: "object", properties: { path: { type: "string" } } }
  }
}]

/** Gives the call the model makes, if it makes one. */
export const ask = (
  url: string,
  messages: ReadonlyArray<Json>,
  onText: (text: string) => void
): Promise<Json | undefined> =>
  new Promise((resolve, reject) => {
    const request = http.request(`${url}/v1/chat/completions`, {
      method: "POST",
      agent,
      headers: { "content-type": "application/json" }
    }, (response) => {
      let held = ""
      let call: Json | undefined
      response.setEncoding("utf8")
      response.on("data", (text: string) => {
        const events = (held + text).split("\n\n")
        held = events.pop()!
        for (const event of events) {
          const data = event.slice("data: ".length)
          const delta = data === "[DONE]" ? undefined : JSON.parse(data).choices[0]?.delta
          if (delta?.content) onText(delta.content)
          if (delta?.tool_calls) call = delta.tool_calls[0]
        }
      })
      response.on("end", () => resolve(call)).on("error", reject)
    })
    request.on("error", reject).end(JSON.stringify({ model: "mock", stream: true, messages, tools }))
  })

export const close = () => agent.destroy()
