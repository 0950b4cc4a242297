import { describe, expect, it } from "vitest"
import { analysed, categories, type DangerCase, read } from "./Analysed.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"

const given = read<DangerCase>("danger-cases.json")
const own = read<DangerCase>("own-danger-cases.json")

const isFlagged = (command: string): boolean => analysed(command).shapes.length > 0

describe("every given dangerous command is found, and nothing else", () => {
  it.each(given)("$command", ({ command, dangerous }) => {
    expect(isFlagged(command)).toBe(dangerous)
  })
})

describe("A variable that loads code from a process substitution", () => {
  it.each([
    "BASH_ENV=<(echo rm -rf src) bash -c :",
    "env BASH_ENV=<(echo x) bash -c :",
    "export BASH_ENV=<(echo x)",
    "LD_PRELOAD=<(cat x) ls",
    "GIT_SSH_COMMAND=<(echo x) git fetch",
    "PYTHONSTARTUP=<(echo x) python3"
  ])("is found in %s", (command) => {
    expect(categories(command)).toContain("tamper")
  })

  it("is not what any variable is", () => {
    expect(isFlagged("diff <(sort a) <(sort b)")).toBe(false)
    expect(isFlagged("x=<(sort a); cat $x")).toBe(false)
  })
})

describe("variables that double each other", () => {
  it("are followed no further than a command line is long", () => {
    const longest = (command: string) => JSON.stringify(analysed(command).parts).length
    expect(longest(`a=x;${"a=$a$a;".repeat(60)}$a`)).toBeLessThan(200_000)
    expect(longest(`a0=x;${Array.from({ length: 40 }, (_, at) => `a${at + 1}=$a${at}$a${at};`).join("")}$a40`))
      .toBeLessThan(200_000)
  })
})

describe("the category is the one the case names", () => {
  // Some commands have several; which one a person is told first does not matter.
  it("for nine in ten of the given cases", () => {
    const dangerous = given.filter((each) => each.dangerous)
    const agreeing = dangerous.filter((each) => categories(each.command).includes(each.why!.split(":")[0]!.trim()))
    expect(agreeing.length / dangerous.length).toBeGreaterThan(0.85)
  })
})

describe("the wider sets, each written without looking at what the tables find", () => {
  it("has at least 97 of 100 dangerous commands found", () => {
    const dangerous = own.filter((each) => each.dangerous)
    const missed = dangerous.filter((each) => !isFlagged(each.command)).map((each) => each.command)
    expect(missed.length / dangerous.length, missed.join("\n")).toBeLessThan(0.03)
  })

  it("has at most one false alarm in a hundred harmless commands", () => {
    const harmless = own.filter((each) => !each.dangerous)
    const alarms = harmless.filter((each) => isFlagged(each.command)).map((each) => each.command)
    expect(alarms.length / harmless.length, alarms.join("\n")).toBeLessThan(0.01)
  })
})

interface DangerSets {
  /** As agents write them every day. */
  readonly realistic: ReadonlyArray<string>
  /** Inline code, plumbing, options that run programs. */
  readonly hard: ReadonlyArray<string>
  /** Behind programs that run others. */
  readonly runners: ReadonlyArray<string>
  readonly harmless: ReadonlyArray<string>
}

describe.each(["kinds-danger-cases.json", "unseen-danger-cases.json"])("the sets by kind, %s", (file) => {
  const sets = read<string>(file) as unknown as DangerSets

  it.each([["realistic", 0.95], ["hard", 0.88], ["runners", 0.9]] as const)(
    "of %s at least %d are found",
    (kind, share) => {
      const missed = sets[kind].filter((command) => !isFlagged(command))
      expect(1 - missed.length / sets[kind].length, missed.join("\n")).toBeGreaterThanOrEqual(share)
    }
  )

  it("has at most one false alarm in a hundred harmless commands", () => {
    const alarms = sets.harmless.filter(isFlagged)
    expect(alarms.length / sets.harmless.length, alarms.join("\n")).toBeLessThanOrEqual(0.01)
  })
})

