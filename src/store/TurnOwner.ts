import { hostname } from "node:os"

/** Who runs a turn, as its row says. `lease` is when the owner last said so, in ms since the epoch. */
export interface TurnClaim {
  readonly owner: string
  readonly pid: number
  readonly host: string
  readonly lease: number
}

/**
 * An owner that has not renewed its lease for this long has lost its turns, in ms: longer than a renewal may have to
 * wait for the database, so that no turn is lost to a lock.
 */
const leaseLifetime = 30_000

const instances = new Set<string>()

export interface TurnOwner {
  readonly id: string
  readonly pid: number
  readonly host: string
  readonly retire: () => void
}

export const makeOwner = (): TurnOwner => {
  // Unique among the stores of one file; loading node:crypto for more would cost milliseconds at start.
  const id = `${process.pid}-${Math.round(performance.timeOrigin)}-${Math.random().toString(36).slice(2)}`
  instances.add(id)
  return { id, pid: process.pid, host: hostname(), retire: () => void instances.delete(id) }
}

/** Whether the owner of a claim can still be at work. */
export const isAlive = (claim: TurnClaim, now: number): boolean => now - claim.lease <= leaseLifetime && mayExist(claim)

/** Whether a process can still be there. The process table only speaks for this host. */
export const mayExist = ({ host, owner, pid }: Omit<TurnClaim, "lease">): boolean => {
  if (host !== hostname()) return true
  // A container's processes get the same ids after each restart.
  return pid === process.pid ? instances.has(owner) : processExists(pid)
}

const processExists = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return !(cause instanceof Error && "code" in cause && cause.code === "ESRCH")
  }
}
