import { basename, dirname, join } from "node:path"
import * as Fs from "node:fs"
import { Effect, Schema } from "effect"

class FileNotReplaced extends Schema.TaggedError<FileNotReplaced>()("FileNotReplaced", {
  file: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.file} cannot be written: ${this.problem}`
  }
}

/** Another process changed the file in the meantime. */
export class FileChanged extends Schema.TaggedError<FileChanged>()("FileChanged", { file: Schema.String }) {
  override get message() {
    return `${this.file} was changed meanwhile; try again`
  }
}

const sync = (path: string) => {
  const handle = Fs.openSync(path, "r")
  try {
    Fs.fsyncSync(handle)
  } finally {
    Fs.closeSync(handle)
  }
}

/** Milliseconds; no write takes that long, so an older draft is of a process that was killed. */
const stale = 60_000

/** A draft has everything that the file has, secrets too. */
const removeStale = (file: string) => {
  const [folder, start] = [dirname(file), `.${basename(file)}.`]
  for (const name of Fs.readdirSync(folder)) {
    const [, at] = name.startsWith(start) ? /^\d+\.(\d+)$/.exec(name.slice(start.length)) ?? [] : []
    if (at !== undefined && Number(at) < Date.now() - stale) Fs.rmSync(join(folder, name), { force: true })
  }
}

const textOf = (file: string): string => Fs.existsSync(file) ? Fs.readFileSync(file, "utf8") : ""

const replace = (file: string, text: string, mode: number, before: string | undefined) => {
  removeStale(file)
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}.${Date.now()}`)
  const handle = Fs.openSync(draft, "wx", mode)
  try {
    try {
      Fs.fchmodSync(handle, mode)
      Fs.writeFileSync(handle, text)
      Fs.fsyncSync(handle)
    } finally {
      Fs.closeSync(handle)
    }
    // As late as can be: an editor knows nothing of locks.
    if (before !== undefined && textOf(file) !== before) throw new FileChanged({ file })
    Fs.renameSync(draft, file)
  } catch (error) {
    Fs.rmSync(draft, { force: true })
    throw error
  }
  if (process.platform !== "win32") sync(dirname(file))
}

/**
 * The file has the old text or the new one, whatever happens, and keeps its mode; behind a link, the one it leads to.
 * With `before`, only a file that still has that text (none is empty) is replaced.
 */
export const replaceFile = (
  file: string,
  text: string,
  newMode: number,
  before?: string
): Effect.Effect<void, FileNotReplaced | FileChanged> =>
  Effect.try({
    try: () => {
      const there = Fs.statSync(file, { throwIfNoEntry: false })
      replace(there ? Fs.realpathSync(file) : file, text, there ? there.mode & 0o7777 : newMode, before)
    },
    catch: (error) =>
      error instanceof FileChanged
        ? error
        : new FileNotReplaced({ file, problem: error instanceof Error ? error.message : String(error) })
  })
