import type { Cause } from "effect"

/** A part of the program could not be loaded: its files were replaced or removed while this process ran. */
export class ProgramReplaced extends Error {
  override readonly name = "ProgramReplaced"
  readonly reason = "program_replaced"
  constructor(cause: unknown) {
    super("Postern was updated, restart it", { cause })
  }
}

/** The fault behind a defect, where it was that. */
export const replacedIn = (cause: Cause.Cause<unknown>): ProgramReplaced | undefined =>
  cause.reasons.flatMap((reason) => reason._tag === "Die" ? [reason.defect] : [])
    .find((defect) => defect instanceof ProgramReplaced)
