import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { scrub } from "../../src/platform/Environment.ts"
import * as Executable from "../../src/platform/Executable.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const forced = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  DEBIAN_FRONTEND: "noninteractive"
}

describe("scrub", () => {
  it("builds the environment from the allow-list and forces what keeps programs quiet", () => {
    const kept = {
      HOME: "/home/a",
      USER: "a",
      LANG: "C.UTF-8",
      LC_ALL: "C",
      TZ: "UTC",
      CI: "true",
      XDG_CONFIG_HOME: "/home/a/.config",
      JAVA_HOME: "/opt/java",
      CARGO_HOME: "/c",
      NODE_ENV: "test"
    }
    const dropped = {
      EDITOR: "vim",
      COLORTERM: "truecolor",
      FOO: "bar",
      XDG_RUNTIME_DIR: "/run/user/1",
      PWD: "/x",
      TERM: "xterm",
      PAGER: "less",
      UNSET: undefined
    }
    assert.deepStrictEqual(scrub({ ...kept, ...dropped }), { ...kept, ...forced })
  })

  it("keeps only absolute entries of PATH", () => {
    assert.strictEqual(scrub({ PATH: "/usr/bin:.:bin::/bin:node_modules/.bin" })["PATH"], "/usr/bin:/bin")
  })

  it("withholds secrets, loaders and channels even when they are passed through by name", () => {
    const names = [
      "OPENAI_API_KEY",
      "GITHUB_TOKEN",
      "MY_SECRET",
      "DB_PASSWORD",
      "PGPASSWD",
      "aws_credentials",
      "BASIC_AUTH",
      "PRIVATE_X",
      "TLS_CERT",
      "COOKIE_JAR",
      "XDG_SESSION_ID",
      "SSH_AUTH_SOCK",
      "SSH_AGENT_PID",
      "GPG_AGENT_INFO",
      "DBUS_SESSION_BUS_ADDRESS",
      "DOCKER_HOST",
      "KUBECONFIG",
      "DATABASE_URL",
      "SENTRY_DSN",
      "MONGO_URI",
      "LD_PRELOAD",
      "DYLD_INSERT_LIBRARIES",
      "BASH_ENV",
      "ENV",
      "PROMPT_COMMAND",
      "NODE_OPTIONS",
      "PYTHONSTARTUP",
      "PERL5OPT",
      "RUBYOPT",
      "GIT_SSH_COMMAND",
      "GIT_EXTERNAL_DIFF",
      "GIT_CONFIG_COUNT",
      "POSTERN_CONFIG_DIR"
    ]
    const variables = Object.fromEntries(names.map((name) => [name, "harmless"]))
    assert.deepStrictEqual(scrub(variables, { passthrough: names, network: true }), forced)
  })

  it("withholds values that look like keys under any name", () => {
    const values = [
      "-----BEGIN OPENSSH PRIVATE KEY-----\nx",
      `ghp_${"a".repeat(36)}`,
      `github_pat_${"a".repeat(30)}`,
      "AKIAABCDEFGHIJKLMNOP",
      "xoxb-12345678-abcdef",
      `sk-ant-${"a".repeat(20)}`,
      "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.sig",
      "postgres://u:p@db/x"
    ]
    for (const value of values) {
      assert.deepStrictEqual(scrub({ HOME: value, LC_X: value, FOO: value }, { passthrough: ["FOO"] }), forced, value)
    }
  })

  it("leaves folders of the session out of the path of reads alone", () => {
    const variables = { PATH: "/ws/bin:/usr/bin:./x:/ws/../ws/node_modules/.bin:/wsx/bin:/usr/../ws" }
    const folders = ["/ws"]
    assert.strictEqual(scrub(variables, { folders, reads: true })["PATH"], "/usr/bin:/wsx/bin")
    assert.strictEqual(
      scrub(variables, { folders })["PATH"],
      "/ws/bin:/usr/bin:/ws/../ws/node_modules/.bin:/wsx/bin:/usr/../ws"
    )
  })

  it("passes configured names exactly, and no patterns", () => {
    const variables = { FOO: "1", FOO_BAR: "2", "a-b": "3" }
    assert.deepStrictEqual(scrub(variables, { passthrough: ["FOO", "FOO_*", "a-b"] }), { FOO: "1", ...forced })
  })

  it("passes proxies only to commands with network, and without their logins", () => {
    const variables = {
      HTTPS_PROXY: "http://user:pass@proxy:3128",
      http_proxy: "user:p@proxy:1",
      NO_PROXY: "localhost"
    }
    assert.deepStrictEqual(scrub(variables), forced)
    assert.deepStrictEqual(scrub(variables, { network: true }), {
      HTTPS_PROXY: "http://proxy:3128",
      http_proxy: "proxy:1",
      NO_PROXY: "localhost",
      ...forced
    })
  })
})

describe("Executable", () => {
  it.effect("finds programs in absolute folders of PATH, never in the workspace, also not through a link", () =>
    Effect.gen(function*() {
      const base = yield* temporaryFolder
      for (const name of ["work", "bin", "linked"]) mkdirSync(join(base, name))
      for (const name of ["work/tool", "bin/tool", "bin/plain"]) writeFileSync(join(base, name), "")
      chmodSync(join(base, "work/tool"), 0o755)
      chmodSync(join(base, "bin/tool"), 0o755)
      symlinkSync(join(base, "work/tool"), join(base, "linked/tool"))
      const path = ["", ".", "work", join(base, "work"), join(base, "linked"), join(base, "bin")].join(":")
      assert.strictEqual(Executable.find("tool", path, [join(base, "work")]), join(base, "bin/tool"))
      assert.strictEqual(Executable.find("tool", path, []), join(base, "work/tool"))
      assert.isUndefined(Executable.find("plain", path, []))
      assert.isUndefined(Executable.find("tool", undefined, []))
    }))
})
