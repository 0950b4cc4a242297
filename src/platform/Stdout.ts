const real = process.stdout.write.bind(process.stdout)

/** Writes to the real stdout after {@link guard} has redirected every other writer to stderr. */
export const protocolWrite: typeof process.stdout.write = real

/** From here on stdout carries the protocol only: whatever else is printed goes to stderr. */
export const guard = (): void => {
  process.stdout.write = process.stderr.write.bind(process.stderr)
}

/** For help and errors of the command line, which end the process without any protocol. */
export const release = (): void => {
  process.stdout.write = real
}
