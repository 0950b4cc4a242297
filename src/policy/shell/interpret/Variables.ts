import { HOLE } from "../programs/Command.ts"

/** What the shell puts in place of a variable, as far as the command line tells. */
export interface Value {
  /** With `HOLE` for what is not known. */
  readonly guess: string
  /** Nothing else can have changed it. */
  readonly certain: boolean
  /** It is exactly the guess: certain, and no number that only happens to have digits. */
  readonly exact: boolean
  /** It stands for each name that fits. */
  readonly glob: boolean
}

export const unknownValue: Value = { guess: HOLE, certain: false, exact: false, glob: false }

/** A value that the text of the command line gives. */
export const given = (guess: string): Value => ({ guess, certain: true, exact: true, glob: false })

/** The likeliest value, which something else may have changed. */
export const likely = (value: Value): Value => ({ ...value, certain: false, exact: false })

/** A variable of the shell: its own value is that of an array's first element. */
export interface Known extends Value {
  /** By index or key, in the order of the shell. */
  readonly elements?: ReadonlyMap<string, Value> | undefined
  /** It has no value, neither from here nor from the environment. */
  readonly isUnset?: true
  /** Letters of `declare`: how values are stored, and whether other programs get it. */
  readonly attributes?: string | undefined
  /** Further values that it may have instead. */
  readonly others?: ReadonlyArray<Known> | undefined
}

export const unset: Known = { ...given(""), isUnset: true }

/** With more possible values than this, nothing is known of a variable. */
const mostValues = 8

/** With more variables than this, nothing is known of any. */
const mostVariables = 256

const keyOf = ({ attributes, certain, elements, exact, glob, guess, isUnset }: Known): string =>
  JSON.stringify([guess, certain, exact, glob, isUnset, attributes, elements && [...elements]])

const textOf = (known: Known): string => alternativesOf(known).map(keyOf).sort().join()

/** Every value that the variable may have, each alone. */
export const alternativesOf = (known: Known): ReadonlyArray<Known> =>
  known.others === undefined ? [known] : [{ ...known, others: undefined }, ...known.others]

/** One of several. */
export const eitherOf = (all: ReadonlyArray<Known>): Known => {
  const found = new Map(all.flatMap(alternativesOf).map((each) => [keyOf(each), each]))
  const [first, ...others] = found.values()
  if (first === undefined) return unknownValue
  if (others.length === 0) return first
  return found.size > mostValues
    ? { ...unknownValue, attributes: first.attributes }
    : { ...first, others }
}

export const isExported = ({ attributes = "" }: Known): boolean => attributes.includes("x")

/** An array of these elements. */
export const arrayOf = (elements: ReadonlyMap<string, Value>): Known => ({
  ...(elements.get("0") ?? given("")),
  elements
})

export const listOf = (values: ReadonlyArray<Value>): Known =>
  arrayOf(new Map(values.map((value, at) => [String(at), value])))

/** The variables of a shell at one moment. A change makes another collection of them. */
export class Variables {
  static readonly none = new Variables(new Map(), new Set())
  readonly #all: ReadonlyMap<string, Known>
  /** Names of those that may have one of several values. */
  readonly several: ReadonlySet<string>

  private constructor(all: ReadonlyMap<string, Known>, several: ReadonlySet<string>) {
    this.#all = all
    this.several = several
  }

  static #of(all: ReadonlyMap<string, Known>): Variables {
    const several = new Set<string>()
    for (const [name, known] of all) if (known.others !== undefined) several.add(name)
    return new Variables(all, several)
  }

  get size(): number {
    return this.#all.size
  }

  get isFull(): boolean {
    return this.#all.size > mostVariables
  }

  get(name: string): Known | undefined {
    return this.#all.get(name)
  }

  /** The name that a reference leads to; `undefined` where that is not known. */
  target(name: string): string | undefined {
    let at = name
    for (let steps = 0; steps < 4; steps++) {
      const known = this.#all.get(at)
      if (known?.attributes?.includes("n") !== true) return at
      if (!known.exact || known.guess === "") return undefined
      at = known.guess
    }
    return undefined
  }

  with(name: string, known: Known): Variables {
    const all = new Map(this.#all)
    all.set(name, known)
    if (known.others === undefined && !this.several.has(name)) return new Variables(all, this.several)
    return Variables.#of(all)
  }

  /** They have the same values. */
  isLike(other: Variables): boolean {
    if (other === this) return true
    return this.#all.size === other.#all.size && Array.from(this.#all).every(([name, known]) => {
      const own = other.#all.get(name)
      return own === known || (own !== undefined && textOf(own) === textOf(known))
    })
  }

  /** What they are where it is not known which of the two collections holds. */
  or(other: Variables): Variables {
    if (other === this) return this
    const all = new Map(this.#all)
    for (const [name, known] of other.#all) {
      const own = this.#all.get(name)
      if (own !== known) all.set(name, eitherOf([own ?? unknownValue, known]))
    }
    for (const [name, known] of this.#all) {
      if (other.#all.get(name) === undefined) all.set(name, eitherOf([known, unknownValue]))
    }
    return Variables.#of(all)
  }

  /** What remains after something that may have changed any of them, or those of these names. */
  doubted(isMeant: (name: string, known: Known) => boolean = () => true): Variables {
    if (this.#all.size === 0) return this
    return Variables.#of(
      new Map(Array.from(this.#all, ([name, known]) => [name, isMeant(name, known) ? doubt(known) : known]))
    )
  }
}

const doubt = (known: Known): Known => ({
  ...known,
  ...likely(known),
  ...(known.elements === undefined
    ? {}
    : { elements: new Map(Array.from(known.elements, ([key, value]) => [key, likely(value)])) }),
  ...(known.others === undefined ? {} : { others: known.others.map(doubt) })
})
