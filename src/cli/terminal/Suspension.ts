import { Deferred, Effect, Exit } from "effect"

/** What can be switched between raw mode, in which Ctrl-Z is a key, and the mode of the shell. */
export interface RawTerminal {
  readonly setRawMode?: (on: boolean) => unknown
}

/**
 * Stops the process and those it was started by (npx, say), as Ctrl-Z does outside of raw mode. Succeeds when the process goes on and
 * the terminal is in raw mode again.
 */
export const suspend = (terminal: RawTerminal): Effect.Effect<void> =>
  process.platform === "win32" ? Effect.void : Effect.suspend(() => {
    const continued = Deferred.makeUnsafe<void>()
    const goOn = () => Deferred.doneUnsafe(continued, Exit.void)
    terminal.setRawMode?.(false)
    process.once("SIGCONT", goOn)
    process.kill(0, "SIGTSTP")
    // A process group without a shell to look after it is not stopped, and gets no SIGCONT.
    return Deferred.await(continued).pipe(
      Effect.timeoutOption("200 millis"),
      Effect.ensuring(Effect.sync(() => {
        process.off("SIGCONT", goOn)
        terminal.setRawMode?.(true)
      })),
      Effect.asVoid
    )
  })
