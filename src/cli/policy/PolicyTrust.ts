import { resolve } from "node:path"
import { Effect } from "effect"
import { Trust } from "../../policy/rules/Trust.ts"
import { failure, wrongUsage } from "../Failure.ts"
import { oneLine } from "../terminal/Text.ts"

const print = (text: string) => Effect.sync(() => void process.stdout.write(text))

export const trust = Effect.fnUntraced(function*(options: {
  readonly folder: string | undefined
  readonly list: boolean
}) {
  const { list, trust } = yield* Trust
  if (options.list) {
    if (options.folder !== undefined) return yield* wrongUsage("--list takes no folder")
    const folders = yield* Effect.mapError(list, ({ message }) => failure(message))
    return yield* print(folders.map((folder) => `${oneLine(folder)}\n`).join(""))
  }
  if (options.folder === undefined) return yield* wrongUsage("name the folder to trust, or use --list")
  const real = yield* Effect.mapError(trust(options.folder), ({ message }) => failure(message))
  yield* print(`trusted ${oneLine(real)}\n`)
})

/** What is not trusted any more is as it should be, whether it ever was. */
export const untrust = Effect.fnUntraced(function*({ folder }: { readonly folder: string }) {
  const { untrust } = yield* Trust
  const was = yield* Effect.mapError(untrust(folder), ({ message }) => failure(message))
  yield* print(`${was ? "no longer" : "was not"} trusted: ${oneLine(resolve(folder))}\n`)
})
