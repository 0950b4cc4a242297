import type { Figure, Row, Summary } from "./Figures.ts"

/** Three digits, and all of them where there are more. */
const number = (value: number): string => {
  const size = Math.abs(value)
  return size >= 1000 ? Math.round(value).toLocaleString("en-US") : value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}

const withUnit = (text: string, unit: Figure["unit"]): string => unit === "/s" ? `${text}/s` : `${text} ${unit}`

const targetOf = ({ more, target, unit }: Figure): string =>
  "value" in target
    ? `${more ? "≥" : "≤"} ${withUnit(target.value.toLocaleString("en-US"), unit)}`
    : `≤ ${target.timesFloor} × floor`

const cells = ({ floor, lean, postern, ratio, unit, verdict, ...row }: Row): ReadonlyArray<string> => {
  const middle = (summary: Summary | undefined) => summary ? withUnit(number(summary.median), unit) : ""
  const both = (summary: Summary | undefined) => [middle(summary), summary ? number(summary.best) : ""]
  const times = ratio === undefined ? "" : `${number(ratio)} ×`
  return [row.title, targetOf({ unit, ...row }), ...both(postern), ...both(floor), times, middle(lean), verdict]
}

const header = ["figure", "target", "postern", "best", "floor", "best", "ratio", "lean floor", ""]
const textColumns = new Set([0, 8])

/** One line per figure: medians, next to each the best of all samples. */
export const render = (rows: ReadonlyArray<Row>): string => {
  const lines = [header, ...rows.map(cells)]
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const text = lines.map((line) =>
    line.map((cell, column) => textColumns.has(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))
      .join("  ").trimEnd()
  )
  const rule = widths.map((width) => "─".repeat(width)).join("  ")
  return [text[0], rule, ...text.slice(1)].join("\n")
}
