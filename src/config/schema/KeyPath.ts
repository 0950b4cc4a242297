/** The keys that lead to a value of `config.toml`. Nothing here needs the schema, which takes milliseconds to build. */
export type KeyPath = ReadonlyArray<string>

export type Table = Record<string, unknown>

export const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)

export interface KeyAssignment {
  readonly path: KeyPath
  readonly value: unknown
}

/** `agents.main."odd name".fallback[1]`, as a person would write it. */
export const dotted = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`
    const name = /^[A-Za-z0-9_-]+$/.test(String(key)) ? String(key) : JSON.stringify(String(key))
    return text === "" ? name : `${text}.${name}`
  }, "")

/** `undefined` where the path leads nowhere. */
export const valueAt = (root: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (value, key) => Object.hasOwn(Object(value), key) ? Object(value)[key] as unknown : undefined,
    root
  )

/** Sets a path in a freshly parsed table and makes the tables on the way; a value in the way is replaced. */
export const assign = (root: Table, { path, value }: KeyAssignment): void => {
  let table = root
  for (const key of path.slice(0, -1)) {
    const next = table[key]
    table = isTable(next) ? next : (table[key] = Object.create(null)) as Table
  }
  table[path.at(-1) ?? ""] = value
}

/** Whether one of the paths is the other or leads to it. */
export const overlaps = (a: KeyPath, b: KeyPath): boolean => a.every((key, at) => at >= b.length || key === b[at])

/** Values at these paths are never shown, not even in an error. */
export const isSecretPath = (path: ReadonlyArray<PropertyKey>): boolean =>
  path.some((key) => /(^|_)(api_key|token|secrets?|password|headers|env)$/i.test(String(key)))

/** An alias becomes part of paths, folders and messages. */
export const isAlias = (key: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(key)

/** Tables that have no entry "default" by themselves keep that name free (docs/configuration.md#names). */
export const isReserved = (path: KeyPath, key: string): boolean =>
  key === "default" && ["providers", "users", "permission_profiles"].includes(path.join("."))

/** The path of the reserved name among the keys of `path`, or of a table that is to be set there. */
export const reservedIn = (path: KeyPath, value: unknown): KeyPath | undefined => {
  const depth = path.findIndex((one, depth) => isReserved(path.slice(0, depth), one))
  if (depth >= 0) return path.slice(0, depth + 1)
  return isTable(value) && Object.hasOwn(value, "default") && isReserved(path, "default")
    ? [...path, "default"]
    : undefined
}

/**
 * Whether a principal's `config_write_paths` allow to write a dotted path: `*`, an exact path, or `prefix.*` for everything below the
 * prefix. A whole table needs its own path.
 */
export const isWritable = (patterns: ReadonlyArray<string>) => (name: string): boolean =>
  patterns.some((pattern) =>
    pattern === "*" || pattern === name || (pattern.endsWith(".*") && name.startsWith(pattern.slice(0, -1)))
  )
