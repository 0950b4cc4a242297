import { isAbsolute, resolve } from "node:path"
import type { McpServerConfig, McpTransportConfig } from "../../domain/McpServerConfig.ts"
import type { EnvironmentVariables } from "../../platform/Environment.ts"
import * as Executable from "../../platform/Executable.ts"
import type { Finding } from "./Doctor.ts"

type Looked = Pick<Finding, "status" | "detail">

const warn = (detail: string): Looked => ({ status: "warn", detail })
const ok = (detail: string): Looked => ({ status: "ok", detail })

const program = (
  { command, cwd, env }: Extract<McpTransportConfig, { _tag: "Stdio" }>,
  variables: EnvironmentVariables
): Looked => {
  if (!command.includes("/")) {
    const found = Executable.find(command, env["PATH"] ?? variables["PATH"], [])
    return found === undefined ? warn(`${command}: not found in PATH`) : ok(found)
  }
  if (command.startsWith("~")) return warn(`${command}: a ~ is not read as the home folder here`)
  if (!isAbsolute(command) && (cwd === undefined || !isAbsolute(cwd))) {
    return ok(`${command}, below each session's own folder`)
  }
  const path = resolve(cwd ?? "/", command)
  return Executable.isProgram(path) ? ok(path) : warn(`${path}: there is no program that can be run`)
}

/** The host only: what follows it may hold a key. */
const address = ({ url }: Extract<McpTransportConfig, { _tag: "Http" }>): Looked => {
  const read = URL.parse(url)
  return read === null ? warn("the url cannot be read as an address") : ok(`${read.origin}, not asked`)
}

/** Whether each configured server could be started or called, as far as that shows without doing it. */
export const look = (
  servers: ReadonlyArray<McpServerConfig>,
  variables: EnvironmentVariables
): ReadonlyArray<Finding> =>
  servers.map(({ name, transport }) => {
    const looked = transport._tag === "Stdio" ? program(transport, variables) : address(transport)
    const remedy = looked.status === "ok" ? {} : { remedy: `See [mcp.servers.${name}] in config.toml.` }
    return { name: `mcp ${name}`, ...looked, ...remedy }
  })
