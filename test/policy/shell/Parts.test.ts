import { describe, expect, it } from "vitest"
import { analysed, commandsOf, read } from "./Analysed.ts"

const cases = read<{ readonly name: string; readonly command: string; readonly expect: ReadonlyArray<string> | null }>(
  "shell-parse-cases.json"
)

describe("every simple command is a part", () => {
  it.each(cases)("$name", ({ command, expect: expected }) => {
    const found = analysed(command)
    const names = commandsOf(command)
      .filter((part) => part.wrappers.length === 0)
      .map((part) => part.program)
    const bases = names.map((name) => (name === null ? "?" : name.slice(name.lastIndexOf("/") + 1))).sort()
    expect(found.parseError ? null : bases).toEqual(expected)
  })
})

const seen = (command: string): ReadonlyArray<string> =>
  commandsOf(command).map(
    (part) => `${[...part.wrappers, ""].join(">")}${part.argv.map((word) => word ?? "?").join(" ")}`
  )

describe("what a wrapper runs is a part after it", () => {
  it.each([
    ["timeout 5 sudo rm x", ["timeout 5 sudo rm x", "timeout>sudo rm x", "timeout>sudo>rm x"]],
    ["env -i A=1 rm x", ["env -i A=1 rm x", "env>rm x"]],
    ["nice -n 5 ls", ["nice -n 5 ls", "nice>ls"]],
    ["command -v curl", ["command -v curl"]],
    ["find . -name '*.o' -exec rm {} +", ["find . -name *.o -exec rm {} +", "find>rm ?"]],
    ["xargs -n 1 npm test", ["xargs -n 1 npm test", "xargs>npm test ?"]],
    ["bash -c 'ls; rm x'", ["bash -c ls; rm x", "bash>ls", "bash>rm x"]],
    ["eval 'rm x'", ["eval rm x", "eval>rm x"]],
    ["trap 'rm x' EXIT", ["trap rm x EXIT", "trap>rm x"]],
    ["sh <<'E'\nrm x\nE", ["sh", "sh>rm x"]],
    ["bash <<< 'rm x'", ["bash", "bash>rm x"]],
    ["echo 'rm x' | sh", ["echo rm x", "sh", "sh>rm x"]],
    ["ssh host 'rm x'", ["ssh host rm x", "ssh>rm x"]],
    ["npx vitest run", ["npx vitest run"]],
    ["docker exec app rm x", ["docker exec app rm x"]]
  ])("%s", (command, expected) => {
    expect(seen(command)).toEqual(expected)
  })

  it("finds what hides in subscripts, tests, arithmetic and here-documents", () => {
    expect(seen("A[$(curl x)]=1 true")).toEqual(["curl x", "true"])
    expect(seen("[[ $(curl x) ]]")).toEqual(["curl x"])
    expect(seen("(( $(curl x) + 1 ))")).toEqual(["curl x"])
    expect(seen("cat <<E\n$(curl x)\nE")).toEqual(["curl x", "cat"])
    expect(seen("cat <<'E'\n$(curl x)\nE")).toEqual(["cat"])
  })
})

describe("redirects", () => {
  const redirects = (command: string) =>
    analysed(command).parts.flatMap((part) =>
      part.kind === "read" || part.kind === "write" ? [[part.kind, part.path]] : []
    )

  it("are parts with absolute paths", () => {
    expect(redirects("ls > a.txt")).toEqual([["write", "/ws/a.txt"]])
    expect(redirects("cd sub && ls >> ../b < ~/c")).toEqual([
      ["write", "/ws/b"],
      ["read", "/home/me/c"]
    ])
    expect(redirects("ls &> x 3<> y")).toEqual([
      ["write", "/ws/x"],
      ["read", "/ws/y"],
      ["write", "/ws/y"]
    ])
    expect(redirects("ls > $X")).toEqual([["write", null]])
  })

  it("to the null device and between descriptors touch nothing", () => {
    expect(redirects("ls > /dev/null 2>&1 < /dev/null 3>&- >&2")).toEqual([])
  })
})

describe("words", () => {
  it("are literal after quote removal, or null", () => {
    expect(commandsOf("r''m \"a b\" $'\\x41' $X *.c ~/d \"$HOME/e\" \"$(ls)\"").at(-1)?.argv).toEqual([
      "rm",
      "a b",
      "A",
      null,
      null,
      "~/d",
      "/home/me/e",
      null
    ])
  })

  it("say when the program or the code is not literal", () => {
    const opaque = (command: string) => analysed(command).opaque
    expect(opaque("$CMD x")).toBe(true)
    expect(opaque("/bin/l? x")).toBe(true)
    expect(opaque("bash -c \"$X\"")).toBe(true)
    expect(opaque("eval \"$X\"")).toBe(true)
    expect(opaque("test -v 'a[$(id)]'")).toBe(true)
    expect(opaque("[[ 'a[$(id)]' -eq 1 ]]")).toBe(true)
    expect(opaque("pwsh -c ls")).toBe(true)
    expect(opaque("\"$HOME/bin/tool\" x")).toBe(false)
    expect(opaque("eval \"$(direnv hook bash)\"")).toBe(false)
    expect(opaque("eval \"$(./direnv hook bash)\"")).toBe(true)
  })

  it("carry assignments, the folder and the files that are named", () => {
    const [, part] = commandsOf("cd src && A=1 cp ../a.txt b.txt")
    expect(part).toMatchObject({
      assignments: [{ name: "A", value: "1" }],
      cwd: "/ws/src",
      touches: [
        { kind: "read", path: "/ws/a.txt" },
        { kind: "write", path: "/ws/src/b.txt" }
      ]
    })
  })

  it("are evaluated where arithmetic names a variable", () => {
    expect(analysed("x='a[$(id)]'; ((x))").opaque).toBe(true)
    expect(analysed("for x in 'a[$(id)]'; do ((x)); done").opaque).toBe(true)
  })

  it("keep a bare assignment that matters to later commands", () => {
    expect(commandsOf("PATH=/x; ls").map((part) => [part.program, part.assignments])).toEqual([
      ["", [{ name: "PATH", value: "/x" }]],
      ["ls", []]
    ])
    expect(commandsOf("x=1; ls").map((part) => part.program)).toEqual(["ls"])
  })
})
