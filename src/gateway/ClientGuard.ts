/** What one client address has done lately. */
interface Track {
  failures: number
  /** Milliseconds since the epoch; 0: not locked out. */
  lockedUntil: number
  /** Times of the last pairings. */
  pairings: Array<number>
  seen: number
}

const maxFailures = 5
const lockOut = 300_000
const maxPairings = 10
const pairingWindow = 60_000
/** Addresses that are remembered; the one that was seen longest ago makes room. */
const maxTracked = 10_000
const retention = 15 * 60_000

/** Slows down who guesses tokens and pairing codes, by client address. Times are milliseconds since the epoch. */
export interface ClientGuard {
  /** Seconds, 1 to 300, until the address may try again; `undefined`: now. */
  readonly lockedFor: (address: string, now: number) => number | undefined
  readonly failed: (address: string, now: number) => void
  readonly succeeded: (address: string) => void
  /** Counts a pairing, and gives the seconds to wait where there were too many in the last minute. */
  readonly pairing: (address: string, now: number) => number | undefined
  readonly size: () => number
}

export const make = (): ClientGuard => {
  const tracks = new Map<string, Track>()

  const forgetOld = (now: number) => {
    for (const [address, { seen }] of tracks) {
      if (tracks.size <= maxTracked && now - seen < retention) return
      tracks.delete(address)
    }
  }

  /** The order of the map is that of the last visits. */
  const touch = (address: string, now: number): Track => {
    const track = tracks.get(address) ?? { failures: 0, lockedUntil: 0, pairings: [], seen: now }
    track.seen = now
    tracks.delete(address)
    tracks.set(address, track)
    forgetOld(now)
    return track
  }

  const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000))

  return {
    lockedFor: (address, now) => {
      const track = tracks.get(address)
      return track !== undefined && track.lockedUntil > now ? seconds(track.lockedUntil - now) : undefined
    },
    failed: (address, now) => {
      const track = touch(address, now)
      track.failures++
      if (track.failures < maxFailures) return
      track.failures = 0
      track.lockedUntil = now + lockOut
    },
    succeeded: (address) => {
      const track = tracks.get(address)
      if (track !== undefined) track.failures = 0
    },
    pairing: (address, now) => {
      const track = touch(address, now)
      track.pairings = track.pairings.filter((at) => now - at < pairingWindow)
      const [oldest] = track.pairings
      if (oldest !== undefined && track.pairings.length >= maxPairings) return seconds(oldest + pairingWindow - now)
      track.pairings.push(now)
      return undefined
    },
    size: () => tracks.size
  }
}
