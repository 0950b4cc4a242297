import { Effect, Result } from "effect"
import type { FileFault } from "../../workspace/Files.ts"
import * as Files from "../../workspace/Files.ts"
import type { ToolCallContent } from "../../domain/Content.ts"
import { tagPattern } from "../../domain/secrets/LeakDetector.ts"
import * as TextEncoding from "./TextEncoding.ts"
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
  /** Without a byte order mark. */
  readonly text: Result.Result<string, ToolFailed>
  /** Of the file on the disk. */
  readonly encoding: TextEncoding.TextEncoding
  /** Whether the editor showed a byte order mark as a part of the text, and expects it back. */
  readonly editorMark: boolean
  /** Why bytes that are there are no text. */
  readonly undecodable?: TextEncoding.Undecodable
  /** The client would not show it, which is a refusal to change it as well. */
  readonly refused?: ToolFailed
}

/** What is at the path now, also when that is nothing. */
export const look = Effect.fnUntraced(function*(path: string, context: ToolContext): Effect.fn.Return<TextSnapshot> {
  const disk = yield* Effect.result(Files.read(path))
  const missing = Result.isFailure(disk) && disk.failure.reason === "missing"
  const plain = { encoding: TextEncoding.utf8, editorMark: false }
  const seen = Result.match(disk, {
    onSuccess: ({ bytes }): TextSnapshot =>
      Result.match(TextEncoding.decode(bytes), {
        onSuccess: (decoded) => ({ ...plain, ...decoded, version: hash(bytes), text: Result.succeed(decoded.text) }),
        onFailure: (undecodable) => ({
          ...plain,
          version: hash(bytes),
          undecodable,
          text: Result.fail(
            fail(`Cannot read ${shown(path, context.workspace)} as text: ${TextEncoding.sentence[undecodable]}`)
          )
        })
      }),
    onFailure: (fault): TextSnapshot => {
      const failed = cannotRead(path, fault, context)
      return { ...plain, version: failed.message, text: Result.fail(failed) }
    }
  })
  // An editor would show a binary file as text, and some say that a missing one is empty, or fail.
  const isPlain = Result.isSuccess(seen.text) && seen.encoding.name === "UTF-8"
  const ask = isPlain || missing ? context.client.editor?.read : undefined
  const answer = ask === undefined ? Result.succeed(undefined) : yield* Effect.result(ask(path))
  if (Result.isFailure(answer)) {
    if (missing) return seen
    const refused = fail(`Cannot read ${shown(path, context.workspace)}: ${answer.failure.message}`)
    return { ...plain, version: refused.message, text: Result.fail(refused), refused }
  }
  const text = answer.success
  if (text === undefined || (missing && text === "")) return seen
  const editorMark = text.startsWith("\uFEFF")
  return { ...seen, version: hash(text), text: Result.succeed(editorMark ? text.slice(1) : text), editorMark }
})

/** Looks at a file that is about to be replaced: it must be as the preview showed it. */
export const lookAgain = (path: string, context: ToolContext): Effect.Effect<TextSnapshot, ToolFailed> =>
  Effect.flatMap(look(path, context), (seen): Effect.Effect<TextSnapshot, ToolFailed> => {
    if (seen.refused !== undefined) return Effect.fail(seen.refused)
    return context.preview?.version === undefined || context.preview.version === seen.version
      ? Effect.succeed(seen)
      : Effect.fail(fail(`${shown(path, context.workspace)} changed since it was shown; read it again.`))
  })

export const read = (path: string, context: ToolContext): Effect.Effect<string, ToolFailed> =>
  Effect.flatMap(look(path, context), ({ text }) => Effect.fromResult(text))

const hash = (content: string | Uint8Array) =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(content).digest("hex")

/** Succeeds with the number of bytes. Text goes into the encoding of the file that was `seen`. */
export const write = Effect.fnUntraced(function*(
  path: string,
  content: string | Uint8Array,
  context: ToolContext,
  { editorMark, encoding }: TextSnapshot
): Effect.fn.Return<number, ToolFailed> {
  const name = shown(path, context.workspace)
  const cannot = (detail: string) => fail(`Cannot write ${name}: ${detail}`)
  const bytes = typeof content !== "string" ? content : yield* Effect.fromResult(
    Result.mapError(TextEncoding.encode(content, encoding), (character) =>
      cannot(
        `it is in ${encoding.name}, which has no ${
          JSON.stringify(character)
        }. Write the text without it, or convert the ` +
          "file to UTF-8 first."
      ))
  )
  if (bytes.length > Files.maxBytes) {
    return yield* cannot(`it would have ${bytes.length} bytes, and the limit is ${Files.maxBytes} bytes.`)
  }
  const top = outermost(path, context.workspace)
  const toDisk = Effect.mapError(Files.write(path, bytes, top), (fault) => cannot(fault.detail))
  // What an editor makes of a text is UTF-8 for some, whatever the file was.
  const toEditor = encoding.name === "UTF-8" ? context.client.editor?.write : undefined
  const written = typeof content !== "string" || toEditor === undefined ? toDisk : Files.makeParent(path, top).pipe(
    Effect.mapError((fault) => cannot(fault.detail)),
    Effect.andThen(
      Effect.mapError(toEditor(path, editorMark ? `\uFEFF${content}` : content), ({ message }) => cannot(message))
    ),
    Effect.flatMap((done) => done ? Effect.void : toDisk)
  )
  yield* written
  return bytes.length
})

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
