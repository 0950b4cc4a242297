#!/usr/bin/env node
import * as HomeFolder from "./platform/HomeFolder.ts"
import * as StartFolder from "./platform/StartFolder.ts"
import { answer } from "./platform/StartFailure.ts"
import { guard, protocolWrite } from "./platform/Stdout.ts"

// An old Node.js gets as far as to say that it is one: no import of built-in modules here, and no syntax that came after ES2018.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
const [command, ...words] = process.argv.slice(2)

const commandLine = () => import("./cli/Main.ts").then(({ start }) => start())

if (major < 22 || (major === 22 && minor < 19)) {
  const message = `postern needs Node.js 22.19 or newer; this is ${process.versions.node}`
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
  if (command === "acp" || command === "bridge") answer(message, "node_too_old", protocolWrite, () => process.exit(1))
} else {
  process.getBuiltinModule("node:module").enableCompileCache()
  HomeFolder.settle()
  StartFolder.settle()
  if (command === "acp") {
    // Editors wait for this one, so no command-line library is on the way.
    guard()
    void import("./app/Acp.ts").then(({ start }) => start(words) ? undefined : commandLine())
  } else if (command === "bridge" && !words.some((word) => word === "--help" || word === "-h")) {
    void import("./gateway/bridge/Start.ts").then(({ start }) => start(words))
  } else {
    void commandLine()
  }
}
