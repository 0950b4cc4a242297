import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect } from "vitest"
import { hasBubblewrap } from "../support/Bubblewrap.ts"
import { prompt } from "../support/Frames.ts"
import { test } from "../support/Host.ts"
import type { Json, Message } from "../support/Wire.ts"

const asks = (m: Message) => m.method === "session/request_permission"
const failedText = (updates: ReadonlyArray<Json>) =>
  JSON.stringify(
    updates.findLast((u) => u["sessionUpdate"] === "tool_call_update" && u["status"] === "failed")?.["content"] ?? ""
  )

describe("modes and options", () => {
  test("a new session shows its six policies and its model, and the Work mode a second time as session modes", async ({ host }) => {
    const acp = await host.open()
    const { configOptions, modes } = await acp.request("session/new", { cwd: host.project, mcpServers: [] })
    expect(configOptions.map((o: Json) => [o["id"], o["currentValue"]])).toEqual([
      ["work_mode", "aw"],
      ["network", "on"],
      ["user_rules", "user+project"],
      ["tool_approval", "whitelist_accept"],
      ["approval_response", "ask"],
      ["sandbox", hasBubblewrap ? "workspace-write" : "danger-full-access"],
      ["model", "offline/builtin"]
    ])
    expect(configOptions[0]).toMatchObject({ type: "select", category: "mode" })
    expect(modes.currentModeId).toBe("aw")
    expect(modes.availableModes.map((m: Json) => m["id"])).toEqual(["chat", "ro", "pl", "sw", "aw"])
  })

  test("leave out Sandbox modes that nothing here enforces, but for the current one, which says so", async ({ host }) => {
    const acp = await host.open({
      env: { POSTERN_policy__sandbox: "read-only", POSTERN_risk_profiles__default__sandbox_backend: "docker" }
    })
    const sessionId = await acp.newSession()
    const update = await acp.waitFor((m) => m.params?.["update"]?.sessionUpdate === "config_option_update")
    const sandbox = update.params?.["update"].configOptions.find((o: Json) => o["id"] === "sandbox")
    expect(sandbox.options.map((o: Json) => o["value"])).toEqual(["read-only", "danger-full-access"])
    expect(sandbox.options[0].description).toContain("this machine cannot enforce it")
    expect(failedText((await acp.prompt(sessionId, "run ls")).updates)).toContain("SANDBOX_UNAVAILABLE")
  })

  test("are one knob from both sides, are announced, stored, and there again in the next process", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    await acp.request("session/set_mode", { sessionId, modeId: "ro" })
    const kinds = acp.updates(sessionId).map((u) => u.sessionUpdate)
    expect(kinds).toContain("current_mode_update")
    expect(kinds).toContain("config_option_update")
    const { configOptions } = await acp.request("session/set_config_option", {
      sessionId,
      configId: "approval_response",
      value: "never"
    })
    expect(configOptions).toHaveLength(7)
    expect(configOptions[0].currentValue).toBe("ro")
    await acp.close()
    const later = await host.open()
    const resumed = await later.request("session/resume", { sessionId, cwd: host.project })
    expect(resumed["modes"].currentModeId).toBe("ro")
    expect(resumed["configOptions"].find((o: Json) => o["id"] === "approval_response").currentValue).toBe("never")
  })

  test("refuse what they do not know", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    expect(await acp.failure("session/set_mode", { sessionId, modeId: "yolo" })).toMatchObject({
      code: -32602,
      data: { reason: "unknown_value", field: "modeId" }
    })
    expect(await acp.failure("session/set_config_option", { sessionId, configId: "nope", value: "x" })).toMatchObject({
      code: -32602,
      data: { field: "configId" }
    })
    expect(await acp.failure("session/set_config_option", { sessionId, configId: "network", value: "maybe" }))
      .toMatchObject({ code: -32602, data: { field: "value" } })
    expect(
      await acp.failure("session/set_config_option", { sessionId, configId: "network", type: "boolean", value: true })
    ).toMatchObject({ code: -32602 })
    expect(await acp.failure("session/set_mode", { sessionId: "nobody", modeId: "ro" })).toMatchObject({ code: -32002 })
  })

  test("no Work mode goes above what the autonomy level allows", async ({ host }) => {
    writeFileSync(join(host.config, "config.toml"), "[autonomy]\nlevel = \"readonly\"\n")
    const acp = await host.open()
    const sessionId = await acp.newSession()
    expect(await acp.failure("session/set_mode", { sessionId, modeId: "aw" })).toMatchObject({
      code: -32602,
      data: { reason: "above_level", field: "modeId" }
    })
    const { updates } = await acp.prompt(sessionId, "write a.txt\nx")
    expect(failedText(updates)).toContain("CAPABILITY_NOT_GRANTED")
    expect(existsSync(join(host.project, "a.txt"))).toBe(false)
  })

  test("are lowered for one turn by the level in its prompt, and never raised", async ({ host }) => {
    writeFileSync(join(host.config, "config.toml"), "[autonomy]\nlevel = \"full\"\n")
    const acp = await host.open({ permission: "reject-once" })
    const sessionId = await acp.newSession()
    const write = async (file: string, level: unknown) => {
      const prompt = [{ type: "text", text: `write ${file}\nx` }]
      await acp.request("session/prompt", { sessionId, prompt, _meta: { postern: { level } } })
      return existsSync(join(host.project, file))
    }
    expect(await write("one.txt", "readonly")).toBe(false)
    expect(await write("two.txt", "supervised")).toBe(false)
    expect(await write("three.txt", "full")).toBe(true)
    const failed = JSON.stringify(acp.updates(sessionId))
    expect(failed).toContain("CAPABILITY_NOT_GRANTED")
    expect(failed).toContain("APPROVAL_REJECTED")
    for (const level of ["FULL", "", null, 1, ["full"]]) {
      const prompt = [{ type: "text", text: "write four.txt\nx" }]
      expect(await acp.failure("session/prompt", { sessionId, prompt, _meta: { postern: { level } } })).toMatchObject({
        code: -32602,
        data: { field: "_meta.postern.level" }
      })
    }
    const strict = await host.open({ env: { POSTERN_autonomy__level: "readonly" } })
    const second = await strict.newSession()
    await strict.request("session/prompt", {
      sessionId: second,
      prompt: [{ type: "text", text: "write four.txt\nx" }],
      _meta: { postern: { level: "full" } }
    })
    expect(existsSync(join(host.project, "four.txt"))).toBe(false)
  })

  test("apply from the next call on, also in the middle of a turn", async ({ host }) => {
    const acp = await host.open({ permission: "allow-once" })
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "write a.txt\none\n.\nwait 1\nwrite b.txt\ntwo\n."))
    await acp.waitForUpdate((u) => u["status"] === "completed")
    await acp.request("session/set_mode", { sessionId, modeId: "ro" })
    await acp.waitFor((m) => m.id === 1)
    expect(existsSync(join(host.project, "a.txt"))).toBe(true)
    expect(existsSync(join(host.project, "b.txt"))).toBe(false)
  })
})

