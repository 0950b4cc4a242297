import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, existsSync, mkdirSync, renameSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import type { EffectiveSandbox } from "../../src/domain/PolicySettings.ts"
import type { HostEnvironment } from "../../src/sandbox/plan/DiskView.ts"
import * as Plan from "../../src/sandbox/plan/Plan.ts"
import { folderBase, write } from "../support/SandboxFolders.ts"
import { needed, places } from "./CredentialPlaces.ts"
import * as Fixture from "./Fixture.ts"
import * as Run from "./Run.ts"

const secret = "token = planted-0123456789abcdef"
const all = Object.values(places).flat()

const home = Effect.map(folderBase("hidden"), (base) => {
  const home = join(base, "home")
  const work = join(home, "projects", "app")
  mkdirSync(work, { recursive: true })
  mkdirSync(join(base, "state"))
  const host: HostEnvironment = {
    homes: [home],
    variables: { PATH: Run.path },
    own: { configDir: join(base, "state"), dataDir: join(base, "state", "data") }
  }
  return { base, home, work, host, own: host.own, put: (path: string, text: string) => write(join(home, path), text) }
})

type Home = Effect.Success<typeof home>

const plant = ({ put }: Home) => {
  for (const place of all) put(place, secret)
  for (const path of needed) put(path, "needed")
}

const run = (
  made: Home,
  mode: EffectiveSandbox,
  script: string,
  options: Run.Options & { readonly work?: string } = {}
) =>
  Effect.map(
    Effect.provide(
      Effect.scoped(
        Run.bash(script, options.work ?? made.work, mode, false, {
          ...options,
          env: { HOME: made.home, ...options.env }
        })
      ),
      Run.layer(made)
    ),
    ({ output }) => output.split("\n").filter((line) => line !== "")
  )

/** What of these a command can read, and every file below the home in which it finds a planted secret. */
const readable = (paths: ReadonlyArray<string>) =>
  `while IFS= read -r path; do line=; if IFS= read -r line < "$HOME/$path" || [ -n "$line" ]; then echo "$path"; fi 2>/dev/null
done 2>/dev/null <<'END'
${paths.join("\n")}
END
grep -rsl planted "$HOME" || true`

const modes = ["read-only", "workspace-read", "workspace-write"] as const

