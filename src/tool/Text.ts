import { isUtf8 } from "node:buffer"
import { Effect, Result } from "effect"
import type { FileFault } from "../workspace/FileFault.ts"
import * as Files from "../workspace/Files.ts"
import type { ToolCallContent } from "./Content.ts"
import { fail, outermost, shown } from "./Target.ts"
import type { ToolContext, ToolFailed } from "./Tool.ts"

/** Where tools read and write text: the client's buffers where it has them, else the disk. Paths are canonical. */

const hints: Partial<Record<FileFault["reason"], string>> = {
  folder: " Use file_list to see what is in it.",
  large: " Use shell to look at a part of it."
}

export const readBytes = (path: string, context: ToolContext): Effect.Effect<Buffer, ToolFailed> =>
  Files.read(path).pipe(
    Effect.map(({ bytes }) => bytes),
    Effect.mapError(({ detail, reason }) =>
      fail(`Cannot read ${shown(path, context.workspace)}: ${detail}${hints[reason] ?? ""}`)
    )
  )

export interface Seen {
  /** Another one as soon as the content is another. */
  readonly version: string
  readonly text: Result.Result<string, ToolFailed>
}

/** What is at the path now, also when that is nothing. */
export const look = (path: string, context: ToolContext): Effect.Effect<Seen> => {
  const disk = Effect.match(readBytes(path, context), {
    onSuccess: (bytes): Seen => ({
      version: hash(bytes),
      text: isText(bytes)
        ? Result.succeed(bytes.toString("utf8"))
        : Result.fail(fail(`Cannot read ${shown(path, context.workspace)} as text: it is a binary file or not in UTF-8.`))
    }),
    onFailure: (failed): Seen => ({ version: failed.message, text: Result.fail(failed) })
  })
  return context.editor?.read === undefined ? disk : Effect.matchEffect(context.editor.read(path), {
    onSuccess: (text) => Effect.succeed({ version: hash(text), text: Result.succeed(text) }),
    onFailure: () => disk
  })
}

/** Looks at a file that is about to be replaced: it must be as the preview showed it. */
export const lookAgain = (path: string, context: ToolContext): Effect.Effect<Seen, ToolFailed> =>
  Effect.filterOrFail(
    look(path, context),
    ({ version }) => context.preview?.version === undefined || context.preview.version === version,
    () => fail(`${shown(path, context.workspace)} changed since it was shown; read it again.`)
  )

export const read = (path: string, context: ToolContext): Effect.Effect<string, ToolFailed> =>
  Effect.flatMap(look(path, context), ({ text }) => Effect.fromResult(text))

const hash = (content: string | Uint8Array) =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(content).digest("hex")

/** Succeeds with the number of bytes. */
export const write = (
  path: string,
  content: string | Uint8Array,
  context: ToolContext
): Effect.Effect<number, ToolFailed> => {
  const bytes = typeof content === "string" ? Buffer.from(content) : content
  const cannot = (detail: string) => fail(`Cannot write ${shown(path, context.workspace)}: ${detail}`)
  if (bytes.length > Files.maxBytes) {
    return cannot(`it would have ${bytes.length} bytes, and the limit is ${Files.maxBytes} bytes.`)
  }
  const written = typeof content === "string" && context.editor?.write !== undefined
    ? context.editor.write(path, content)
    : Effect.mapError(Files.write(path, bytes, outermost(path, context.workspace)), (fault) => cannot(fault.detail))
  return Effect.as(written, bytes.length)
}

export const isText = (bytes: Buffer): boolean => !bytes.subarray(0, 8192).includes(0) && isUtf8(bytes)

const maxDiff = 256 * 1024

/** Nothing when the texts are too large to be worth sending. */
export const diff = (path: string, oldText: string | null, newText: string): ReadonlyArray<ToolCallContent> =>
  (oldText?.length ?? 0) + newText.length > maxDiff ? [] : [{ type: "diff", path, oldText, newText }]
