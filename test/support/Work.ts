import { join } from "node:path"
import type { Step } from "./ChatServer.ts"
import type { Host } from "./Host.ts"

/** A small project with a fault, and what a model does about it: explore, plan, edit three files, test, fix, summarise. */

const files: Readonly<Record<string, string>> = {
  "src/cart.mjs": "export const total = (items) => items.reduce((sum, item) => sum + item.price, 0)\n",
  "src/format.mjs": "export const money = (cents) => `${cents} EUR`\n",
  "AGENTS.md": "Run `node test.mjs` after each change.\n"
}

/** Besides testing, it tries to leave a file outside the project. */
const tests = (outside: string) =>
  `import { writeFileSync } from "node:fs"
import { money } from "./src/format.mjs"
import { total } from "./src/cart.mjs"
try { writeFileSync(${JSON.stringify(outside)}, "x") } catch {}
const shown = money(total([{ price: 250, count: 2 }]))
if (shown !== "5.00 EUR") { console.log("wrong: " + shown); process.exitCode = 1 } else console.log("all tests pass")
`

export const outside = (host: Host) => join(host.folder, "outside.txt")

export const prepare = (host: Host) => {
  for (const [name, text] of Object.entries({ ...files, "test.mjs": tests(outside(host)) })) host.write(name, text)
}

const todo = (...statuses: ReadonlyArray<"pending" | "in_progress" | "completed">) => ({
  todos: ["look", "change", "test"].map((content, at) => ({ content, status: statuses[at] ?? "pending" }))
})

export const explore: ReadonlyArray<Step> = [
  {
    think: "I should look around first.",
    say: "Let me look.",
    calls: [["TodoWrite", todo("in_progress")], ["file_list", { path: "." }]]
  },
  {
    calls: [["content_search", { pattern: "price" }], ["file_read", { path: "src/cart.mjs" }], ["file_read", {
      path: "/etc/shadow"
    }]]
  },
  { say: "The cart ignores how many there are of an item." }
]

export const edits: ReadonlyArray<Step> = [
  {
    calls: [
      ["TodoWrite", todo("completed", "in_progress")],
      ["file_edit", {
        path: "src/cart.mjs",
        old_string: "sum + item.price",
        new_string: "sum + item.price * item.count"
      }],
      ["file_edit", { path: "src/format.mjs", old_string: "${cents} EUR", new_string: "${cents / 100} EUR" }],
      ["file_write", { path: "CHANGES.md", content: "- Counts are multiplied.\n" }]
    ]
  }
]

/** The tests fail; the command then goes on for longer than anybody waits. */
export const hang: Step = { calls: [["shell", { command: "node test.mjs || sleep 60" }]] }

export const finish: ReadonlyArray<Step> = [
  { think: "The command was cut off. Once more.", calls: [["shell", { command: "node test.mjs" }]] },
  {
    say: "Two digits are missing.",
    calls: [["file_edit", {
      path: "src/format.mjs",
      old_string: "${cents / 100}",
      new_string: "${(cents / 100).toFixed(2)}"
    }]]
  },
  { calls: [["shell", { command: "node test.mjs" }]] },
  { calls: [["TodoWrite", todo("completed", "completed", "completed")]] },
  { say: "Counts and cents are right now, and the tests pass." }
]
