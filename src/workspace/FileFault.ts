import { Effect, Schema } from "effect"

/** A file that could not be read or written; `detail` is the end of a sentence that begins with what was tried. */
export class FileFault extends Schema.TaggedError<FileFault>()("FileFault", {
  path: Schema.String,
  reason: Schema.Literals([
    "missing",
    "folder",
    "special",
    "link",
    "changed",
    "stale",
    "large",
    "denied",
    "full",
    "failed"
  ]),
  detail: Schema.String
}) {}

type Reason = FileFault["reason"]

export const attempt = <A>(path: string, run: () => Promise<A>): Effect.Effect<A, FileFault> =>
  Effect.tryPromise({ try: run, catch: (error) => error instanceof FileFault ? error : translate(path, error) })

export const fault = (path: string, reason: Reason, detail: string) => new FileFault({ path, reason, detail })

export const tooLarge = (path: string, size: number, limit: number) =>
  fault(path, "large", `it has ${size} bytes, and the limit is ${limit} bytes.`)

export const changed = (path: string) => fault(path, "changed", "the path changed while it was being opened.")

const byCode: Readonly<Record<string, readonly [Reason, string]>> = {
  ENOENT: ["missing", "it does not exist."],
  ENOTDIR: ["missing", "a part of the path is a file, not a folder."],
  EISDIR: ["folder", "it is a folder, not a file."],
  ELOOP: ["link", "it is a symbolic link."],
  ENXIO: ["special", "it is not a regular file."],
  EACCES: ["denied", "permission was denied by the operating system."],
  EPERM: ["denied", "permission was denied by the operating system."],
  EROFS: ["denied", "the file system is read-only."],
  ENOSPC: ["full", "the disk is full."],
  EDQUOT: ["full", "the disk quota is used up."],
  ENAMETOOLONG: ["failed", "the name is too long."],
  EMFILE: ["failed", "too many files are open."],
  ENFILE: ["failed", "too many files are open."]
}

const translate = (path: string, error: unknown): FileFault => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "an unknown error"
  const [reason, detail] = byCode[code] ?? ["failed", `the operating system reported ${code}.`]
  return fault(path, reason, detail)
}
