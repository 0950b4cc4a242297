import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Layer } from "effect"
import {
  defaults,
  FetchAccess,
  type HttpRequestAccess,
  NotResolved,
  RequestAccess,
  Resolver
} from "../../../src/tool/web/WebAccess.ts"
import { toolbox } from "../Call.ts"

/** A real server on the loopback interface that goes with the test. */
export const serve = (handle: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: Effect.Effect<void> }>((resume) => {
      const server = createServer(handle)
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({
          port: (server.address() as AddressInfo).port,
          close: Effect.callback<void>((done) => {
            server.close(() => done(Effect.void))
            server.closeAllConnections()
          })
        })))
    }),
    ({ close }) => close
  )

export const body = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => resolve(Buffer.concat(chunks).toString()))
  })

/** The toolbox of an operator who said so much of the web; host names resolve as the map says, and are counted. */
export const webToolbox = (
  settings: Partial<HttpRequestAccess>,
  hosts: Readonly<Record<string, ReadonlyArray<string>>> = {},
  asked: Array<string> = []
) =>
  toolbox().pipe(Layer.provide([
    Layer.succeed(FetchAccess, () => ({ ...defaults, ...settings })),
    Layer.succeed(RequestAccess, () => ({ ...defaults, secrets: new Map(), ...settings })),
    Layer.succeed(Resolver, (hostname) => {
      asked.push(hostname)
      const found = hosts[hostname]
      return found === undefined
        ? Effect.fail(new NotResolved({ code: "ENOTFOUND" }))
        : Effect.succeed(found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })))
    })
  ]))
