#!/usr/bin/env node
import module from "node:module"
import * as HomeFolder from "./platform/HomeFolder.ts"
import { guard } from "./platform/Stdout.ts"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
const [command, ...words] = process.argv.slice(2)

const commandLine = () => import("./cli/Main.ts").then(({ start }) => start())

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`postern needs Node.js 22.19 or newer; this is ${process.versions.node}\n`)
  process.exitCode = 1
} else {
  module.enableCompileCache()
  HomeFolder.settle()
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
