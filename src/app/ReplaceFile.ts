import * as Fs from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect, Schema } from "effect"

export class FileNotReplaced extends Schema.TaggedError<FileNotReplaced>()("FileNotReplaced", {
  file: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.file} cannot be written: ${this.problem}`
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

const replace = (file: string, text: string, mode: number) => {
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
    Fs.renameSync(draft, file)
  } catch (error) {
    Fs.rmSync(draft, { force: true })
    throw error
  }
  if (process.platform !== "win32") sync(dirname(file))
}

/** The file has the old text or the new one, whatever happens, and keeps its mode; behind a link, the one it leads to. */
export const replaceFile = (file: string, text: string, newMode: number): Effect.Effect<void, FileNotReplaced> =>
  Effect.try({
    try: () => {
      const there = Fs.statSync(file, { throwIfNoEntry: false })
      replace(there ? Fs.realpathSync(file) : file, text, there ? there.mode & 0o7777 : newMode)
    },
    catch: (error) => new FileNotReplaced({ file, problem: error instanceof Error ? error.message : String(error) })
  })
