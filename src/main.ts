#!/usr/bin/env node
import module from "node:module"
import { guard } from "./app/Stdout.ts"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`postern needs Node.js 22.19 or newer; this is ${process.versions.node}\n`)
  process.exit(1)
}
module.enableCompileCache()
const [command, ...words] = process.argv.slice(2)
if (command === "acp") {
  // Editors wait for this one, so no command-line library is on the way.
  guard()
  const { start } = await import("./app/AcpMain.ts")
  start(words)
} else {
  const { start } = await import("./cli/Main.ts")
  start()
}
