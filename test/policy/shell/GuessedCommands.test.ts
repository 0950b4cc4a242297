import { describe, expect, it } from "vitest"
import { rules } from "../rules/Ruled.ts"
import { analysed, categories, commandsOf, place } from "./Analysed.ts"

describe("a command that no row says is run", () => {
  it.each([
    ["somewrap rm -rf src", "fs-wipe"],
    ["retry -t 3 -- git push --force", "git-destructive"],
    ["wait-for-it db:5432 -- prisma migrate reset", "database"],
    ["somewrap otherwrap -v rm -rf src", "fs-wipe"],
    ["corp-cli ssh web1 'rm -rf /srv'", "fs-wipe"],
    ["foo --on-change 'git reset --hard'", "git-destructive"],
    ["foo --pager='rm -rf src' x", "fs-wipe"],
    ["foo --bind 'enter:execute(rm -rf {})'", "fs-wipe"],
    ["somewrap env A=1 timeout 5 rm -rf src", "fs-wipe"],
    ["somewrap -- sh -c 'echo x | base64 | psql -c \"DROP TABLE t\"'", "database"],
    ["pnpm -C sub prisma migrate reset", "database"],
    ["yarn workspaces foreach -Apt exec rm -rf src", "fs-wipe"],
    ["printf 'all:\\n\\t@rm -rf src\\n' | make -f -", "fs-wipe"],
    ["fzf --preview 'rm {}'", "fs-wipe"],
    ["guix shell x -- rm -rf src", "fs-wipe"],
    ["deno run -A npm:rimraf@5 src", "fs-wipe"],
    ["git-push --force", "git-destructive"],
    ["/usr/lib/git-core/git-clean -fdx", "git-destructive"]
  ])("counts where it is dangerous: %s", (command, category) => {
    expect(categories(command)).toEqual([category])
  })

  it.each([
    "somewrap ls -la",
    "somewrap rm -rf dist",
    "sdk install reboot",
    "todo kill",
    "jira issue create -s 'drop table users' -b 'git push --force'",
    "foo -m 'rm -rf src'",
    "foo run \"$X\"",
    "foo --exec \"$X\"",
    "somewrap rm --help",
    "fzf --preview 'head {}'",
    "git-pull --rebase",
    "pnpm rm lodash",
    "pnpm test",
    "f() { echo \"$1\"; }; f rm -rf src"
  ])("and nowhere else: %s", (command) => {
    expect(analysed(command)).toMatchObject({ shapes: [], opaque: false })
  })

  it("is no part of its own, so that allow rules need not name it", () => {
    for (const command of ["somewrap ls -la", "pnpm vitest run", "somewrap rm -rf src"]) {
      expect(commandsOf(command).map(({ argv }) => argv[0])).toEqual([command.split(" ")[0]])
    }
    expect(analysed("pnpm vitest run").capability).toBe("shell_test")
  })

  it("is seen by deny rules where it is dangerous", () => {
    const decide = (command: string) => {
      const { inner, opaque, parseError, parts } = analysed(command)
      const facts = { opaque, parseError, place, canonical: (path: string) => path, inner }
      return rules({ deny: ["shell(rm **)"] }).decide("shell", parts, facts)?.list
    }
    expect(decide("somewrap rm -rf src")).toBe("deny")
    expect(decide("cheatsheet rm")).toBeUndefined()
  })

  it("ends, however many there may be", () => {
    for (const command of [`x ${"git rm sh -c ".repeat(1_000)}`, "x git ls; ".repeat(1_400)]) {
      expect(analysed(command).parts.length).toBeGreaterThan(0)
    }
  })

  it("leaves nothing unseen behind very many guesses", () => {
    expect(analysed(`${"x git ls; ".repeat(300)} x rm -rf src`).opaque).toBe(true)
  })
})

describe("a file that the same command line has written", () => {
  it.each([
    ["echo 'rm -rf src' > x.sh; sh x.sh", "fs-wipe"],
    ["cat > x.sh <<'E'\nset -e\nrm -rf src\nE\nchmod +x x.sh && ./x.sh", "fs-wipe"],
    ["printf 'git push -f\\n' | tee y.sh; . ./y.sh", "git-destructive"],
    ["echo 'rm -rf src' > x.sh; cp x.sh y.sh; bash y.sh", "fs-wipe"],
    ["echo 'DROP TABLE t;' > q.sql && psql -f q.sql", "database"],
    ["echo 'DROP TABLE t;' > q.sql; cat q.sql | psql", "database"],
    ["echo 'DROP TABLE t;' > q.sql; mysql app < q.sql", "database"],
    ["echo FLUSHALL > r; redis-cli < r", "database"],
    ["echo 'db.dropDatabase()' > w.js && mongosh app w.js", "database"],
    ["echo 'import shutil; shutil.rmtree(\"src\")' > x.py && python3 x.py", "interpreter"],
    ["printf '#!/usr/bin/env python3\\nimport shutil; shutil.rmtree(\"src\")' > x; chmod +x x; ./x", "interpreter"],
    ["printf 'all:\\n\\trm -rf src\\n' > Makefile && make", "fs-wipe"],
    ["echo 'rm -rf src' > x.sh; sh x.sh; echo ls > x.sh", "fs-wipe"]
  ])("is read where it is run: %s", (command, category) => expect(categories(command)).toEqual([category]))

  it.each([
    "echo 'rm -rf src' > x.sh",
    "echo 'rm -rf src' > x.sh; cat x.sh",
    "cat > migrations/1.sql <<'E'\nDROP TABLE t;\nE",
    "echo 'npm test' > x.sh && sh x.sh"
  ])("and is a text elsewhere: %s", (command) => expect(categories(command)).toEqual([]))
})

describe("names", () => {
  it.each([
    "npm run db:reset",
    "make drop-db",
    "just deploy",
    "yarn deploy",
    "convex-like data clear",
    "foo users purge",
    "foo flush --force",
    "./scripts/reset-db.sh",
    "foo export --show-secrets"
  ])("tell of %s", (command) => expect(categories(command)).not.toEqual([]))

  it.each([
    "npm run clean",
    "npm run reset-cache",
    "npm run deploy:preview",
    "make test-delete",
    "foo cache clear",
    "foo flush --cache --force",
    "foo data clear --dry-run",
    "rails generate migration DropUsers",
    "./scripts/reset-db.sh --help"
  ])("but not of %s", (command) => expect(categories(command)).toEqual([]))
})
