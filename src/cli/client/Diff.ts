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

/** Above this many cells the changed middle is shown as one block instead of line by line. */
const maxCells = 1_000_000

const middle = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<DiffLine> => {
  const removed = (text: string): DiffLine => ({ kind: "removed", text })
  const added = (text: string): DiffLine => ({ kind: "added", text })
  if (before.length * after.length > maxCells) return [...before.map(removed), ...after.map(added)]
  const width = after.length + 1
  const common = new Uint32Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] = before[i] === after[j]
        ? common[(i + 1) * width + j + 1]! + 1
        : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
    }
  }
  const out: Array<DiffLine> = []
  let i = 0
  let j = 0
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      out.push({ kind: "same", text: before[i]! })
      i++
      j++
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) out.push(removed(before[i++]!))
    else out.push(added(after[j++]!))
  }
  return [...out, ...before.slice(i).map(removed), ...after.slice(j).map(added)]
}

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

/** Line by line, with three unchanged lines around each change. `null` as the old text is a new file. */
export const diff = (oldText: string | null | undefined, newText: string): ReadonlyArray<DiffLine> => {
  const before = linesOf(oldText ?? "")
  const after = linesOf(newText)
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head++
  let tail = 0
  while (
    tail < before.length - head && tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  ) tail++
  const same = (text: string): DiffLine => ({ kind: "same", text })
  return withGaps([
    ...before.slice(0, head).map(same),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same)
  ])
}
