import { assert, describe, it } from "@effect/vitest"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"

const isOpaque = (command: string) => {
  const { opaque, parseError } = analyse(command, { cwd: "/w", roots: ["/w"], home: "/home/u" })
  assert.isFalse(parseError)
  return opaque
}

describe("What the shell may read a second time as code", () => {
  it.each([
    "p='a[$'; q='(id)]'; x=$p$q; echo $((x))",
    "x=$(cat evil); [[ $x -eq 1 ]]",
    "read x < evil; (( x > 0 ))",
    "echo $(( $(cat evil) ))",
    "x='a[$(id)]'; [[ $x -eq 1 ]]",
    "x='$(id)'; echo ${x@P}",
    "for f in $(cat evil); do echo ${a[f]}; done",
    "f() { echo $(( $1 )); }; f 'a[$(id)]'",
    "x='a['; x+='$(id)]'; echo $((x))",
    "env 'x=a[$(id)]' bash -c 'echo $((x))'",
    "x=$(cat evil); echo ${y:x:2}",
    "x=$(cat evil); declare -i z=x",
    "x=$(cat evil); echo ${!x}",
    "n=$(wc -l < a); [[ $n -gt 3 ]]",
    "read x; let x",
    "x=$(cat e); test -v \"$x\"",
    "while read -r n; do sum=$((sum+n)); done < f",
    "x=$(cat evil); a[$x]=1",
    "x=$(cat evil) bash -c \"echo $((x))\"",
    "echo $[$(cat evil)]",
    "x=$(cat evil); echo $[x]",
    "set -- $(cat e); echo $(($1))",
    "mapfile -t l < f; ((l[0]))",
    "printf -v x %s \"$p$q\"; ((x))",
    "echo `x=$(cat e); echo $((x))`",
    "x=$(cat e); if ((x)); then :; fi",
    "for ((i=0;i<x;i++)); do :; done; x=$(cat e)",
    "x=$(cat e); cat <<E\n$((x))\nE",
    "x=$(cat e); cat < \"$((x))\"",
    "x=$(cat e); case $((x)) in 1) ;; esac",
    "x=$(cat e); : \"${y:=$((x))}\"",
    "x=$(cat e); echo ${y/$((x))/1}",
    "x=$(cat e); [[ -v $x ]]",
    "declare -n r=$(cat e); echo $r",
    "wait $(cat e)",
    "p=$(cat e); wait $p",
    "read p < e; wait $p",
    "p='-pa[$(id)]'; wait $p",
    "wait -p \"$x\" 1"
  ])("cannot be judged: %s", (command) => {
    assert.isTrue(isOpaque(command))
  })

  it.each([
    "for ((i=0;i<3;i++)); do echo $i; done",
    "i=0; i=$((i+1)); echo $i",
    "for i in {1..5}; do echo $((i*2)); done",
    "for i in 1 2 3; do echo $((i*2)); done",
    "echo $((1+2))",
    "x=$(git rev-parse HEAD); echo $x",
    "[[ -f a && $# -eq 0 ]]",
    "n=$(ls | wc -l); [ $n -gt 3 ] && echo many",
    "cat *.txt",
    "export PATH=$PATH:/x; npm test",
    "echo ${x:0:7}",
    "h=$(git rev-parse HEAD); echo ${h:0:7}",
    "while read -r f; do echo \"$f\"; done < list",
    "a=(x y); echo ${a[0]} ${a[@]}",
    "awk '{print $(NF)}' f",
    "if [[ $? -ne 0 ]]; then exit 1; fi",
    "local_var=1; test -f x",
    "wait; wait $PID; wait \"$PID\"",
    "sleep 1 & p=$!; wait $p; wait $!; wait %1"
  ])("is plain: %s", (command) => {
    assert.isFalse(isOpaque(command))
  })
})
