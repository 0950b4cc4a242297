import type { Input } from "./Command.ts"
import type { Redirection } from "./ShellParser.ts"
import { resolve } from "./Paths.ts"
import type { Around, Scope } from "./Scope.ts"
import type { Walk } from "./Walk.ts"
import type { Arg } from "./Words.ts"
import { toArg, toText } from "./Expansion.ts"
import { HOLE, isKnown, literal, supplied } from "./Words.ts"

export interface Redirected {
  readonly writes: ReadonlyArray<Arg>
  readonly reads: ReadonlyArray<Arg>
  /** The last thing that becomes the standard input, if any does. */
  readonly input: Input | undefined
}

const none: Redirected = { writes: [], reads: [], input: undefined }
const nowhere = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty"])

/** Reads redirects and notes one part for each file; the null device and descriptor duplication are none. */
export const redirected = (
  walk: Walk,
  redirects: ReadonlyArray<Redirection>,
  scope: Scope,
  around: Around
): Redirected => {
  if (redirects.length === 0) return none
  const writes: Array<Arg> = []
  const reads: Array<Arg> = []
  let input: Input | undefined
  const context = walk.contextOf(scope, around)
  const note = (kind: "read" | "write", target: Arg, text: string): void => {
    const into = kind === "write" ? writes : reads
    into.push(target)
    if (target.value !== null && nowhere.has(target.value)) return
    const path = target.value === null ? null : (resolve(target.guess, scope.cwd) ?? null)
    // In a container it is another file.
    if (around.where !== "contained") walk.into(around).push({ kind, text, path })
  }
  for (const redirect of redirects) {
    const isInput = redirect.descriptor === undefined ||
      (redirect.descriptor.type === "FileDescriptor" && redirect.descriptor.value === 0)
    // It sets a variable, which may be one that other programs act on.
    if (redirect.descriptor?.type === "FileDescriptorVariable") writes.push(supplied(HOLE))
    if (redirect.type === "HereDoc") {
      const body = redirect.body.parts === undefined
        ? literal(redirect.body.text)
        : toText(redirect.body.parts, context)
      const text = redirect.operator === "<<-" ? body.guess.replace(/^\t+/gm, "") : body.guess
      if (isInput) input = { text, fed: !body.certain || text.includes(HOLE), from: body.inner, file: undefined }
      continue
    }
    if (redirect.target === undefined) continue
    const target = toArg(redirect.target, context)
    if (redirect.type === "HereString") {
      if (isInput) {
        input = {
          text: target.guess,
          fed: !target.certain || target.guess.includes(HOLE),
          from: target.inner,
          file: undefined
        }
      }
      continue
    }
    const text = `${redirect.operator} ${target.text}`
    switch (redirect.operator) {
      case "<&":
        break
      case ">&":
        if (!isKnown(target) || !/^(\d+-?|-)$/.test(target.guess)) note("write", target, text)
        break
      case "<":
        note("read", target, text)
        if (isInput) {
          input = {
            text: undefined,
            fed: target.inner.length > 0,
            from: target.inner,
            file: target.inner.length > 0 ? undefined : target
          }
        }
        break
      case "<>":
        note("read", target, text)
        note("write", target, text)
        break
      default:
        note("write", target, text)
    }
  }
  return { writes, reads, input }
}
