import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { bytesOf } from "../../src/platform/PathBytes.ts"
import { host } from "../support/EngineHost.ts"
import { sandboxFolders, write } from "../support/SandboxFolders.ts"
import * as Fixture from "./Fixture.ts"
import * as Run from "./Run.ts"

const init = (folder: string, ...options: ReadonlyArray<string>) => {
  mkdirSync(folder, { recursive: true })
  execFileSync("git", ["init", "-q", "-b", "main", ...options, folder])
}

/** Takes what leads to a protection out of the way in one command, and what it does in the next. */
interface Attack {
  readonly title: string
  /** In the workspace; gives the files that must stay as they are. */
  readonly prepare: (work: string) => ReadonlyArray<string>
  readonly before?: string
  readonly scripts: ReadonlyArray<string>
}

const hooks = "tools/hooks/pre-commit"

const attacks: ReadonlyArray<Attack> = [
  {
    title: "the HEAD of the session's repository is gone, its folder of hooks",
    prepare: (work) => {
      init(work)
      appendFileSync(join(work, ".git", "config"), "[core]\n\thooksPath = tools/hooks\n[include]\n\tpath = ../more\n")
      return [write(join(work, hooks), "as it was"), write(join(work, "more"), "[user]\n")]
    },
    scripts: ["mv .git/HEAD kept", `echo evil > ${hooks}; echo evil > more; mv tools t; mv more m`, "mv kept .git/HEAD"]
  },
  {
    title: "the HEAD of a nested repository is gone, its folder of hooks",
    prepare: (work) => {
      init(join(work, "a", "inner"))
      appendFileSync(join(work, "a", "inner", ".git", "config"), "[core]\n\thooksPath = ../../shared/hooks\n")
      return [write(join(work, "shared", "hooks", "pre-commit"), "as it was")]
    },
    scripts: [
      "mv a/inner/.git/HEAD kept",
      "echo evil > shared/hooks/pre-commit; mv shared s",
      "mv kept a/inner/.git/HEAD"
    ]
  },
  {
    title: "the HEAD of a bare repository is gone, its hooks and configuration",
    prepare: (work) => {
      init(join(work, "store.git"), "--bare")
      return [write(join(work, "store.git", "hooks", "update"), "as it was"), join(work, "store.git", "config")]
    },
    scripts: [
      "mv store.git/HEAD kept; mv store.git/objects o; mv store.git/refs r",
      "echo evil > store.git/hooks/update; echo evil >> store.git/config; mv store.git/hooks h",
      "mv kept store.git/HEAD"
    ]
  },
  {
    title: "the HEAD of a submodule's repository is gone, its hooks and configuration",
    prepare: (work) => {
      init(work)
      const store = join(work, ".git", "modules", "libs", "config")
      init(store, "--bare")
      return [write(join(store, "hooks", "update"), "as it was"), join(store, "config")]
    },
    scripts: [
      "cd .git/modules/libs/config; mv HEAD objects refs /tmp/",
      "cd .git/modules/libs/config; echo evil > hooks/update; echo evil >> config; cd ..; mv config c"
    ]
  },
  {
    title: "a nested repository lies in node_modules, its hooks and configuration",
    prepare: (work) => {
      init(join(work, "packages", "one"))
      mkdirSync(join(work, "node_modules"))
      return [
        write(join(work, "packages", "one", ".git", "hooks", "pre-commit"), "as it was"),
        join(work, "packages", "one", ".git", "config"),
        write(join(work, "packages", "one", ".vscode", "tasks.json"), "as it was")
      ]
    },
    scripts: [
      "mv packages/one node_modules/",
      "cd node_modules/one && echo evil > .git/hooks/pre-commit; echo evil >> .git/config; echo evil > .vscode/tasks.json; mv .vscode v",
      "mv node_modules/one packages/"
    ]
  },
  {
    title: "a folder has a name that is no UTF-8, the settings in it",
    prepare: (work) => [
      write(join(work, "caf", "deep", ".vscode", "tasks.json"), "as it was"),
      write(join(work, "caf", ".envrc"), "as it was")
    ],
    scripts: [
      `mv caf $'caf\\xe9'`,
      `cd $'caf\\xe9'; echo evil > .envrc; echo evil > deep/.vscode/tasks.json; mv .envrc e`,
      `mv $'caf\\xe9' caf`
    ]
  }
]

