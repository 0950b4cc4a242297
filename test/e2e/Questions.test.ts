import { describe, expect } from "vitest"
import { answer, prompt } from "../support/Frames.ts"
import { test } from "../support/Host.ts"
import type { Json, Message } from "../support/Wire.ts"

const forms = { capabilities: { elicitation: { form: {} } }, permission: () => undefined }
const asksForm = (m: Message) => m.method === "elicitation/create"
const asksOptions = (m: Message) => m.method === "session/request_permission"

describe("a question to the user", () => {
  test("is a form where the client has forms, and the choice comes back by its name", async ({ host }) => {
    const acp = await host.open(forms)
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "ask Which colour? | red | blue"))
    const asked = await acp.waitFor(asksForm)
    expect(asked.params).toMatchObject({ mode: "form", message: "Which colour?", sessionId })
    expect(asked.params?.["requestedSchema"].properties.choice.oneOf.map((o: Json) => o["title"])).toEqual([
      "red",
      "blue"
    ])
    acp.send(answer(asked.id, { action: "accept", content: { choice: "choice-1" } }))
    await acp.waitFor((m) => m.id === 1)
    expect(JSON.stringify(acp.updates(sessionId))).toContain("Answer: blue")
  })

  test("takes free text in a form, and no answer for an answer that was declined or invented", async ({ host }) => {
    const acp = await host.open(forms)
    const sessionId = await acp.newSession()
    for (
      const [id, question, reply, shown] of [
        [1, "Your name?", { action: "accept", content: { answer: "Ada" } }, "Answer: Ada"],
        [2, "Your name?", { action: "decline" }, "There is no answer"],
        [3, "Which? | a | b", { action: "accept", content: { choice: "choice-7" } }, "There is no answer"],
        [4, "Which? | a | b", { action: "_sure", content: { choice: "choice-0" } }, "There is no answer"]
      ] as const
    ) {
      const since = acp.messages.length
      acp.send(prompt(id, sessionId, `ask ${question}`))
      acp.send(answer((await acp.waitFor(asksForm, since)).id, reply))
      await acp.waitFor((m) => m.id === id)
      expect(JSON.stringify(acp.updates(sessionId, since))).toContain(shown)
    }
  })

  test("is a choice among options where the client has no forms, and free text fails at once", async ({ host }) => {
    const acp = await host.open({ permission: "never" })
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "ask Which colour? | red | blue"))
    const asked = await acp.waitFor(asksOptions)
    expect(asked.params?.["options"].map((o: Json) => [o["optionId"], o["name"]])).toEqual([["choice-0", "red"], [
      "choice-1",
      "blue"
    ]])
    acp.send(answer(asked.id, { outcome: { outcome: "selected", optionId: "choice-0" } }))
    await acp.waitFor((m) => m.id === 1)
    expect(JSON.stringify(acp.updates(sessionId))).toContain("Answer: red")
    const { updates } = await acp.prompt(sessionId, "ask Your name?")
    expect(JSON.stringify(updates)).toContain("cannot ask for free text")
  })
})
