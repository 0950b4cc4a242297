import { expect } from "vitest"
import type { Id, Json, Message } from "./Wire.ts"

export const request = (id: Id, method: string, params: Json = {}) => ({ jsonrpc: "2.0" as const, id, method, params })
export const notification = (method: string, params: Json = {}) => ({ jsonrpc: "2.0" as const, method, params })
export const answer = (id: Id | undefined, result: unknown) => ({ jsonrpc: "2.0" as const, id, result })

/** The cheapest request that is served: what an echo is elsewhere. */
export const list = (id: Id) => request(id, "session/list")

export const prompt = (id: Id, sessionId: string, text: string) =>
  request(id, "session/prompt", { sessionId, prompt: [{ type: "text", text }] })

export const cancel = (sessionId: string) => notification("session/cancel", { sessionId })
export const cancelRequest = (requestId: unknown) => notification("$/cancel_request", { requestId })

export const expectResult = (message: Message, id: Id): void => {
  expect(Object.keys(message).sort()).toEqual(["id", "jsonrpc", "result"])
  expect(message.id).toBe(id)
}

/** Code, id and a stable `data.reason`: what every error answer must have. */
export const expectError = (message: Message, id: Id, code: number, data: Json = {}): void => {
  expect(message.error).toMatchObject({
    code,
    message: expect.stringMatching(/\S/),
    data: { reason: expect.any(String), ...data }
  })
  expect(message.id).toBe(id)
}