describe("the gates", () => {
  test("run shell commands that only read, ask about others, and refuse dangerous ones until the session takes over", async ({ host }) => {
    const acp = await host.open({ permission: "reject-once" })
    const sessionId = await acp.newSession()
    host.write("a.txt", "alpha")
    const read = await acp.prompt(sessionId, "run cat a.txt | head -1")
    expect(read.text).toContain("alpha")
    expect(acp.messages.some(asks)).toBe(false)
    const danger = await acp.prompt(sessionId, "run git push --force")
    expect(failedText(danger.updates)).toContain("HIGH_RISK")
    expect(acp.messages.some(asks)).toBe(false)
    await acp.request("session/set_config_option", { sessionId, configId: "tool_approval", value: "manual" })
    await acp.prompt(sessionId, "run git push --force")
    expect(acp.messages.some(asks)).toBe(true)
  })

  test("show the whole call to whom they ask: parts, dangers, and what it would run in", async ({ host }) => {
    const acp = await host.open({ permission: "reject-once" })
    const sessionId = await acp.newSession()
    await acp.request("session/set_config_option", { sessionId, configId: "tool_approval", value: "manual" })
    const command = "echo start && rm -rf ~/ && echo done"
    await acp.prompt(sessionId, `run ${command}`)
    const asked = acp.messages.find(asks)
    expect(asked?.params?.["toolCall"].rawInput.command).toBe(command)
    const shown = JSON.stringify(asked?.params?.["toolCall"].content)
    for (
      const part of [
        "echo start",
        "rm -rf ~/",
        "dangerous (fs-wipe)",
        hasBubblewrap ? "workspace-write" : "danger-full-access",
        "network on ("
      ]
    ) expect(shown).toContain(part)
    expect(asked?.params?.["options"].map((o: Json) => o["kind"])).not.toContain("allow_always")
  })

  test("deny without asking where approval response is never, and name the gate", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    await acp.request("session/set_config_option", { sessionId, configId: "approval_response", value: "never" })
    const { updates } = await acp.prompt(sessionId, "write a.txt\nx")
    expect(failedText(updates)).toContain("Denied by response (APPROVAL_NEVER)")
    expect(acp.messages.some(asks)).toBe(false)
  })

  test("void a grant that the policy has overtaken", async ({ host }) => {
    const acp = await host.open({ permission: "never" })
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "write a.txt\nx"))
    const asked = await acp.waitFor(asks)
    await acp.request("session/set_mode", { sessionId, modeId: "ro" })
    acp.send({ jsonrpc: "2.0", id: asked.id, result: { outcome: { outcome: "selected", optionId: "allow-once" } } })
    await acp.waitFor((m) => m.id === 1)
    expect(existsSync(join(host.project, "a.txt"))).toBe(false)
    await acp.close()
    const db = new DatabaseSync(host.database, { readOnly: true })
    const rows = db.prepare("SELECT outcome FROM decisions WHERE session_id = ? ORDER BY id").all(sessionId)
    expect(rows.map((row) => row["outcome"])).toEqual(["ask", "deny"])
    db.close()
  })

  test("keep Postern's own files from every tool, also where everything else is accepted", async ({ host }) => {
    const file = join(host.config, "config.toml")
    const text = "[risk_profiles.default]\nlevel = \"full\"\n"
    writeFileSync(file, text)
    symlinkSync(host.config, join(host.project, "link"))
    const acp = await host.open({ permission: "allow-once" })
    const sessionId = await acp.newSession()
    await acp.request("session/set_config_option", { sessionId, configId: "tool_approval", value: "universal_accept" })
    for (
      const script of [
        `read ${file}`,
        `write ${file}\nx\n.`,
        `run cat ${file}`,
        `run echo x > ${file}`,
        "run cp link/config.toml b",
        `read ${host.database}`
      ]
    ) {
      expect(failedText((await acp.prompt(sessionId, script)).updates), script).toContain("PROTECTED_PATH")
    }
    expect(readFileSync(file, "utf8")).toBe(text)
  })

  test("leave Postern's own files out of a search that starts above them", async ({ host }) => {
    writeFileSync(join(host.config, "config.toml"), "# needle\n")
    host.write("found.txt", "needle\n")
    const acp = await host.open()
    const sessionId = await acp.newSession({ cwd: host.folder })
    const { updates } = await acp.prompt(sessionId, "search needle\nglob **/*.toml")
    expect(JSON.stringify(updates)).toContain("found.txt")
    expect(JSON.stringify(updates)).not.toContain("config.toml:")
    expect(JSON.stringify(updates)).not.toContain("config/config.toml")
  })

  test("end a turn that calls an unknown tool five times", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const { result, updates } = await acp.prompt(
      sessionId,
      Array.from({ length: 8 }, (_, i) => `call nosuch {"n": ${i}}`).join("\n")
    )
    expect(result["stopReason"]).toBe("end_turn")
    expect(updates.filter((u: Json) => u["sessionUpdate"] === "tool_call")).toHaveLength(5)
    expect(failedText(updates)).toContain("Denied by validity (UNKNOWN_TOOL)")
  })

  test("end a turn that runs into the same refusal five times", async ({ host }) => {
    const acp = await host.open({ capabilities: { session: { notices: {} } } })
    const sessionId = await acp.newSession()
    await acp.request("session/set_mode", { sessionId, modeId: "ro" })
    const script = Array.from({ length: 8 }, (_, i) => `write f${i}.txt\nx\n.`).join("\n")
    const { result, updates } = await acp.prompt(sessionId, script)
    expect(result["stopReason"]).toBe("end_turn")
    expect(updates.filter((u: Json) => u["sessionUpdate"] === "tool_call")).toHaveLength(5)
    expect(updates.some((u: Json) => u["sessionUpdate"] === "notice" && u["title"].includes("CAPABILITY_NOT_GRANTED")))
      .toBe(true)
  })

  test("record every decision and every answer", async ({ host }) => {
    const acp = await host.open({ permission: "allow-once" })
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, "read nothing.txt\nwrite a.txt\nx")
    await acp.close()
    const db = new DatabaseSync(host.database, { readOnly: true })
    const rows = db.prepare("SELECT tool, outcome, gate, code FROM decisions WHERE session_id = ? ORDER BY id").all(
      sessionId
    )
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { tool: "file_read", outcome: "run", gate: "policy", code: "POLICY_RUN" },
      { tool: "file_write", outcome: "ask", gate: "policy", code: "POLICY_ASK" }
    ])
    expect(db.prepare("SELECT answer FROM approvals WHERE session_id = ?").all(sessionId).map((row) => row["answer"]))
      .toEqual(["AllowOnce"])
    db.close()
  })
})