describe("where a command runs decides what it means", () => {
  it("follows literal folder changes", () => {
    expect(isFlagged("cd packages/app && rm -rf dist")).toBe(false)
    expect(isFlagged("cd / && rm -rf dist")).toBe(true)
    expect(isFlagged("(cd /) ; rm -rf dist")).toBe(false)
    expect(isFlagged("if true; then cd /; fi; rm -rf dist")).toBe(true)
    expect(isFlagged("cd \"$X\" && rm -rf dist")).toBe(true)
  })

  it("does not take a workspace below /tmp for scratch space", () => {
    const inTmp = { cwd: "/tmp/ws", roots: ["/tmp/ws"], home: "/home/me" }
    expect(analyse("rm -rf src", inTmp).shapes).not.toEqual([])
    expect(analyse("rm -rf dist", inTmp).shapes).toEqual([])
    expect(analyse("rm -rf ../ws", inTmp).shapes).not.toEqual([])
  })

  it.each([
    ["mv src /tmp/backup", true],
    ["mv notes.txt /var/tmp/", true],
    ["mv .git /tmp/", true],
    ["mv -t /tmp src lib", true],
    ["mv --target-directory=/dev/shm src", true],
    ["cd src && mv a.ts ../../../tmp/a.ts", true],
    ["mv *.ts \"$TMPDIR/\"", true],
    ["mv src \"$(mktemp -d)\"", true],
    ["env mv src ${TMPDIR:-/tmp}/x", true],
    ["mv dist /tmp/old", false],
    ["mv src lib", false],
    ["mv /tmp/new.ts src/new.ts", false],
    ["mv /tmp/a /tmp/b", false],
    ["cp -r src /tmp/backup", false]
  ])("asks before something is moved out of the workspace to where it does not last: %s", (command, flagged) => {
    expect(isFlagged(command)).toBe(flagged)
  })

  it("knows the second root as well", () => {
    const two = { cwd: "/ws", roots: ["/ws", "/lib"], home: "/home/me" }
    expect(analyse("rm -rf /lib/node_modules", two).shapes).toEqual([])
  })

  it("treats a root that is the home folder as no root at all", () => {
    expect(
      analyse("echo x >> ~/.bashrc", { cwd: "/home/me", roots: ["/home/me"], home: "/home/me" }).shapes
    ).not.toEqual([])
  })

  it("takes the home of root for a home where it is the user's own", () => {
    const root = { cwd: "/ws", roots: ["/ws"], home: "/root" }
    for (const command of ["cat ~/.bashrc", "cp a ~/notes.txt"]) {
      expect(analyse(command, root).shapes, command).toEqual([])
      expect(isFlagged(command.replace("~", "/root")), command).toBe(true)
    }
    for (const command of ["cat ~/.ssh/id_rsa", "echo x >> ~/.bashrc", "rm -rf ~", "cat ~/.aws/credentials"]) {
      expect(analyse(command, root).shapes, command).not.toEqual([])
    }
  })

  it.each(
    [
      ["for f in *; do rm -- \"$f\"; done", true],
      ["for f in *.log; do rm \"$f\"; done", false],
      ["ls | while read f; do rm \"$f\"; done", true],
      ["find . -name '*.pyc' | while read f; do rm \"$f\"; done", false],
      ["rm $(git ls-files)", true],
      ["rm $(ls *.log)", false],
      ["rm *.ts", true],
      ["rm src/generated/*.ts", false],
      ["sed -i d src/*", true],
      ["sed -i '1d' src/a.ts", false]
    ] as const
  )("knows which files a name stands for: %s", (command, found) => expect(isFlagged(command)).toBe(found))

  it("trusts a fresh temporary folder, and nothing beside it", () => {
    expect(isFlagged("t=$(mktemp -d); rm -rf \"$t\"")).toBe(false)
    expect(isFlagged("t=$(mktemp -d); rm -rf $t/../x/..")).toBe(true)
    expect(isFlagged("t=$(mktemp -d -p /home/me); rm -rf $t")).toBe(true)
    expect(isFlagged("t=$(mktemp -d); read t; rm -rf $t")).toBe(true)
  })

  it("sees redirects of whole groups", () => {
    expect(categories("{ echo x; } > /etc/passwd")).toEqual(["accounts"])
    expect(categories("for i in 1; do echo; done >> ~/.bashrc")).toEqual(["persistence"])
  })

  it("looks only for what leaves a container inside one", () => {
    expect(isFlagged("docker exec app apt-get remove -y curl")).toBe(false)
    expect(isFlagged("docker run --rm alpine rm -rf /srv")).toBe(false)
    expect(categories("docker compose exec db psql -c 'DROP TABLE t'")).toEqual(["database"])
  })

  it.each([
    "docker exec app rm -rf /srv",
    "docker compose exec -T app sh -c 'rm -rf /srv/*'",
    "docker run --rm -v \"$PWD\":/w alpine rm -rf /w/src",
    "docker run --rm --mount type=bind,src=.,dst=/w alpine sh -c 'rm -rf /w'"
  ])("sees what is lost with a folder that outlives the command: %s", (command) => {
    expect(categories(command)).toEqual(["fs-wipe"])
  })

  it.each([
    "docker run --rm -v \"$PWD\":/w:ro alpine rm -rf /w/src",
    "docker run --rm -v \"$PWD\":/w alpine rm -rf /var/lib/x",
    "docker run --rm -v \"$PWD\":/w -w /w node rm -rf node_modules",
    "docker exec app rm -rf /tmp/x dist",
    "docker exec app rm /srv/server.pid"
  ])("and what is not: %s", (command) => expect(isFlagged(command)).toBe(false))
})
