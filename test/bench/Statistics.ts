/** `share` of the values are at or below it, interpolated between neighbours. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)]!
  return below + (sorted[Math.ceil(at)]! - below) * (at % 1)
}

export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)
