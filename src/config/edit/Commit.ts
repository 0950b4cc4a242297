import { Effect } from "effect"
import type { Path } from "../schema/Lookup.ts"
import type { Loose } from "../load/DanglingReferences.ts"
import { ConfigRefused, type ReadFault, type WriteFault } from "./ConfigRefused.ts"
import type { Authority, MayWrite } from "./ConfigStore.ts"
import type { TomlNotEdited } from "./TomlEdit.ts"

/** What is to be written, and the answer, which may still refuse it for the references that it makes lead nowhere. */
export type Change<A> = readonly [
  text: string,
  answer: (loosened: ReadonlyArray<Loose>) => Effect.Effect<A, ConfigRefused>
]

/** Writes what `change` makes of the text, after all checks. A candidate that is not valid is refused; what was broken before stays so. */
export type Commit = <A>(
  paths: ReadonlyArray<Path>,
  change: (text: string) => Effect.Effect<Change<A>, ReadFault>
) => Effect.Effect<A, WriteFault>

export interface Removed {
  /** Whether it was there. */
  readonly deleted: boolean
  /** References that lead nowhere now. */
  readonly warnings: ReadonlyArray<string>
}

export const always = <A>(answer: A) => () => Effect.succeed(answer)

export const refuse = (reason: ConfigRefused["reason"], message: string, index?: number) =>
  new ConfigRefused({ reason, message, ...(index === undefined ? {} : { index }) })

export const everything: MayWrite = () => true

/** As it is now: whoever waits for the lock may have lost what it had when it began to. */
export const rightsOf = (authority: Authority): Effect.Effect<MayWrite> =>
  Effect.isEffect(authority) ? authority : Effect.succeed(authority)

/** What is no path cannot be written either, which is said later. */
export const stillAllowed = Effect.fnUntraced(
  function*(names: ReadonlyArray<string | undefined>, authority: Authority) {
    const mayWrite = yield* rightsOf(authority)
    const forbidden = names.findIndex((name) => name !== undefined && !mayWrite(name))
    if (forbidden >= 0) return yield* refuse("forbidden", `${names[forbidden]} may not be changed here`, forbidden)
  }
)

/** Of one path: there is no entry to count. */
export const only = (check: Effect.Effect<void, ConfigRefused>) =>
  Effect.mapError(check, ({ message, reason }) => refuse(reason, message))

export const unsafe = ({ message }: TomlNotEdited) => refuse("unsafe", message)