describe.skipIf(!Fixture.hasBubblewrap)(`hidden paths in a sandbox${Fixture.reason}`, () => {
  it("knows more than 600 places in a home folder", () => {
    assert.isAbove(new Set(all).size, 600)
  })

  for (const mode of modes) {
    it.live(`show no credential of the home folder in mode ${mode}`, () =>
      Effect.gen(function*() {
        const made = yield* home
        plant(made)
        assert.deepStrictEqual(yield* run(made, mode, readable(all)), [])
      }))
  }

  for (const mode of ["read-only", "workspace-write"] as const) {
    it.live(`leave what tool chains need in mode ${mode}`, () =>
      Effect.gen(function*() {
        const made = yield* home
        plant(made)
        const seen = yield* run(made, mode, readable(needed))
        assert.deepStrictEqual(needed.filter((path) => !seen.includes(path)), [])
      }))
  }

  it.live("hold for dot entries that appear while a command runs", () =>
    Effect.gen(function*() {
      const made = yield* home
      made.put("notes.txt", "notes")
      const script = `echo started; for i in $(seq 100); do [ -e ../../go ] && break; sleep 0.02; done
        cat "$HOME/.new-tool/token" "$HOME/.config/new/token" 2>/dev/null; ls -A "$HOME"`
      let started = false
      const seen = yield* run(made, "read-only", script, {
        onOutput: () => {
          if (started) return
          started = true
          made.put(".new-tool/token", secret)
          made.put(".config/new/token", secret)
          made.put("projects/go", "")
        }
      })
      assert.deepStrictEqual(seen, ["started", "notes.txt", "projects"])
    }))

  it.live("run the tool chains of the home folder, also those that PATH alone names", () =>
    Effect.gen(function*() {
      const made = yield* home
      const program = (path: string) => {
        made.put(path, `#!/bin/sh\necho ${path}\n`)
        chmodSync(join(made.home, path), 0o755)
      }
      const folders = [".cargo/bin", ".nvm/versions/node/v24/bin", ".local/bin", ".unheard-of/bin", ".docker/bin"]
      folders.forEach((folder, index) => program(`${folder}/tool${index}`))
      program(".local/share/some-tool/versions/2/tool")
      symlinkSync("../share/some-tool/versions/2/tool", join(made.home, ".local/bin/linked"))
      made.put(".unheard-of/token", secret)
      made.put(".docker/config.json", secret)
      made.put(".local/share/some-tool/token", secret)
      const PATH = [...folders.map((folder) => join(made.home, folder)), Run.path].join(":")
      for (const mode of ["read-only", "workspace-write"] as const) {
        const layer = Run.layer(made, {}, PATH)
        const script = "tool0; tool1; tool2; tool3; tool4; linked; " +
          `cat "$HOME"/.unheard-of/token "$HOME"/.docker/config.json "$HOME"/.local/share/some-tool/token 2>/dev/null`
        const { output } = yield* Effect.provide(
          Effect.scoped(Run.bash(script, made.work, mode, false, { env: { HOME: made.home, PATH } })),
          layer
        )
        assert.deepStrictEqual(output.trim().split("\n"), [
          ...folders.map((folder, index) => `${folder}/tool${index}`),
          ".local/share/some-tool/versions/2/tool"
        ])
      }
    }))

  it.live("leave git's identity, unless the file holds a secret", () =>
    Effect.gen(function*() {
      const made = yield* home
      const script = "git config --global user.name; git config --global user.email"
      const identity = "[user]\n\tname = Ada\n\temail = ada@example.org\n[credential]\n\thelper = store\n" +
        "[url \"ssh://git@github.com/\"]\n\tinsteadOf = https://github.com/\n"
      made.put(".gitconfig", identity)
      made.put(".git-credentials", secret)
      assert.deepStrictEqual(yield* run(made, "workspace-write", script), ["Ada", "ada@example.org"])
      assert.deepStrictEqual(yield* run(made, "workspace-write", "cat $HOME/.git-credentials 2>/dev/null"), [])
      for (
        const line of [
          "[github]\n\ttoken = abc",
          "[url \"https://ada:hunter2@example.org/\"]\n\tinsteadOf = x",
          "[http]\n\textraHeader = Authorization: Basic YTpi"
        ]
      ) {
        made.put(".gitconfig", identity + line)
        assert.deepStrictEqual(yield* run(made, "workspace-write", script), [], line)
      }
    }))

  it.live("follow links of what is needed, and show nothing else of where they lead", () =>
    Effect.gen(function*() {
      const made = yield* home
      made.put(".dotfiles/gitconfig", "[user]\n\tname = Ada\n")
      made.put(".dotfiles/config/git/ignore", "*.log\n")
      made.put(".dotfiles/config/gh/hosts.yml", secret)
      made.put(".dotfiles/token", secret)
      made.put(".dotfiles/ssh/id_ed25519", secret)
      symlinkSync(".dotfiles/gitconfig", join(made.home, ".gitconfig"))
      symlinkSync(".dotfiles/config", join(made.home, ".config"))
      symlinkSync(".dotfiles/ssh", join(made.home, ".ssh"))
      symlinkSync(".ssh", join(made.home, "keys"))
      symlinkSync("../.ssh", join(made.home, "projects", "keys"))
      mkdirSync(join(made.home, ".cache"))
      symlinkSync("../.ssh", join(made.home, ".cache", "pip"))
      const script = "git config --global user.name; cat $HOME/.config/git/ignore; grep -rs planted $HOME; " +
        "cat $HOME/keys/* $HOME/projects/keys/* $HOME/.cache/pip/* $HOME/.dotfiles/ssh/* 2>/dev/null"
      for (const mode of ["read-only", "workspace-write"] as const) {
        assert.deepStrictEqual(yield* run(made, mode, script), ["Ada", "*.log"])
      }
    }))

  it.live("leave the repository around a session folder open to commits, unless the repository is hidden", () =>
    Effect.gen(function*() {
      const made = yield* home
      const script = "git -c user.name=A -c user.email=a@b.c commit -q --allow-empty -m one && git log --format=%s"
      for (const [folder, expected] of [[join("projects", "app"), ["one"]], [join(".hidden", "app"), []]] as const) {
        const work = join(made.home, folder, "src")
        mkdirSync(work, { recursive: true })
        execFileSync("git", ["init", "-q", dirname(work)])
        const seen = yield* run(made, "workspace-write", `{ ${script}; } 2>/dev/null`, { work })
        assert.deepStrictEqual(seen, [...expected])
      }
    }))

  it.live("hide credentials where a named link leads to", () =>
    Effect.gen(function*() {
      const made = yield* home
      write(join(made.base, "elsewhere", "credentials"), secret)
      symlinkSync(join(made.base, "elsewhere"), join(made.home, ".aws"))
      assert.deepStrictEqual(yield* run(made, "read-only", `cat ${made.base}/elsewhere/* 2>/dev/null`), [])
    }))

  it.live("show a session folder in a hidden folder, without the credentials in it", () =>
    Effect.gen(function*() {
      const made = yield* home
      plant(made)
      made.put(".config/nvim/init.lua", "needed")
      const config = join(made.home, ".config")
      const script = (path: string) =>
        `cat "$HOME/${path}" 2>/dev/null; echo; touch "$HOME/${path}.new" && echo written`
      assert.deepStrictEqual(
        yield* run(made, "workspace-write", script(".config/nvim/init.lua"), { work: join(config, "nvim") }),
        ["needed", "written"]
      )
      assert.isTrue(existsSync(join(config, "nvim", "init.lua.new")))
      for (const mode of modes) {
        const seen = yield* run(made, mode, readable(all), { work: config })
        // What no list knows is shown with the folder that was given.
        assert.deepStrictEqual(seen.filter((path) => !/some-new-tool/.test(path)), [], mode)
      }
      const refused = yield* Effect.flip(run(made, "workspace-write", "true", { work: join(config, "gh") }))
      assert.include(refused.message, "is a folder that the sandbox hides (forges and build services)")
    }))

  it.live("are shown again where the operator says so, and only there", () =>
    Effect.gen(function*() {
      const made = yield* home
      plant(made)
      const visible = [".config/some-new-tool", ".kube/config", ".aws"].map((path) => join(made.home, path))
      for (const mode of ["read-only", "workspace-write"] as const) {
        const seen = yield* run(made, mode, readable(all), { visible })
        assert.deepStrictEqual(
          [...new Set(seen.filter((path) => !path.startsWith("/")))].sort(),
          all.filter((path) => /^\.aws\/|^\.kube\/config$|^\.config\/some-new-tool/.test(path)).sort()
        )
      }
      assert.deepStrictEqual(yield* run(made, "read-only", readable(all), { visible, masks: [made.home] }), [])
    }))

  it.live("hold in a session that opened the home folder itself", () =>
    Effect.gen(function*() {
      const made = yield* home
      plant(made)
      assert.deepStrictEqual(yield* run(made, "read-only", readable(all), { work: made.home }), [])
      assert.include(yield* run(made, "read-only", "cat notes.txt; echo", { work: made.home }), "needed")
    }))

  it.live("hold in a home folder with very many entries", () =>
    Effect.gen(function*() {
      const made = yield* home
      plant(made)
      for (let index = 0; index < 300; index++) made.put(`file${index}`, "")
      for (const mode of modes) assert.deepStrictEqual(yield* run(made, mode, readable(all)), [])
      assert.includeMembers([...yield* run(made, "read-only", readable(needed))], [...needed])
    }))

  it.live("are hidden where environment variables move them to", () =>
    Effect.gen(function*() {
      const made = yield* home
      const at = (name: string) => join(made.base, "moved", name)
      const moved = {
        CARGO_HOME: ["cargo", "credentials.toml"],
        GNUPGHOME: ["gpg", "private-keys-v1.d/key"],
        AWS_SHARED_CREDENTIALS_FILE: ["aws-credentials", ""],
        KUBECONFIG: ["kube", ""],
        NPM_CONFIG_USERCONFIG: ["npmrc", ""],
        XDG_CONFIG_HOME: ["config", "gh/hosts.yml"],
        XDG_DATA_HOME: ["data", "unknown/token"],
        XDG_CACHE_HOME: ["cache", "huggingface/token"],
        DOCKER_CONFIG: ["docker", "config.json"],
        PGPASSFILE: ["pgpass", ""],
        CLOUDSDK_CONFIG: ["gcloud", "credentials.db"],
        AZURE_CONFIG_DIR: ["azure", "msal_token_cache.json"],
        HF_TOKEN_PATH: ["hf-token", ""],
        HF_HOME: ["hf", "token"],
        GRADLE_USER_HOME: ["gradle", "gradle.properties"],
        CODEX_HOME: ["codex", "auth.json"],
        SOME_UNKNOWN_TOKEN_FILE: ["unknown-token", ""],
        HISTFILE: ["history", ""],
        GIT_CONFIG_GLOBAL: ["gitconfig", ""]
      }
      const files = Object.values(moved).map(([name, inner]) => join(at(name!), inner!))
      for (const file of files) write(file, secret)
      write(join(at("cargo"), "bin", "tool"), "needed")
      write(join(at("config"), "git", "ignore"), "needed")
      write(join(at("stored"), ""), secret)
      made.put(".config/git/config", `[credential]\n\thelper = store --file ${at("stored")}\n`)
      const variables = Object.fromEntries(
        Object.entries(moved).map((
          [name, [folder]]
        ) => [name, name === "KUBECONFIG" ? `${at("missing")}:${at(folder!)}` : at(folder!)])
      )
      const layer = Run.layer(made, {}, Run.path, variables)
      const { output } = yield* Effect.provide(
        Effect.scoped(Run.bash(
          `grep -rsl planted ${made.base}/moved; cat ${at("cargo")}/bin/tool ${at("config")}/git/ignore`,
          made.work,
          "read-only",
          false
        )),
        layer
      )
      assert.strictEqual(output, "neededneeded")
    }))
})

