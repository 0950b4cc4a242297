import { createContext } from "@dprint/formatter"
import { getPath } from "@dprint/typescript"
import { globSync, readFileSync, writeFileSync } from "node:fs"

/** `node test/format.ts [--check]`: writes the sources in the one form they have, or names those that are not in it. */

const formatter = createContext({ indentWidth: 2, lineWidth: 120 }).addPlugin(readFileSync(getPath()), {
  semiColons: "asi",
  quoteStyle: "alwaysDouble",
  trailingCommas: "never",
  operatorPosition: "maintain",
  "arrowFunction.useParentheses": "force",
  "module.sortImportDeclarations": "maintain"
})

/** One pass may leave work for the next. */
const stable = (filePath: string, fileText: string): string => {
  const formatted = formatter.formatText({ filePath, fileText })
  return formatted === fileText ? fileText : stable(filePath, formatted)
}

const checking = process.argv.includes("--check")
const wrong = globSync("{src,test}/**/*.ts").sort().filter((filePath) => {
  const fileText = readFileSync(filePath, "utf8")
  const formatted = stable(filePath, fileText)
  if (formatted === fileText) return false
  if (!checking) writeFileSync(filePath, formatted)
  return true
})
if (checking && wrong.length > 0) {
  process.stderr.write(`not formatted, run npm run format:\n${wrong.map((path) => `  ${path}\n`).join("")}`)
  process.exitCode = 1
}
