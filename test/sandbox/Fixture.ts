import { spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  lchownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createServer, type Server } from "node:net"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"

const root = process.geteuid?.() === 0

/** Whether a program starts here at all. */
const starts = (...argv: [string, ...Array<string>]): boolean =>
  spawnSync(argv[0], argv.slice(1), { stdio: "ignore" }).status === 0

export { hasBubblewrap, reason } from "../support/Bubblewrap.ts"

/** An id that no account needs to have. */
const ordinaryId = 61_234

export interface Who {
  readonly name: string
  readonly prefix: ReadonlyArray<string>
  readonly id: number | undefined
}

/** Who starts the runner: ourselves, and an ordinary user where we are root. */
export const users: ReadonlyArray<Who> = root && starts("setpriv", "--version")
  ? [
    { name: "root", prefix: [], id: undefined },
    {
      name: "an ordinary user",
      id: ordinaryId,
      prefix: ["/usr/bin/setpriv", "--reuid", `${ordinaryId}`, "--regid", `${ordinaryId}`, "--clear-groups"]
    }
  ]
  : [{ name: root ? "root" : "an ordinary user", prefix: [], id: undefined }]

export interface Fixture {
  readonly base: string
  readonly home: string
  readonly work: string
  readonly tmpFile: string
  readonly port: number
  /** A process of the same user outside. */
  readonly pid: number
  readonly abstract: string
  readonly own: { readonly configDir: string; readonly dataDir: string }
  readonly close: () => void
}

const listen = async (at: string | number): Promise<Server> => {
  const server = createServer((socket) => void socket.on("error", () => undefined).end())
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    if (typeof at === "number") server.listen(at, "127.0.0.1", resolve)
    else server.listen(at, resolve)
  })
  return server
}

const chownAll = (path: string, id: number) => {
  lchownSync(path, id, id)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) chownAll(join(path, entry.name), id)
    else lchownSync(join(path, entry.name), id, id)
  }
}

/** A home, a workspace in a repository, things outside that a command must not reach, and services that listen. */
export const make = async (who: Who): Promise<Fixture> => {
  // Not below a temporary folder: those are replaced inside.
  const base = realpathSync(mkdtempSync(join(root ? "/srv" : homedir(), "postern-sandbox-")))
  const [home, work, outside, run] = ["home", "work", "outside", "run"].map((name) => join(base, name)) as [
    string,
    string,
    string,
    string
  ]
  for (
    const folder of [join(home, ".ssh"), join(home, ".postern", "data"), join(work, ".git", "hooks"), outside, run]
  ) {
    mkdirSync(folder, { recursive: true })
  }
  writeFileSync(join(home, ".ssh", "id_rsa"), "key")
  writeFileSync(join(home, "notes.txt"), "notes")
  writeFileSync(join(home, ".postern", "data", "db"), "state")
  writeFileSync(join(outside, "secret.txt"), "secret")
  writeFileSync(join(outside, "hard"), "original")
  writeFileSync(join(work, "file.txt"), "text")
  writeFileSync(join(work, ".git", "config"), "[core]\n")
  writeFileSync(join(work, ".git", "HEAD"), "ref: refs/heads/main\n")
  symlinkSync("../outside/secret.txt", join(work, "link"))
  symlinkSync("../outside", join(work, "folderlink"))
  linkSync(join(outside, "hard"), join(work, "hard"))
  const tmpFile = join(mkdtempSync(join(tmpdir(), "postern-sandbox-")), "file")
  writeFileSync(tmpFile, "temporary")
  chmodSync(join(tmpFile, ".."), 0o755)
  const abstract = `postern-test-${process.pid}-${base.slice(-6)}`
  const servers = await Promise.all([
    listen(join(run, "daemon.sock")),
    listen(join(work, "own.sock")),
    listen(`\0${abstract}`),
    listen(0)
  ])
  const address = servers[3]!.address()
  chmodSync(base, 0o755)
  const [program, ...args] = [...who.prefix, "/bin/sleep", "1000"]
  const outsider = spawn(program!, args, { stdio: "ignore" })
  if (who.id !== undefined) chownAll(base, who.id)
  return {
    base,
    home,
    work,
    tmpFile,
    abstract,
    pid: outsider.pid!,
    port: typeof address === "object" && address !== null ? address.port : 0,
    own: { configDir: join(home, ".postern"), dataDir: join(home, ".postern", "data") },
    close: () => {
      outsider.kill("SIGKILL")
      servers.forEach((server) => server.close())
      rmSync(base, { recursive: true, force: true })
      rmSync(join(tmpFile, ".."), { recursive: true, force: true })
    }
  }
}
