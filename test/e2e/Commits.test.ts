import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { describe, expect } from "vitest"
import { hasBubblewrap, reason } from "../support/Bubblewrap.ts"
import { type Host, test } from "../support/Host.ts"

const identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim()

/** A repository with a file in a folder. */
const repository = (folder: string) => {
  mkdirSync(join(folder, "src", "deep"), { recursive: true })
  git(folder, "init", "-q", "-b", "main")
  writeFileSync(join(folder, "src", "deep", "a"), "a")
  git(folder, "add", ".")
  git(folder, "commit", "-qm", "first")
  return folder
}

const withSubmodule = (base: string) => {
  const [main, library] = [repository(join(base, "main")), repository(join(base, "library"))]
  git(main, "submodule", "add", "-q", library, "lib")
  git(main, "commit", "-qm", "with a submodule")
  return main
}

/** Where a work tree keeps its repository; each makes one and gives the work tree. */
const layouts: Readonly<Record<string, (base: string) => string>> = {
  "a repository of its own": (base) => repository(join(base, "main")),
  "a linked worktree": (base) => {
    git(repository(join(base, "main")), "worktree", "add", "-q", join(base, "tree"))
    return join(base, "tree")
  },
  "a linked worktree inside the main one": (base) => {
    git(repository(join(base, "main")), "worktree", "add", "-q", "-b", "in", ".worktrees/in")
    return join(base, "main", ".worktrees", "in")
  },
  "a linked worktree with relative paths": (base) => {
    const [main, tree] = [repository(join(base, "main")), join(base, "tree")]
    git(main, "worktree", "add", "-q", tree)
    const store = join(main, ".git", "worktrees", "tree")
    writeFileSync(join(tree, ".git"), `gitdir: ${relative(tree, store)}\n`)
    writeFileSync(join(store, "gitdir"), `${relative(store, join(tree, ".git"))}\n`)
    return tree
  },
  "a worktree of a bare repository": (base) => {
    repository(join(base, "main"))
    git(base, "clone", "-q", "--bare", "main", "bare.git")
    git(join(base, "bare.git"), "worktree", "add", "-q", "-b", "x", join(base, "tree"))
    return join(base, "tree")
  },
  "a worktree beside its bare repository": (base) => {
    repository(join(base, "main"))
    const project = join(base, "project")
    git(base, "clone", "-q", "--bare", "main", join(project, ".bare"))
    writeFileSync(join(project, ".git"), "gitdir: ./.bare\n")
    git(project, "worktree", "add", "-q", "-b", "one", "one")
    return join(project, "one")
  },
  "a submodule": (base) => join(withSubmodule(base), "lib"),
  "a submodule of a submodule": (base) => {
    const library = join(withSubmodule(base), "lib")
    git(library, "submodule", "add", "-q", repository(join(base, "inner")), "vendor/inner")
    return join(library, "vendor", "inner")
  },
  "a submodule of a linked worktree": (base) => {
    const main = withSubmodule(base)
    git(main, "worktree", "add", "-q", join(base, "tree"))
    git(join(base, "tree"), "submodule", "update", "-q", "--init")
    return join(base, "tree", "lib")
  }
}

const commit = `echo b > b && git add b && git ${identity.join(" ")} commit -q -m second`

/** A session in `cwd` that runs every command. */
const shell = async (host: Host, cwd: string) => {
  const acp = await host.open({ env: { POSTERN_policy__tool_approval: "universal_accept" } })
  const sessionId = await acp.newSession({ cwd })
  return async (command: string) => JSON.stringify((await acp.prompt(sessionId, `run ${command}`)).updates)
}

describe.skipIf(!hasBubblewrap)(`a confined command commits${reason}`, () => {
  for (const [name, make] of Object.entries(layouts)) {
    for (const folder of ["", "src/deep"]) {
      test(`in ${folder === "" ? name : `a folder of ${name}`}, and changes neither hooks nor configuration`, async ({ host }) => {
        const base = join(host.folder, "repositories")
        mkdirSync(base)
        const cwd = join(make(base), folder)
        const run = await shell(host, cwd)
        const output = await run(commit)
        expect([git(cwd, "log", "-1", "--format=%s"), git(cwd, "status", "--porcelain", ".")], output).toEqual([
          "second",
          ""
        ])
        const common = git(cwd, "rev-parse", "--path-format=absolute", "--git-common-dir")
        const own = git(cwd, "rev-parse", "--absolute-git-dir")
        const config = readFileSync(join(common, "config"), "utf8")
        await run(
          `echo x > ${common}/hooks/pre-commit; mv ${common}/hooks ${common}/old; echo x >> ${common}/config; ` +
            `echo x > ${own}/commondir; echo x > ${own}/gitdir`
        )
        expect([existsSync(join(common, "hooks", "pre-commit")), existsSync(join(common, "old"))]).toEqual([
          false,
          false
        ])
        expect(readFileSync(join(common, "config"), "utf8")).toBe(config)
        expect(git(cwd, "log", "-1", "--format=%s")).toBe("second")
      })
    }
  }

  test("not in a repository that only a file of the workspace names", async ({ host }) => {
    const other = repository(join(host.folder, "other"))
    host.write(".git", `gitdir: ${other}/.git\n`)
    const run = await shell(host, host.project)
    await run(commit)
    await run(`echo x > ${other}/.git/planted`)
    expect(existsSync(join(other, ".git", "planted"))).toBe(false)
    expect(git(other, "log", "-1", "--format=%s")).toBe("first")
  })
})
