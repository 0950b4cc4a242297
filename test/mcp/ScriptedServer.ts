import { appendFileSync, existsSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"

/** An MCP server on standard input and output that behaves as its first argument says; its second one is a file it notes its starts in. */
const [behaviour = "", notes = ""] = process.argv.slice(2)
const starts = notes !== "" && existsSync(notes)
if (notes !== "") appendFileSync(notes, "start\n")

type Json = Record<string, any>

const raw = (text: string) => void process.stdout.write(text)
/** How the id of an answer comes back, by the behaviour. */
const spelled: Record<string, (text: string) => string> = {
  "text-ids": (text) =>
    text.replace(/"id":(\d+)/, "\"id\":\"$1\"").replace(/"progressToken":(\d+)/, "\"progressToken\":\"$1\""),
  "float-ids": (text) => text.replace(/"id":(\d+)/, "\"id\":$1.0"),
  "float-text-ids": (text) => text.replace(/"id":(\d+)/, "\"id\":\"$1.0\""),
  "null-errors": (text) => text.replace(/}$/, ",\"error\":null}")
}
const send = (message: Json) => {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message })
  raw(`${message["method"] === undefined || behaviour === "text-ids" ? spelled[behaviour]?.(text) ?? text : text}\n`)
}
const text = (value: unknown) => ({
  content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }]
})

const tool = (name: string, more: Json = {}) => ({
  name,
  description: `The ${name} tool`,
  inputSchema: { type: "object", properties: {} },
  ...more
})

const tools: Array<unknown> = [
  ...[
    "echo",
    "die",
    "giant",
    "wait",
    "withdrawn",
    "confirm",
    "form",
    "probe",
    "steps",
    "grow",
    "blobs",
    "env",
    "refuse",
    "nonsense",
    "cwd",
    "write"
  ].map((name) => tool(name)),
  tool("peek", { annotations: { readOnlyHint: true } }),
  { description: "has no name" },
  "not a tool at all"
]

const waiting = new Map<number, (message: Json) => void>()
let asked = 1000
const ask = (method: string, params: Json = {}) =>
  new Promise<Json>((resolve) => {
    waiting.set(++asked, resolve)
    send({ id: asked, method, params })
  })

const withdrawn: Array<unknown> = []

const written = (path: string): string => {
  try {
    writeFileSync(path, "text")
    return "written"
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "failed"
  }
}

const call = async (name: string, args: Json, token: unknown): Promise<Json | undefined> => {
  switch (name) {
    case "echo":
      return { content: [{ type: "text", text: String(args["text"]) }], structuredContent: args["structured"] }
    case "die":
      process.stderr.write("Error: the licence has expired\n", () => process.exit(7))
      return undefined
    case "giant":
      return text("x".repeat(17_000_000))
    case "wait":
      return undefined
    case "withdrawn":
      return text(withdrawn)
    case "confirm":
      return text(
        (await ask("elicitation/create", {
          message: "Really?",
          requestedSchema: { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] }
        }))["result"]
      )
    case "form":
      return text(
        (await ask("elicitation/create", {
          message: "Who?",
          requestedSchema: {
            type: "object",
            properties: { name: { type: "string" }, age: { type: "integer" } },
            required: ["name"]
          }
        }))["result"]
      )
    case "probe":
      return text(
        await Promise.all([ask("ping"), ask("roots/list"), ask("sampling/createMessage", { messages: [] })]
          .map((answer) => answer.then(({ error, result }) => error?.code ?? result)))
      )
    case "steps":
      for (const step of [1, 2]) {
        send({
          method: "notifications/progress",
          params: { progressToken: token, progress: step, total: 2, message: `step ${step}` }
        })
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
      return text("done")
    case "grow":
      tools.push(tool(String(args["name"])))
      send({ method: "notifications/tools/list_changed" })
      await new Promise((resolve) => setTimeout(resolve, 100))
      return text("grown")
    case "blobs":
      return {
        content: Array.from({ length: args["count"] }, (_, index) => ({
          type: "resource",
          resource: { uri: `file:///b${index}.bin`, blob: args["blob"] ?? "A".repeat(args["size"]) }
        })),
        structuredContent: { kept: true }
      }
    case "env":
      return text(process.env[String(args["name"])] ?? "unset")
    case "write":
      return text(written(String(args["path"])))
    case "cwd":
      return text(process.cwd())
    case "refuse":
      return { content: [{ type: "text", text: "no such issue" }], isError: true }
    case "nonsense":
      return { content: "what" }
    default:
      return text(`called ${name}`)
  }
}

const answer = async ({ id, method, params }: Json): Promise<void> => {
  switch (method) {
    case "initialize":
      if (behaviour === "mute") return
      return send({
        id,
        result: {
          protocolVersion: "2024-11-05",
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: "scripted", version: "1" }
        }
      })
    case "tools/list":
      return params?.cursor === undefined
        ? send({ id, result: { tools: tools.slice(0, 3), nextCursor: "more" } })
        : send({ id, result: { tools: tools.slice(3) } })
    case "tools/call": {
      const result = await call(params.name, params.arguments, params._meta?.progressToken)
      return result === undefined ? undefined : send({ id, result })
    }
    case "notifications/cancelled":
      return void withdrawn.push(params)
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: `no ${method}` } })
  }
}

if (behaviour === "exit" || (behaviour === "once" && starts)) {
  process.stderr.write("Error: the licence has expired\n", () => process.exit(3))
} else {
  if (behaviour === "flood") { for (let i = 0; i < 300; i++) process.stderr.write("e".repeat(100_000) + "\n") }
  if (behaviour === "chatter") {
    raw(
      "Welcome!\n{\"half\": \n[1,2\n\n{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n{\"jsonrpc\":\"1.0\"}\nnull\n" +
        "z".repeat(5 * 1024 * 1024) + "\n"
    )
  }
  createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line) as Json
    if (behaviour === "chatter") raw("got a line\n")
    if (message["method"] === undefined) waiting.get(Number(message["id"]))?.(message)
    else void answer(message)
  }).on("close", () => process.exit(0))
}
