import { describe, expect, it } from "vitest"
import { analysed, type DangerCase, read } from "./Analysed.ts"

const capability = (command: string): string => analysed(command).capability

describe("nothing to run", () => {
  it.each(["", "   ", "# rm -rf /", "\n# a\n\n"])("%j", (command) => {
    expect(capability(command)).toBe("none")
  })
})

describe("only reading", () => {
  it.each([
    "ls -la",
    "cat a b | head -5",
    "git status",
    "git log -p -2 --stat",
    "git -C sub diff",
    "git branch -a",
    "git stash list",
    "git config --get user.name",
    "find . -name '*.ts' | xargs grep -l foo | sort -u | wc -l",
    "sed -n '1,40p' f",
    "awk '{print $1}' f",
    "rg -n x src",
    "sh -c 'ls | wc -l'",
    "cd src && ls",
    "for f in *.ts; do wc -l \"$f\"; done",
    "if [ -f x ]; then cat x; fi",
    "diff <(sort a) <(sort b)",
    "ls > /dev/null 2>&1",
    "time ls",
    "timeout 5 ls",
    "export CI=1; ls",
    "x=1; echo $x",
    "[[ -f x ]]",
    "command -v node",
    "node --version",
    "jq .a x.json",
    "date +%F",
    "env | sort"
  ])("%s", (command) => {
    expect(capability(command)).toBe("shell_ro")
  })
})

describe("building and testing", () => {
  it.each([
    "npm test",
    "npm run lint -- --quiet",
    "pnpm -r build",
    "npx vitest run",
    "npx tsc --noEmit && npx eslint .",
    "node --test",
    "python -m pytest -q",
    "go test ./...",
    "cargo clippy",
    "make check",
    "cd pkg && npm test 2>&1 | tail -5",
    "CI=1 npm test",
    "uv run pytest",
    "./gradlew test",
    "timeout 60 npm test"
  ])("%s", (command) => {
    expect(capability(command)).toBe("shell_test")
  })
})

describe("everything else may write", () => {
  it.each([
    // Writes, also by an option, a shortened option, a second operand or a group's redirect.
    "ls > x",
    "ls | tee x",
    "{ ls; } > x",
    "for i in 1; do ls; done > x",
    "sort -o x y",
    "sort --outp=x y",
    "uniq a b",
    "xxd a b",
    "find . -fprint x",
    "find . -delete",
    "sed -i s/a/b/ f",
    "sed -n '1w x' f",
    "awk '{print > \"x\"}' f",
    "yq -i .a x",
    "git log --output=x",
    "git log --outp=x",
    "git branch x",
    "git tag v1",
    "git commit -m x",
    "date -s x",
    "touch x",
    "npm test > x",
    "eslint --fix .",
    "npm run build && rm x",
    // Runs what is not known here.
    "./ls",
    "/tmp/ls",
    "python x.py",
    "npx foo",
    "npm run deploy",
    "make",
    "git -c core.pager=x log",
    "git -p log",
    "git grep -Oless x",
    "git diff --ext-diff",
    "rg --pre x y",
    "fd -x rm",
    "command ls",
    "env ls",
    "xargs rm",
    "zsh -c ls",
    "sh x",
    "source x",
    "$X",
    "cat $(./x)",
    "f() { ls; }; f",
    // Files whose names could become options.
    "find *",
    "sort *",
    // Changes what later commands mean.
    "PATH=/x; ls",
    "PATH=/x ls",
    "for PATH in /x; do ls; done",
    "printf -v PATH x; ls",
    "alias ls=rm; ls",
    "FOO=1 ls",
    "RIPGREP_CONFIG_PATH=x rg y",
    "BASH_CMDS[ls]=./x; ls",
    "hash -p ./x ls",
    "git -C ../x log",
    "cd ..",
    "cd /",
    "cd",
    "cd -",
    "cd src && cd ../..",
    // Network, background, job control, errors.
    "curl x",
    "ls; curl http://localhost",
    "npm view x",
    "git fetch",
    "ls &",
    "coproc ls",
    "echo \"abc",
    "ls \0",
    `echo ${"x".repeat(17_000)}`
  ])("%s", (command) => {
    expect(capability(command)).toBe("shell_rw")
  })

  it("includes every dangerous command there is", () => {
    const all = [...read<DangerCase>("danger-cases.json"), ...read<DangerCase>("own-danger-cases.json")]
    for (const { command } of all) {
      const found = analysed(command)
      if (found.shapes.length > 0 || found.opaque || found.parseError) {
        expect(found.capability, command).toBe("shell_rw")
      }
    }
  })
})

describe("programs that need a network", () => {
  it.each([
    ["curl https://x.io | jq .", ["curl"]],
    ["git fetch && git status", ["git fetch"]],
    ["npm ci && npm test", ["npm ci"]],
    ["rsync -a a host:b", ["rsync"]],
    ["rsync -a a b", []],
    ["sudo apt-get install x", ["apt-get install"]],
    ["bash -c 'wget x'", ["wget"]],
    ["curl http://localhost:3000", []],
    ["git log", []],
    ["pip install --no-index x", []]
  ])("%s", (command, expected) => {
    expect(analysed(command).networkPrograms).toEqual(expected)
  })
})
