import { describe, expect, it } from "vitest"
import { analysed } from "./Analysed.ts"

describe("may write or run something", () => {
  it.each([
    // A descriptor that may be a file.
    "x=red; echo hi >& $x",
    "x=red; : >& ${x}",
    ": >& $1",
    // A descriptor kept in a variable that later programs are found by.
    ": {PATH}>/dev/null; ls",
    "x=1; if true; then x=f; fi; echo hi >&$x",
    // What is not literal may be an option or more words.
    "find del $(echo -delete)",
    "sort $(echo -oso) sf",
    "x=$(echo -delete); find . $x",
    "x='. -delete'; find $x",
    ": -delete; find . $_",
    "find . \"$@\"",
    `find . {${Array.from({ length: 40 }, (_, at) => `a${at}`).join(",")},-delete}`,
    "git log $(echo --output=x)",
    "sed -n 1p $(echo -i) f",
    "rg $(echo --pre=./x) x",
    "yq $(echo -i) .a f",
    "tree $(echo -o) x",
    "fd $(echo -x) touch",
    "file $(echo -C)",
    "base64 $(echo -ox) f",
    "go list $(echo -mod=mod)",
    "cargo metadata --offline $(echo --config=x)",
    "uniq $(echo a b)",
    "uniq a*",
    "uniq {1..2}",
    "xxd *",
    "rg x *",
    "printf $x PATH y; ls",
    "printf '' | printf -vPATH x",
    "x=' -v PATH y'; printf $x; ls",
    // Code that looks like a string or a pattern.
    `awk 'BEGIN{x=1/2; print "hi" > "pw"; y=1/2}'`,
    `awk '/"/ {system("touch pw4")} /"/'`,
    `awk '{print "x" | "sh"}' f`,
    `awk '{print > $1}' f`,
    "awk '{sys\\\ntem(\"ls\")}' f",
    // Bundles.
    "sed -nEi 1p sf",
    "sed -n -Ei 1p f",
    "sed -n -Ei.bak 1p f",
    "tree -Lo 1 out",
    "xxd f -b",
    "uniq f -c",
    "x='CI=1 PATH=.'; export $x; ls",
    "xxd -ps x y",
    // Builtins and words that run something.
    "jobs -x touch jx",
    "command rm -v x",
    "arch -x86_64 rm -rf x",
    "diff3 --diff-program=./x a b c",
    "echo f | xargs --replace rm cat",
    "echo f | xargs --max-lines rm cat",
    "echo f | xargs -i rm cat",
    "echo f | xargs -l rm cat",
    "echo f | xargs -e rm cat",
    "echo '-C -m x' | xargs file",
    "make version",
    "node version",
    "perl version",
    "python version",
    "ruby version",
    "php version",
    "gradle version",
    "deno version",
    "yarn version",
    "yarn --version",
    "echo 1 | python -v",
    // Shortened options.
    "git grep --op='touch pw5; cat' foo",
    "git cat-file --fi HEAD:x",
    "git cat-file --te HEAD:x",
    "git log --ou=x",
    "nice time --outp=tm ls",
    "time -ao tm ls",
    "yq --split .a f",
    "base64 --out=x f",
    "npm ls --logs-dir=foo",
    "npm --depth ls exec evil",
    // Options that name a program or change a file.
    `cargo metadata --offline --config 'build.rustc="./evil"'`,
    "go list -export -toolexec=./evil ./...",
    "go list -mod=mod",
    "go env --w X=1",
    "go env --u A",
    "date -r -d 01010000"
  ])("%s", (command) => {
    expect(analysed(command).capability).toBe("shell_rw")
  })
})

describe("still only reads", () => {
  it.each([
    "grep foo *.ts",
    "grep -- \"$x\" src/*.ts",
    "wc -l src/*.ts",
    "ls *.md",
    "cat $f",
    "find {src,test} -name '*.ts' -mtime -7 -print0 | xargs -0 grep -l x",
    "find . -perm -u+x -type f",
    "diff <(sort -k2,2n a) <(sort -t, -u b)",
    "sort <(ls) | uniq -c | sort -rn",
    "rg -tts -n -A3 --hidden -g '!x' 'a b' src",
    "fd -e ts -t f x src",
    "tree -aL 2 -I node_modules",
    "sed -nE '1,5p' f",
    "awk -F: 'NR>1 {print $1}' f",
    "awk '/a/ || /b/ {n++} END {print n}' f",
    "date -d '-1 day' +%F",
    "date -u",
    "xxd -l 16 f",
    "base64 -w 0 f",
    "printf '%s\\n' \"$x\"",
    "echo x >&2",
    "nice -n 5 ls",
    "time -p ls",
    "npm ls --depth=0",
    "go list -m -json all",
    "go env GOPATH",
    "go version",
    "cargo metadata --offline --format-version 1 --no-deps",
    "git log --oneline -5 -- src",
    "jobs -l",
    "yq -o json .a f"
  ])("%s", (command) => {
    expect(analysed(command).capability).toBe("shell_ro")
  })
})

it("sees the file that sed edits in place", () => {
  for (const command of ["sed -nEi 1p sf", "sed -n -Ei.bak 1p sf"]) {
    expect(JSON.stringify(analysed(command).parts), command).toMatch(/"kind":"write"[^}]*"path":"\/ws\/sf"/)
  }
})