describe("hidden paths", () => {
  it.live("bound the file tools like commands", () =>
    Effect.gen(function*() {
      const made = yield* home
      plant(made)
      for (const mode of ["read-only", "workspace-write"] as const) {
        const { refusal } = Plan.reach({ mode, network: false, roots: [made.work] }, made.host, () => Effect.never)
        assert.deepStrictEqual(all.filter((path) => refusal(join(made.home, path), "read") === undefined), [])
        assert.deepStrictEqual(needed.filter((path) => refusal(join(made.home, path), "read") !== undefined), [])
      }
    }))

  it.live("go by the names of credentials in any case, and in folders deep in the home", () =>
    Effect.gen(function*() {
      const made = yield* home
      const hidden = [
        "SERVER.PEM",
        "id_rsa (1)",
        "Downloads/AuthKey_2X9R4HXF34.p8",
        "Downloads/Identity.P12",
        "Downloads/vpn.OVPN",
        "Desktop/github-recovery-codes.txt",
        "Documents/my-project-0123456789ab.json",
        "Documents/my-project-0123456789ab (1).json",
        "keys/AuthKey_ABC.p8",
        "work/clients/acme/prod.kdbx",
        "work/infra/terraform.tfstate.backup",
        "work/infra/my-project-0a1b2c3d4e5f.json",
        ".opam/plugins/opam-publish/token",
        ".m2/settings-work.xml",
        ".m2/settings.xml.bak"
      ]
      const kept = [
        "translations/de-translations.json",
        "work/readme.txt",
        "work/node_modules/a/test.pem",
        "Downloads/article.pdf",
        "projects/app/test/server.key",
        "projects/app/my-project-0123456789ab.json",
        ".m2/repository/a.jar",
        ".opam/default/bin/ocaml"
      ]
      for (const path of [...hidden, ...kept]) made.put(path, secret)
      const { refusal } = Plan.reach(
        { mode: "read-only", network: false, roots: [made.work] },
        made.host,
        () => Effect.never
      )
      assert.deepStrictEqual(hidden.filter((path) => refusal(join(made.home, path), "read") === undefined), [])
      assert.deepStrictEqual(kept.filter((path) => refusal(join(made.home, path), "read") !== undefined), [])
      if (!Fixture.hasBubblewrap) return
      const found = yield* run(made, "workspace-write", readable([...hidden, ...kept]))
      assert.deepStrictEqual(hidden.filter((path) => found.includes(path)), [])
      assert.isTrue(found.includes("projects/app/test/server.key"))
    }))

  it.live("leave the rest of a home folder to a session that was opened in it", () =>
    Effect.gen(function*() {
      const made = yield* home
      const kept = ["notes.txt", "src/a.txt", ".gitconfig", ".cargo/config.toml", ".editorconfig"]
      const hidden = [".ssh/id_ed25519", ".config/foo/x", ".new-tool/token", "server.pem"]
      for (const path of [...kept, ...hidden]) made.put(path, "planted")
      for (const mode of ["read-only", "workspace-read"] as const) {
        const { refusal } = Plan.reach({ mode, network: false, roots: [made.home] }, made.host, () => Effect.never)
        const isRead = (path: string) => refusal(join(made.home, path), "read") === undefined
        assert.deepStrictEqual([...kept, ...hidden].filter(isRead), kept, mode)
        assert.isUndefined(refusal(made.home, "read"), mode)
        if (!Fixture.hasBubblewrap) continue
        const found = yield* run(made, mode, readable([...kept, ...hidden]), { work: made.home })
        assert.deepStrictEqual([...new Set(found.filter((path) => !path.startsWith("/")))], kept, mode)
      }
    }))

  it.live("follow variables of programs that no table knows", () =>
    Effect.gen(function*() {
      const made = yield* home
      const put = (path: string, text = secret) => write(join(made.base, "elsewhere", path), text)
      for (const path of ["conf/a", "creds.json", "state/token", "tools/bin/x", "app.conf", "vault/k", "pc/x.pc"]) {
        put(path)
      }
      const at = (path: string) => join(made.base, "elsewhere", path)
      const host: HostEnvironment = {
        ...made.host,
        variables: {
          ...made.host.variables,
          FOO_CONFIG_DIR: at("conf"),
          ACME_CREDENTIALS: at("creds.json"),
          FOO_HOME: at("state"),
          BAR_HOME: at("tools"),
          BAZ_CONFIG: at("app.conf"),
          SOME_VAULT_DIR: at("vault"),
          PKG_CONFIG_PATH: at("pc"),
          APP_CONFIG_DIR: join(made.work, "config"),
          EMPTY_HOME: "",
          ODD_HOME: "/"
        }
      }
      write(join(made.work, "config/a"), "text")
      const { refusal } = Plan.reach(
        { mode: "read-only", network: false, roots: [made.work] },
        host,
        () => Effect.never
      )
      const isHidden = (path: string) => refusal(path, "read") !== undefined
      assert.deepStrictEqual(
        ["conf/a", "creds.json", "state/token", "app.conf", "vault/k"].filter((path) => !isHidden(at(path))),
        []
      )
      assert.deepStrictEqual(["tools/bin/x", "pc/x.pc"].filter((path) => isHidden(at(path))), [])
      assert.isFalse(isHidden(join(made.work, "config/a")))
      assert.isFalse(isHidden("/usr/bin"))
    }))

  it.live("are looked up again as soon as something changes", () =>
    Effect.gen(function*() {
      const made = yield* home
      made.put(".cargo/config.toml", "[build]\n")
      const readable = (path: string) =>
        Plan.reach({ mode: "read-only", network: false, roots: [made.work] }, made.host, () => Effect.never)
          .refusal(join(made.home, path), "read") === undefined
      yield* Effect.sleep("80 millis")
      assert.isTrue(readable(".cargo/config.toml"))
      made.put(".cargo/credentials.toml", secret)
      assert.isFalse(readable(".cargo/credentials.toml"))
      made.put(".cargo/config.toml", `[registry]\n${secret}\n`)
      assert.isFalse(readable(".cargo/config.toml"))
      made.put("server.pem", secret)
      assert.isFalse(readable("server.pem"))
      made.put("moved", "text")
      assert.isTrue(readable("moved"))
      renameSync(join(made.home, "moved"), join(made.home, ".moved"))
      assert.isFalse(readable(".moved"))
    }))
})
