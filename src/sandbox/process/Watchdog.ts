import { type ChildProcess, spawn } from "node:child_process"
import { Socket } from "node:net"
import { Effect, type Scope } from "effect"
import * as Descriptors from "./Descriptors.ts"

/** Ends process groups that this process cannot end any more, because it was killed. */
export interface Watchdog {
  /** Watches a group until the returned effect runs; running that effect again does nothing. */
  readonly watch: (group: number) => () => void
}

/**
 * Reads `+ group` and `- group`; when nobody can write any more, what is left gets SIGKILL, as confined commands do.
 */
const script = `trap '' HUP INT QUIT TERM
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done`

/** In a group of its own, and with nothing of this process but the pipe. */
const start = (): ChildProcess =>
  Descriptors.start(undefined, "pipe", ([input = "pipe", , , ...further]) =>
    spawn("/bin/sh", ["-c", script], {
      cwd: "/",
      env: {},
      detached: true,
      stdio: [input, "ignore", "ignore", ...further]
    }))

/** One helper process watches all groups. It is started with the first group and restarted if it is killed. */
export const make: Effect.Effect<Watchdog, never, Scope.Scope> = Effect.gen(function*() {
  const groups = new Set<number>()
  let process: ChildProcess | undefined

  const begin = (): ChildProcess => {
    const started = start()
    const gone = () => {
      if (process === started) process = undefined
    }
    started.on("error", gone).on("exit", (code) => {
      gone()
      if (code === null && groups.size > 0) process ??= begin()
    })
    started.stdin?.on("error", gone)
    // The watchdog must not keep the event loop of this process alive.
    started.unref()
    if (started.stdin instanceof Socket) started.stdin.unref()
    started.stdin?.write(Array.from(groups, (group) => `+ ${group}\n`).join(""))
    return started
  }

  const watch: Watchdog["watch"] = (group) => {
    groups.add(group)
    if (process === undefined) process = begin()
    else process.stdin?.write(`+ ${group}\n`)
    return () => {
      if (groups.delete(group)) process?.stdin?.write(`- ${group}\n`)
    }
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      groups.clear()
      process?.stdin?.end()
    })
  )
  return { watch }
})
