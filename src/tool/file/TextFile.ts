import { isUtf8 } from "node:buffer"
import { Effect, Option, Result } from "effect"
import type { FileFault } from "../../workspace/Files.ts"
import * as Files from "../../workspace/Files.ts"
import type { ToolCallContent } from "../../domain/Content.ts"
import { tagPattern } from "../../domain/secrets/LeakDetector.ts"
import { outermost, shown } from "./ToolPath.ts"
import { fail, type ToolContext, type ToolFailed } from "../Tool.ts"

/** Where tools read and write text: the client's buffers where it has them, else the disk. Paths are canonical. */

const hints: Partial<Record<FileFault["reason"], string>> = {
  folder: " Use file_list to see what is in it.",
  large: " Use shell to look at a part of it."
}

const cannotRead = (path: string, { detail, reason }: FileFault, context: ToolContext) =>
  fail(`Cannot read ${shown(path, context.workspace)}: ${detail}${hints[reason] ?? ""}`)

export const readBytes = (path: string, context: ToolContext): Effect.Effect<Buffer, ToolFailed> =>
  Effect.mapBoth(Files.read(path), {
    onSuccess: ({ bytes }) => bytes,
    onFailure: (fault) => cannotRead(path, fault, context)
  })

export interface TextSnapshot {
  /** Another one as soon as the content is another. */
  readonly version: string
  readonly text: Result.Result<string, ToolFailed>
}

/** What is at the path now, also when that is nothing. */
export const look = Effect.fnUntraced(function*(path: string, context: ToolContext): Effect.fn.Return<TextSnapshot> {
  const disk = yield* Effect.result(Files.read(path))
  const missing = Result.isFailure(disk) && disk.failure.reason === "missing"
  const seen = Result.match(disk, {
    onSuccess: ({ bytes }): TextSnapshot => ({
      version: hash(bytes),
      text: isText(bytes)
        ? Result.succeed(bytes.toString("utf8"))
        : Result.fail(
          fail(`Cannot read ${shown(path, context.workspace)} as text: it is a binary file or not in UTF-8.`)
        )
    }),
    onFailure: (fault): TextSnapshot => {
      const failed = cannotRead(path, fault, context)
      return { version: failed.message, text: Result.fail(failed) }
    }
  })
  // An editor would show a binary file as text, and some say that a missing one is empty.
  const ask = Result.isSuccess(seen.text) || missing ? context.client.editor?.read : undefined
  const text = ask === undefined ? Option.none() : yield* Effect.option(ask(path))
  return Option.isNone(text) || (missing && text.value === "")
    ? seen
    : { version: hash(text.value), text: Result.succeed(text.value) }
})

/** Looks at a file that is about to be replaced: it must be as the preview showed it. */
export const lookAgain = (path: string, context: ToolContext): Effect.Effect<TextSnapshot, ToolFailed> =>
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
  const top = outermost(path, context.workspace)
  const toDisk = Effect.mapError(Files.write(path, bytes, top), (fault) => cannot(fault.detail))
  const { write: toEditor } = context.client.editor ?? {}
  const written = typeof content !== "string" || toEditor === undefined ? toDisk : Files.makeParent(path, top).pipe(
    Effect.mapError((fault) => cannot(fault.detail)),
    Effect.andThen(Effect.mapError(toEditor(path, content), ({ message }) => cannot(message))),
    Effect.flatMap((done) => done ? Effect.void : toDisk)
  )
  return Effect.as(written, bytes.length)
}

export const isText = (bytes: Buffer): boolean => !bytes.subarray(0, 8192).includes(0) && isUtf8(bytes)

/** A model that was shown a tag in the place of a secret must not write the tag over it. */
export const keepsSecrets = (newText: string, oldText: string): Effect.Effect<void, ToolFailed> => {
  const [found] = tagPattern.exec(newText) ?? []
  return found === undefined || oldText.includes(found) ? Effect.void : fail(
    `${found} stands for a secret that you were not shown, and would take its place. Change the text around it with file_edit.`
  )
}

const maxDiff = 256 * 1024

/** Nothing when the texts are too large to be worth sending. */
export const diff = (path: string, oldText: string | null, newText: string): ReadonlyArray<ToolCallContent> =>
  (oldText?.length ?? 0) + newText.length > maxDiff ? [] : [{ type: "diff", path, oldText, newText }]
