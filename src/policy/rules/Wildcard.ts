/** One position of a pattern: `"many"` stands for any number of items, a predicate for exactly one. */
export type Atom<T> = "many" | ((item: T) => boolean)

/**
 * Whether the atoms describe all items. Only the last `"many"` is ever retried, so the worst case is atoms × items: a pattern
 * cannot be made to run long by what it is compared with.
 */
export const matches = <T>(atoms: ReadonlyArray<Atom<T>>, items: ArrayLike<T>): boolean => {
  let atom = 0
  let item = 0
  let many = -1
  let resume = 0
  while (item < items.length) {
    const test = atoms[atom]
    if (test === "many") {
      many = atom++
      resume = item
    } else if (test !== undefined && test(items[item] as T)) {
      atom++
      item++
    } else if (many < 0) {
      return false
    } else {
      atom = many + 1
      item = ++resume
    }
  }
  while (atoms[atom] === "many") atom++
  return atom === atoms.length
}
