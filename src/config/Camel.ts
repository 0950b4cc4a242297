type CamelKey<K extends string> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelKey<Tail>>}` : K

/** The keys of a table as code spells them; one level deep. */
export type Camel<T> = { readonly [K in keyof T as CamelKey<K & string>]: T[K] }

export const camel = <T extends object>(table: T): Camel<T> =>
  Object.fromEntries(
    Object.entries(table).map(([key, value]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value
    ])
  ) as Camel<T>
