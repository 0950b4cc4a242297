import { Context, type Deferred } from "effect"
import type { NativeState } from "./NativeConnection.ts"

/** What the daemon knows about itself. */
export class Facts extends Context.Service<Facts, {
  readonly endpoint: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly connections: Set<NativeState>
  /** Done when connections have to end: what they still have to say leaves first. */
  readonly stopping: Deferred.Deferred<void>
}>()("postern/native/Facts") {}
