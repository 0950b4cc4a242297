/** Lets through what is about the one session this client shows; some agents tell every client about all of theirs. */
export interface Focus {
  readonly on: (sessionId: string) => void
  /** Runs `act` now, or later if it is not known yet which session that is, or never. */
  readonly about: (sessionId: unknown, act: () => void) => void
}

/** What comes right behind the answer to `session/new` is seen before that answer is. */
const maxEarly = 1000

export const make = (): Focus => {
  const early: Array<{ readonly sessionId: unknown; readonly act: () => void }> = []
  let own: string | undefined
  return {
    on: (sessionId) => {
      own = sessionId
      for (const { act, sessionId: about } of early.splice(0)) if (about === own) act()
    },
    about: (sessionId, act) => {
      if (sessionId === own) act()
      else if (own === undefined && early.length < maxEarly) early.push({ sessionId, act })
    }
  }
}
