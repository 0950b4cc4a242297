import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { codeAt, wrongAt } from "../support/Authenticator.ts"
import { answer, prompt } from "../support/Frames.ts"
import { type Host, test } from "../support/Host.ts"
import type { Message } from "../support/Wire.ts"

const configured = `[security.otp]
enabled = true
[policy]
tool_approval = "universal_accept"
`

/** A machine where commands take a code. A code counts once: each call has that of a later step. */
const enrolled = async (host: Host, config = configured) => {
  writeFileSync(join(host.config, "config.toml"), config)
  const { code, stdout } = await host.run("otp", "enroll")
  expect(code).toBe(0)
  const address = /otpauth:\/\/\S+/.exec(stdout)?.[0] ?? ""
  return {
    code: (steps = 0) => codeAt(address, Date.now() + steps * 30_000),
    wrong: () => wrongAt(address, Date.now())
  }
}

const forms = { capabilities: { elicitation: { form: {} } }, permission: () => undefined }
const asksForm = (m: Message) => m.method === "elicitation/create"
const asksPermission = (m: Message) => m.method === "session/request_permission"
const given = (code: string) => ({ action: "accept", content: { code } })
const allowed = { outcome: { outcome: "selected", optionId: "allow-once" } }

describe("a call that takes a one-time code", () => {
  test("runs once the code of a form is right, and then for a while without; a stop ends that", async ({ host }) => {
    const { code, wrong } = await enrolled(host)
    const acp = await host.open(forms)
    const sessionId = await acp.newSession()
    const ask = async (id: number, text: string) => {
      const since = acp.messages.length
      acp.send(prompt(id, sessionId, text))
      return { since, asked: await acp.waitFor((m) => asksForm(m) || m.id === id, since) }
    }
    const { asked } = await ask(1, "run touch one")
    expect(Object.keys(asked.params?.["requestedSchema"].properties)[0]).toBe("code")
    expect(asked.params?.["message"]).toMatch(/touch one[^]*postern otp approve [0-9a-f]{8} CODE/)
    const since = acp.messages.length
    acp.send(answer(asked.id, given(wrong())))
    const again = await acp.waitFor(asksForm, since)
    expect(again.params?.["message"]).toContain("2 attempts are left")
    expect(existsSync(join(host.project, "one"))).toBe(false)
    acp.send(answer(again.id, given(code())))
    await acp.waitFor((m) => m.id === 1)
    expect(existsSync(join(host.project, "one"))).toBe(true)
    expect((await ask(2, "run touch two")).asked.id).toBe(2)
    await host.run("estop", "--tool", "web_fetch")
    const third = await ask(3, "run touch three")
    expect(third.asked.method).toBe("elicitation/create")
    acp.send(answer(third.asked.id, { action: "decline" }))
    await acp.waitFor((m) => m.id === 3)
    expect(existsSync(join(host.project, "three"))).toBe(false)
  })

  test("is refused after three wrong codes, for the right one too", async ({ host }) => {
    const { code, wrong } = await enrolled(host)
    const acp = await host.open(forms)
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "run touch made"))
    for (let attempt = 0, since = 0; attempt < 3; attempt++) {
      const asked = await acp.waitFor(asksForm, since)
      since = acp.messages.length
      acp.send(answer(asked.id, given(wrong())))
    }
    await acp.waitFor((m) => m.id === 1)
    expect(JSON.stringify(acp.updates(sessionId))).toContain("OTP_WRONG")
    expect(await host.run("otp", "verify", code())).toMatchObject({ code: 1 })
    expect(existsSync(join(host.project, "made"))).toBe(false)
  })

  test("is a permission without forms: the code is given in any terminal, and allowing it alone runs nothing", async ({ host }) => {
    const { code, wrong } = await enrolled(host)
    const acp = await host.open({ permission: "never" })
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "run touch made"))
    const asked = await acp.waitFor(asksPermission)
    const id = /postern otp approve ([0-9a-f]{8}) CODE/.exec(JSON.stringify(asked.params))?.[1] ?? ""
    expect(await host.run("otp", "approve", id, wrong())).toMatchObject({ code: 1 })
    const approved = await host.run("otp", "approve", id, code())
    expect(approved).toMatchObject({ code: 0 })
    expect(approved.stdout).toContain("touch made")
    await acp.waitFor((m) => m.id === 1)
    expect(existsSync(join(host.project, "made"))).toBe(true)
    expect(await host.run("otp", "approve", id, code(1))).toMatchObject({ code: 1 })

    const other = await host.open({ permission: "never" })
    const second = await other.newSession()
    other.send(prompt(1, second, "run touch other"))
    other.send(answer((await other.waitFor(asksPermission)).id, allowed))
    await other.waitFor((m) => m.id === 1)
    expect(JSON.stringify(other.updates(second))).toContain("without the one-time code")
    expect(existsSync(join(host.project, "other"))).toBe(false)
  })

  test("is refused where no secret is enrolled, and is any call that reaches a domain that is listed", async ({ host }) => {
    writeFileSync(
      join(host.config, "config.toml"),
      configured.replace(
        "enabled = true",
        "enabled = true\ngated_actions = []\ngated_domains = [\"*.example.com\"]\ngated_domain_categories = [\"government\"]"
      )
    )
    const explained = async (command: string) => (await host.run("client", `run ${command}`)).stdout
    expect(await explained("curl https://a.example.com/")).toContain("OTP_NOT_ENROLLED")
    expect(await explained("curl https://www.irs.gov/")).toContain("OTP_NOT_ENROLLED")
    expect(await explained("echo example.org")).not.toContain("OTP")
  })

  test("lifts an emergency stop where the configuration says so", async ({ host }) => {
    const { code, wrong } = await enrolled(host, "[security.estop]\nenabled = true\n")
    expect((await host.run("estop")).code).toBe(0)
    expect(await host.run("estop", "resume")).toMatchObject({ code: 1 })
    expect(await host.run("estop", "resume", "--otp", wrong())).toMatchObject({ code: 1 })
    expect((await host.run("client", "say hi")).code).toBe(1)
    expect(await host.run("estop", "resume", "--otp", code())).toMatchObject({ code: 0 })
    expect((await host.run("client", "say hi")).code).toBe(0)
  })

  test("is named by an action that exists", async ({ host }) => {
    writeFileSync(join(host.config, "config.toml"), "[security.otp]\nenabled = true\ngated_actions = [\"shel\"]\n")
    const { code, stderr } = await host.run("client", "say hi")
    expect(code).toBe(1)
    expect(stderr).toContain("security.otp.gated_actions names no action: \"shel\"; did you mean \"shell\"?")
  })
})
