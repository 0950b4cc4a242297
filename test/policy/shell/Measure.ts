import { readFileSync } from "node:fs"
import { analysed, type DangerCase } from "./Analysed.ts"

/** Hit and false-alarm rates of a case file, and which cases fail: `node test/policy/shell/Measure.ts FILE…`. */
for (const file of process.argv.slice(2)) {
  const cases = JSON.parse(readFileSync(file, "utf8")) as ReadonlyArray<DangerCase>
  const verdicts = cases.map((each) => ({ ...each, shapes: analysed(each.command).shapes }))
  const dangerous = verdicts.filter((each) => each.dangerous)
  const harmless = verdicts.filter((each) => !each.dangerous)
  const missed = dangerous.filter((each) => each.shapes.length === 0)
  const alarms = harmless.filter((each) => each.shapes.length > 0)
  console.log(
    `${file}: found ${
      dangerous.length - missed.length
    }/${dangerous.length}, false alarms ${alarms.length}/${harmless.length}`
  )
  for (const each of missed) console.log(`  missed: ${JSON.stringify(each.command)}  ${each.why ?? ""}`)
  for (const each of alarms) {
    console.log(`  alarm:  ${JSON.stringify(each.command)}  ${each.shapes.map((shape) => shape.category).join(",")}`)
  }
}
