import { Effect, Layer, Redacted, Schema, Stdio, Stream } from "effect"
import { Prompt } from "effect/cli"
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { type ConfigChange, ConfigStore } from "../../config/edit/ConfigStore.ts"
import { template } from "../../config/edit/Template.ts"
import { pathsOf } from "../../config/Paths.ts"
import { resolvePath } from "../../config/schema/Lookup.ts"
import { ConfigTable } from "../../config/schema/Schema.ts"
import { display, parseWord } from "../../config/schema/Values.ts"
import { Environment } from "../../platform/Environment.ts"
import { replaceFile } from "../../platform/ReplaceFile.ts"
import { failure, wrongUsage } from "../Failure.ts"
import { orFail, print, sayEmpty, warn } from "../terminal/Output.ts"
import { json, oneLine } from "../terminal/Text.ts"

export const layer = (configDir: string | undefined) =>
  Layer.unwrap(
    Effect.map(Environment, (environment) => ConfigStore.layerFile(pathsOf(configDir, environment).configFile))
  )

const resolve = (path: string) =>
  orFail(Effect.mapError(Effect.fromResult(resolvePath(path)), (message) => ({ message })))

export const where = Effect.flatMap(ConfigStore, ({ file }) => print(`${oneLine(file)}\n`))

export const get = Effect.fnUntraced(function*(options: { readonly path: string; readonly json: boolean }) {
  const store = yield* ConfigStore
  const found = yield* orFail(store.get(options.path))
  if (options.json) return yield* print(`${json(found, 2)}\n`)
  if (!found.populated) return yield* failure(`${found.path} is not set`)
  if (found.isSecret) return yield* print("(set; secrets are not shown)\n")
  yield* print(`${oneLine(display(found.value))}\n`)
})

const fromStandardInput = Effect.fnUntraced(function*(path: string) {
  if (process.stdin.isTTY) {
    const answer = yield* Effect.mapError(
      Prompt.run(Prompt.Password({ message: path })),
      () => failure("nothing was changed")
    )
    return Redacted.value(answer)
  }
  const stdio = yield* Stdio.Stdio
  const text = yield* stdio.stdin.pipe(
    Stream.decodeText(),
    Stream.mkString,
    Effect.mapError(() => failure("standard input cannot be read"))
  )
  return text.replace(/\r?\n$/, "")
})

const valueOf = Effect.fnUntraced(function*(path: string, word: string, isJson: boolean) {
  const { ast } = yield* resolve(path)
  if (!isJson) return parseWord(ast, word)
  return yield* Effect.try({
    try: () => JSON.parse(word) as unknown,
    catch: () => failure(`the value for ${path} is not JSON`)
  })
})

export const set = Effect.fnUntraced(function*(options: {
  readonly words: ReadonlyArray<string>
  readonly comment: string | undefined
  readonly json: boolean
}) {
  const store = yield* ConfigStore
  const [first = "", ...rest] = options.words
  if (rest.length > 0 && rest.length % 2 === 0) {
    return yield* wrongUsage(`${oneLine(options.words.at(-1) ?? "")} has no value`)
  }
  if (rest.length > 1 && options.comment !== undefined) {
    return yield* wrongUsage("a comment is about one value, not several")
  }
  if (rest.length === 0) yield* resolve(first)
  const words = rest.length === 0 ? [first, yield* fromStandardInput(first)] : options.words
  const entries: Array<ConfigChange> = []
  for (let at = 0; at < words.length; at += 2) {
    const path = words[at] ?? ""
    entries.push({ path, value: yield* valueOf(path, words[at + 1] ?? "", options.json), comment: options.comment })
  }
  for (const path of new Set(yield* orFail(store.set(entries)))) {
    yield* print(`set ${oneLine(path)}\n`)
    const [variable] = store.overriding(path)
    if (variable !== undefined) yield* warn(`${variable} is set and takes precedence over the file`)
  }
})

export const unset = Effect.fnUntraced(function*({ path }: { readonly path: string }) {
  const store = yield* ConfigStore
  const { deleted, warnings } = yield* orFail(store.remove(path))
  if (!deleted) return yield* failure(`${oneLine(path)} is not in ${store.file}`)
  yield* print(`unset ${oneLine(path)}\n`)
  yield* Effect.forEach(warnings, warn)
})

export const list = Effect.fnUntraced(function*(options: {
  readonly prefix: string | undefined
  readonly all: boolean
  readonly json: boolean
}) {
  const store = yield* ConfigStore
  const found = (yield* orFail(store.list(options.prefix))).filter(({ populated }) => populated || options.all)
  if (options.json) return yield* print(found.map((field) => `${json(field)}\n`).join(""))
  if (found.length === 0 && process.stdout.isTTY) return yield* sayEmpty("nothing is set")
  yield* print(
    found.map(({ description, isEnvOverridden, isSecret, path, populated, value }) => {
      const said = !populated ? `(not set: ${description})` : isSecret ? "(set; not shown)" : oneLine(json(value))
      return `${oneLine(path)} = ${said}${isEnvOverridden ? "  (environment)" : ""}\n`
    }).join("")
  )
})

export const validate = Effect.gen(function*() {
  const store = yield* ConfigStore
  const warnings = yield* orFail(store.validate)
  yield* Effect.forEach(warnings, warn)
  yield* print(
    existsSync(store.file)
      ? `${oneLine(store.file)} is valid\n`
      : `there is no ${oneLine(store.file)}; the defaults apply\n`
  )
})

export const init = Effect.fnUntraced(function*({ force }: { readonly force: boolean }) {
  const { file } = yield* ConfigStore
  if (existsSync(file) && !force) return yield* failure(`${file} exists already; --force replaces it`)
  yield* Effect.try({
    try: () => mkdirSync(dirname(file), { recursive: true, mode: 0o700 }),
    catch: (error) => failure(`${dirname(file)} cannot be made: ${String(error)}`)
  })
  yield* orFail(replaceFile(file, template, 0o600))
  yield* print(`${oneLine(file)}\n`)
})

export const schema = Effect.fnUntraced(function*(options: { readonly path: string | undefined }) {
  const part = options.path === undefined ? ConfigTable : Schema.make<Schema.Top>((yield* resolve(options.path)).ast)
  const document = Schema.toJsonSchemaDocument(part, { onExcessProperty: "error" })
  const { definitions, schema } = document
  yield* print(`${
    json({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      ...schema,
      ...(Object.keys(definitions).length > 0 ? { $defs: definitions } : {})
    }, 2)
  }\n`)
})
