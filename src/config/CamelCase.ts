type CamelKey<K extends string> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelKey<Tail>>}` : K

/** A table of the file with the names of its keys as code spells them; one level deep. */
export type CamelCased<T> = { readonly [K in keyof T as CamelKey<K & string>]: T[K] }

export const camelCased = <T extends object>(table: T): CamelCased<T> =>
  Object.fromEntries(
    Object.entries(table).map(([key, value]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value
    ])
  ) as CamelCased<T>
