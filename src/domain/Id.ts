/** A new UUID v4. `node:crypto` is loaded by the first one: a process that only answers `initialize` does without. */
export const newId = (): string => process.getBuiltinModule("node:crypto").randomUUID()
