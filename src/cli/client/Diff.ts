import * as TextDiff from "effect/TextDiff"

/** One line of a diff; `gap` stands for lines that stay as they are and are not shown. */
export interface DiffLine {
  readonly kind: "same" | "removed" | "added" | "gap"
  readonly text: string
}

const linesOf = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  return lines
}

/** A change of more lines than this may be shown larger than it is, which bounds the time that it takes. */
const maxEdits = 1000

const kinds = { Equal: "same", Delete: "removed", Insert: "added" } as const

const context = 3

const withGaps = (lines: ReadonlyArray<DiffLine>): ReadonlyArray<DiffLine> => {
  const near = new Set<number>()
  lines.forEach(({ kind }, at) => {
    if (kind !== "same") { for (let k = at - context; k <= at + context; k++) near.add(k) }
  })
  const out: Array<DiffLine> = []
  lines.forEach((line, at) => {
    if (near.has(at)) out.push(line)
    else if (out.at(-1)?.kind !== "gap") out.push({ kind: "gap", text: "" })
  })
  return out
}

const editsOf = TextDiff.diffWith<string>((one, other) => one === other)

/** Line by line, with three unchanged lines around each change. `null` as the old text is a new file. */
export const diff = (oldText: string | null | undefined, newText: string): ReadonlyArray<DiffLine> =>
  withGaps(
    editsOf(linesOf(oldText ?? ""), linesOf(newText), { maxEdits }).flatMap(({ _tag, items }) =>
      items.map((text) => ({ kind: kinds[_tag], text }))
    )
  )
