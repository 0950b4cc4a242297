import { writeFileSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { hasBubblewrap, reason } from "../support/Bubblewrap.ts"
import { cancel, prompt } from "../support/Frames.ts"
import { bundle, test } from "../support/Host.ts"
import { processesWith, running } from "../support/Processes.ts"
import type { Json } from "../support/Wire.ts"
import { eventually } from "../support/Waiting.ts"

/** A command line that no other process on the machine has. */
const sleep = (seconds: number) => `sleep ${seconds}.${Math.floor(Math.random() * 1e9)}`

const results = (updates: ReadonlyArray<Json>): string =>
  JSON.stringify(updates.filter((u) => u["sessionUpdate"] === "tool_call_update"))

describe.skipIf(!hasBubblewrap)(`commands of the built program${reason}`, () => {
  const daemons = (one: string, two: string) =>
    `run setsid ${one} & (trap '' TERM INT HUP; setsid setsid ${two}) & ${sleep(300)}`

  for (const how of ["kill -9", "a cancel", "closing the session"] as const) {
    test(`leave nothing behind after ${how}, daemons of their own session included`, async ({ host }) => {
      const acp = await host.open({ permission: "allow-once" })
      const sessionId = await acp.newSession()
      const [one, two] = [sleep(300), sleep(300)]
      acp.send(prompt(1, sessionId, daemons(one, two)))
      await eventually(() => running(one).length > 0 && running(two).length > 0)
      if (how === "kill -9") await acp.kill()
      else if (how === "a cancel") acp.send(cancel(sessionId))
      else await acp.request("session/close", { sessionId })
      await eventually(() => processesWith(one).length + processesWith(two).length === 0)
    })
  }

  test("see neither Postern's secrets nor its files, and cannot reach its parent", async ({ host }) => {
    writeFileSync(
      join(host.config, "config.toml"),
      "[providers.x]\nkind = \"openai-compatible\"\napi_key = \"sk-hidden-hidden-hidden\"\n"
    )
    const acp = await host.open({
      permission: "allow-once",
      env: { ANTHROPIC_API_KEY: "sk-ant-hidden", POSTERN_acp__max_sessions: "3" }
    })
    const sessionId = await acp.newSession()
    await acp.request("session/set_config_option", { sessionId, configId: "model", value: "offline/builtin" })
    host.write(
      "look.sh",
      [
        "env",
        `cat ${host.config}/config.toml`,
        `ls -R ${host.data}`,
        "for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; done",
        `echo changed > ${host.config}/config.toml`,
        `cat /proc/$PPID/cmdline`,
        "echo end-of-look"
      ].join("\n")
    )
    const { updates } = await acp.prompt(sessionId, "run bash ./look.sh 2>&1; touch looked")
    const shown = results(updates)
    expect(shown).toContain("end-of-look")
    for (const secret of ["hidden", "max_sessions", "acp-sessions.db", "main.js"]) expect(shown).not.toContain(secret)
  })

  test("get no open descriptor of the process that started Postern", async ({ host }) => {
    const acp = await host.open({
      permission: "allow-once",
      command: ["/bin/bash", "-c", "exec 9</ 77</; exec \"$@\"", "start", process.execPath, bundle, "acp"]
    })
    const sessionId = await acp.newSession()
    host.write("look.sh", "ls /proc/self/fd/9/ /proc/self/fd/77/; cat /proc/self/fd/*/etc/hostname; echo end-of-look")
    const shown = results((await acp.prompt(sessionId, "run bash ./look.sh 2>/dev/null")).updates)
    expect(shown).toContain("end-of-look")
    expect(shown).not.toContain("etc")
  })

  for (const [what, home] of [["an empty", ""], ["a relative", "x"]] as const) {
    test(`run with the account's home folder in the place of ${what} HOME`, async ({ host }) => {
      const acp = await host.open({ permission: "allow-once", env: { HOME: home } })
      const shown = results((await acp.prompt(await acp.newSession(), "run echo \"<$HOME>\" ~")).updates)
      expect(shown).toContain(`<> ${userInfo().homedir}`)
    })
  }

  test("that were refused something say so next to how they ended, and never run again with more", async ({ host }) => {
    const acp = await host.open({ permission: "allow-once" })
    const sessionId = await acp.newSession()
    host.write("far.sh", "echo ran >> count; echo x > /usr/local/postern-test")
    const { result, updates } = await acp.prompt(sessionId, "run bash ./far.sh")
    expect(result["stopReason"]).toBe("end_turn")
    expect(results(updates)).toMatch(/exit code 1.*Read-only file system.*\[sandbox: .*Sandbox mode workspace-write\]/)
    expect(results((await acp.prompt(sessionId, "run wc -l < count")).updates)).toContain("\"1\"")
  })

  test("that change what programs outside obey are reported", async ({ host }) => {
    const acp = await host.open({ permission: "allow-once" })
    const sessionId = await acp.newSession()
    host.write("make.sh", "git init -q . ; mkdir .vscode")
    expect(results((await acp.prompt(sessionId, "run bash ./make.sh")).updates)).toMatch(
      /\[sandbox: .*\.git was created; look at it/
    )
  })

  test("start in the mode of the moment: a change counts from the next call on", async ({ host }) => {
    const acp = await host.open({ permission: "allow-once" })
    const sessionId = await acp.newSession()
    await acp.request("session/set_config_option", { sessionId, configId: "sandbox", value: "read-only" })
    expect(results((await acp.prompt(sessionId, "run touch a")).updates)).toContain("Read-only file system")
    await acp.request("session/set_config_option", { sessionId, configId: "sandbox", value: "workspace-write" })
    expect(results((await acp.prompt(sessionId, "run touch a")).updates)).toContain("completed")
  })
})
