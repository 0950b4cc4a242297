import { type ChildProcess, spawn } from "node:child_process"
import { resolve } from "node:path"
import { bundle, type Host, test as base } from "./Host.ts"
import { processesAtHome } from "./Processes.ts"
import { eventually } from "./Waiting.ts"

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** acpx keeps a process of its own per named session; it must be gone before its home is. */
export const test = base.extend<{ owners: void }>({
  owners: [async ({ host }, use) => {
    await use()
    if (process.platform === "linux") {
      await eventually(() => processesAtHome("__queue-owner", host.folder).length === 0, 8000)
    }
  }, { auto: true }]
})

/** The `acpx` command line with our agent, in the host's project. `command`: of the bundle, with its arguments. */
export const start = (host: Host, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}, command = "acp") => {
  const agent = `'${process.execPath}' '${bundle}' ${command}`
  const all = ["--agent", agent, "--cwd", host.project, "--timeout", "30", "--ttl", "2", ...args]
  const child = spawn(process.execPath, [resolve("node_modules/.bin/acpx"), ...all], {
    cwd: host.project,
    env: { ...host.env, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  return { child, ended: collect(child) }
}

const collect = (child: ChildProcess) => {
  let [out, err] = ["", ""]
  child.stdout?.on("data", (chunk) => out += chunk)
  child.stderr?.on("data", (chunk) => err += chunk)
  return new Promise<Ended>((done) => child.on("close", (code) => done({ code, out, err })))
}

export const run = (host: Host, ...args: ReadonlyArray<string>) => start(host, args).ended
