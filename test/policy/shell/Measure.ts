import { readFileSync } from "node:fs"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"

/** Hit and false-alarm rates of a case file, and which cases fail: `node test/policy/shell/Measure.ts FILE…`. */
const place = { cwd: "/ws", roots: ["/ws"], home: "/home/me" }

for (const file of process.argv.slice(2)) {
  const cases = JSON.parse(readFileSync(file, "utf8")) as ReadonlyArray<{ readonly command: string; readonly dangerous: boolean; readonly why?: string }>
  const verdicts = cases.map((each) => ({ ...each, shapes: analyse(each.command, place).shapes }))
  const dangerous = verdicts.filter((each) => each.dangerous)
  const harmless = verdicts.filter((each) => !each.dangerous)
  const missed = dangerous.filter((each) => each.shapes.length === 0)
  const alarms = harmless.filter((each) => each.shapes.length > 0)
  console.log(`${file}: found ${dangerous.length - missed.length}/${dangerous.length}, false alarms ${alarms.length}/${harmless.length}`)
  for (const each of missed) console.log(`  missed: ${JSON.stringify(each.command)}  ${each.why ?? ""}`)
  for (const each of alarms) console.log(`  alarm:  ${JSON.stringify(each.command)}  ${each.shapes.map((shape) => shape.category).join(",")}`)
}