describe.skipIf(!Fixture.hasBubblewrap).each(Fixture.users)(
  `where a command before has moved what it hangs on, from $name${Fixture.reason}`,
  (who) => {
    it.live.each(attacks)("while $title stay as they are", ({ prepare, scripts }) =>
      Effect.gen(function*() {
        const made = yield* sandboxFolders("sticky")
        const files = prepare(made.work)
        const before = files.map((file) => readFileSync(file, "utf8"))
        if (who.id !== undefined) execFileSync("chown", ["-R", `${who.id}:${who.id}`, made.base])
        const outputs: Array<string> = []
        yield* Effect.gen(function*() {
          for (const script of ["true", ...scripts]) {
            const { output } = yield* Run.bash(script, made.work, "workspace-write", false, { who })
            outputs.push(output)
          }
        }).pipe(Effect.scoped, Effect.provide(Run.layer(made)))
        const after = files.map((file) => existsSync(file) ? readFileSync(file, "utf8") : "gone")
        assert.deepStrictEqual(after, before, outputs.join("\n--\n"))
        assert.match(outputs.join("\n"), /Read-only file system|Device or resource busy/)
      }))

    it.live("settings in a folder that had such a name before are protected as well", () =>
      Effect.gen(function*() {
        const made = yield* sandboxFolders("sticky")
        mkdirSync(join(made.work, "plain"))
        const folder = bytesOf(join(made.work, "caf\udce9"))
        renameSync(join(made.work, "plain"), folder)
        execFileSync("bash", ["-c", `cd $'caf\\xe9' && mkdir .idea && echo 'as it was' > .idea/x`], { cwd: made.work })
        if (who.id !== undefined) execFileSync("chown", ["-R", `${who.id}:${who.id}`, made.base])
        const { output, warnings } = yield* Run.bash(
          `cd $'caf\\xe9'; echo evil > .idea/x; rm -rf .idea; mkdir .husky; cat .idea/x`,
          made.work,
          "workspace-write",
          false,
          { who }
        ).pipe(Effect.scoped, Effect.provide(Run.layer(made)))
        assert.match(output, /Read-only file system[^]*as it was\n$/)
        assert.deepStrictEqual(warnings.map((line) => line.split(";")[0]), [
          `'${made.work}/caf'$'\\351''/.husky' was created`
        ])
      }))
  }
)

describe.skipIf(!Fixture.hasBubblewrap)(`a session's file tools${Fixture.reason}`, () => {
  it.live("write nothing that its commands could not write", () => {
    const { cwd, layer, put, say } = host(() => `[policy]\ntool_approval = "universal_accept"\n`)
    return Effect.gen(function*() {
      for (const folder of ["a/inner", "b"]) init(join(cwd, folder))
      init(join(cwd, "store.git"), "--bare")
      init(join(cwd, "moved.git"), "--bare")
      renameSync(join(cwd, "moved.git", "HEAD"), join(cwd, "kept"))
      appendFileSync(
        join(cwd, "a", "inner", ".git", "config"),
        "[core]\n\thooksPath = ../../shared/hooks\n[includeIf \"onbranch:never\"]\n\tpath = ../../../conf/git.cfg\n"
      )
      appendFileSync(join(cwd, "b", ".git", "config"), "[core]\n\thooksPath = ../later\n")
      const held = [
        "a/inner/.git/config",
        "a/inner/.git/hooks/pre-push",
        "a/inner/.git/config.worktree",
        "a/inner/.git/modules/x/config",
        "a/inner/.git/modules/x/y/hooks/post-checkout",
        "a/inner/.git/worktrees/x/commondir",
        "shared/hooks/pre-commit",
        "shared/hooks/new",
        "conf/git.cfg",
        "later/pre-commit",
        "store.git/hooks/update",
        "store.git/config",
        "moved.git/config",
        "moved.git/hooks/update",
        "deep/down/.vscode/tasks.json",
        "deep/down/.mcp.json",
        "c/.git"
      ]
      const free = [
        "a/inner/.git/description",
        "shared/other",
        "conf/other.cfg",
        "store.git/description",
        "hooks/x",
        "config"
      ]
      for (const path of ["shared/hooks/pre-commit", "conf/git.cfg", "store.git/hooks/update"]) {
        put(join(cwd, path), "as it was\n")
      }
      const write = (path: string) => `call file_write ${JSON.stringify({ path, content: "evil\n" })}`
      const edit = (path: string) =>
        `call file_edit ${JSON.stringify({ path, old_string: "as it was", new_string: "evil" })}`
      const refused = yield* say(...held.map(write), ...["shared/hooks/pre-commit", "conf/git.cfg"].map(edit))
      for (const [at, result] of refused.entries()) assert.match(result, /^failed .*refused/, held[at])
      const written = yield* say(...free.map(write))
      for (const [at, result] of written.entries()) assert.match(result, /^completed/, free[at])
    }).pipe(Effect.provide(layer))
  })
})