describe("rules", () => {
  test("are listed, added, tried and removed through the agent's own methods, which it advertises", async ({ host }) => {
    const acp = host.start()
    const { agentCapabilities } = await acp.initialize()
    expect(agentCapabilities._meta.postern.methods).toEqual([
      "_rules/list",
      "_rules/add",
      "_rules/remove",
      "_rules/test"
    ])
    const sessionId = await acp.newSession()
    const { id } = await acp.request("_rules/add", { sessionId, list: "deny", rule: "shell(git push **)" })
    expect((await acp.request("_rules/list", { sessionId }))["rules"]).toEqual([{
      id,
      list: "deny",
      rule: "shell(git push **)",
      layer: "session"
    }])
    const tried = await acp.request("_rules/test", {
      sessionId,
      tool: "shell",
      arguments: { command: "git -C x push -f" }
    })
    expect(tried).toMatchObject({ outcome: "deny", gate: "rule", code: "RULE_DENY", rule: "shell(git push **)" })
    expect(tried["gates"]).toHaveLength(8)
    expect(await acp.failure("_rules/add", { sessionId, list: "allow", rule: "shell(" })).toMatchObject({
      code: -32602
    })
    expect(await acp.failure("_rules/add", { sessionId, list: "deny", rule: "no_such_tool" })).toMatchObject({
      code: -32602
    })
    expect(await acp.request("_rules/remove", { sessionId, id })).toEqual({ removed: true })
    expect(await acp.request("_rules/remove", { sessionId, id })).toEqual({ removed: false })
  })

  test("of an always answer are offered by name, kept with the session and hold in the next process", async ({ host }) => {
    const acp = await host.open({ permission: "allow-always" })
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, "run mkdir one")
    const asked = acp.messages.filter(asks)
    expect(asked).toHaveLength(1)
    expect(asked[0]?.params?.["options"].find((o: Json) => o["kind"] === "allow_always").name).toContain("shell(mkdir")
    await acp.prompt(sessionId, "run mkdir one -p")
    expect(acp.messages.filter(asks)).toHaveLength(1)
    await acp.close()
    const later = await host.open({ permission: "reject-once" })
    await later.request("session/resume", { sessionId, cwd: host.project })
    await later.prompt(sessionId, "run mkdir one -p -v")
    expect(later.messages.some(asks)).toBe(false)
    expect(existsSync(join(host.project, "one"))).toBe(true)
  })

  test("of the user and of the project count, project allow rules only when trusted", async ({ host }) => {
    writeFileSync(join(host.config, "config.toml"), "[policy.rules]\ndeny = [\"file_write\"]\n")
    mkdirSync(join(host.project, ".postern"))
    writeFileSync(
      join(host.project, ".postern", "rules.toml"),
      "allow = [\"shell(mkdir *)\"]\nask = [\"shell(cat **)\"]\n"
    )
    const acp = await host.open({ permission: "reject-once" })
    const sessionId = await acp.newSession()
    host.write("a.txt", "alpha")
    await acp.prompt(sessionId, "run cat a.txt")
    expect(acp.messages.filter(asks)).toHaveLength(1)
    await acp.prompt(sessionId, "run mkdir d")
    expect(acp.messages.filter(asks)).toHaveLength(2)
    const { updates } = await acp.prompt(sessionId, "write b.txt\nx")
    expect(failedText(updates)).toContain("RULE_DENY")
  })

  test("that cannot be read close the session's turns with one clear error", async ({ host }) => {
    mkdirSync(join(host.project, ".postern"))
    writeFileSync(join(host.project, ".postern", "rules.toml"), "deny = [\"shell(\"]\n")
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const failed = await acp.failure("session/prompt", { sessionId, prompt: [{ type: "text", text: "read a" }] })
    expect(failed).toMatchObject({ code: -32603, data: { reason: "rules_invalid" } })
    expect(failed.message).toContain("rules.toml")
  })
})
