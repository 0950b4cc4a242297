import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/** A provider that lists models to those who have its key; gives its address and what it was asked. */
export const modelList = async (key: string | undefined, models: ReadonlyArray<object>) => {
  const asked: Array<{ readonly url: string; readonly headers: IncomingHttpHeaders }> = []
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? "", headers: request.headers })
    const given = request.headers["x-api-key"] ?? request.headers.authorization?.replace(/^Bearer /, "")
    const refused = key !== undefined && given !== key
    response.writeHead(refused ? 401 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify(refused ? { error: { message: "bad key" } } : { data: models }))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
