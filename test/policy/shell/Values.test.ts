import { describe, expect, it } from "vitest"
import { analysed, read } from "./Analysed.ts"

interface ValueSets {
  /** Dangerous, or nobody can know: a person is asked. */
  readonly asked: ReadonlyArray<string>
  /** Nothing in them is dangerous. */
  readonly run: ReadonlyArray<string>
}

const sets = read<string>("computed-values.json") as unknown as ValueSets

const isAsked = (command: string): boolean => {
  const { opaque, parseError, shapes } = analysed(command)
  return shapes.length > 0 || opaque || parseError
}

/** Words of the parts, and of what deny rules see besides. */
const seen = (command: string): ReadonlyArray<string> => {
  const { inner, parts } = analysed(command)
  return [...parts, ...inner].flatMap((part) => part.kind === "command" ? [part.argv.join(" ")] : [])
}

describe("what the shell puts together itself", () => {
  it.each(sets.asked)("is looked at, or asked about: %j", (command) => expect(isAsked(command)).toBe(true))

  it.each(sets.run)("is no danger in itself: %j", (command) => expect(isAsked(command)).toBe(false))
})

describe("deny rules see", () => {
  it.each([
    ["a=(--force origin); git push \"${a[@]}\"", "git push --force origin"],
    ["x=FORCE; git push --${x,,}", "git push --force"],
    ["x=xpush; git ${x#x} a", "git push a"],
    ["printf -v x %s push; git $x", "git push"],
    ["read x <<< push; git $x", "git push"],
    ["mapfile -t a <<< $'git\\npush'; \"${a[@]}\"", "git push"],
    ["declare -n r=x; x=push; git $r", "git push"],
    ["for x in status push; do git $x; done", "git push"],
    ["for x in status push; do git $x; done", "git status"],
    ["while read -r x; do git $x; done <<< push", "git push"],
    ["x=status; [ -f a ] && x=push; git $x", "git push"],
    ["x=status; if [ -f a ]; then x=push; fi; git $x", "git push"],
    ["IFS=,; x=git,push; $x", "git push"],
    ["set -- a push; git $2", "git push"],
    ["f() { for x; do git $x; done; }; f status push", "git push"],
    ["git $(printf 'pu%s' sh)", "git push"],
    ["x=push bash -c 'git $x'", "git push"]
  ])("in %s that it runs %s", (command, words) => expect(seen(command)).toContain(words))
})

describe("the shell's own rules", () => {
  it.each([
    ["a=(x 'y z'); rm \"${a[@]}\"", "rm x y z"],
    ["a=(x y); rm pre\"${a[@]}\"post", "rm prex ypost"],
    ["a=(); rm \"${a[@]}\" x", "rm x"],
    ["x=; rm $x y", "rm y"],
    ["x=; rm \"$x\" y", "rm  y"],
    ["x=' a  b '; rm c$x'd'", "rm c a b d"],
    ["IFS=:; x=a::b; rm $x", "rm a  b"],
    ["a=(x y z); rm \"${a[@]:1:1}\" \"${a[@]: -1}\"", "rm y z"],
    ["a=(x.ts y.ts); rm \"${a[@]%.ts}\"", "rm x y"],
    ["x=a/b/c.ts; rm ${x##*/} ${x%/*} ${x#*/} ${x%%/*}", "rm c.ts a/b b/c.ts a"],
    ["x=a-b-c; rm ${x/-/_} ${x//-/_} ${x/#a/z} ${x/%c/z}", "rm a_b-c a_b_c z-b-c a-b-z"],
    ["rm {a,{b,c}}{1,2}", "rm a1 a2 b1 b2 c1 c2"],
    ["rm {'a b',\"c\"}x", "rm a bx cx"],
    ["x=a; rm {$x,b}c", "rm ac bc"]
  ])("%s: %s", (command, words) => expect(seen(command)).toContain(words))

  it("keep to the shell a variable belongs to", () => {
    expect(isAsked("y=src; (y=dist); rm -rf $y")).toBe(true)
    expect(isAsked("y=dist; (y=src); rm -rf $y")).toBe(false)
    expect(isAsked("y=dist; bash -c 'rm -rf $y/x'")).toBe(true)
    expect(isAsked("export y=dist; bash -c 'rm -rf $y/x'")).toBe(false)
    expect(isAsked("export y=dist; env -i bash -c 'rm -rf $y/x'")).toBe(true)
    expect(isAsked("x=src; f() { local x=dist; }; f; rm -rf $x")).toBe(true)
  })
})
