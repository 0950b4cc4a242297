import { readdir, readFile } from "node:fs/promises"
import module from "node:module"
import { basename, dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Effect } from "effect"
import { ProgramReplaced } from "../domain/ProgramReplaced.ts"

const missing = new Set(["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND", "ENOENT", "ENOTDIR"])

const codeOf = (error: unknown) =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""

/** A part of the program that is loaded when it is first needed. Where it cannot be, the effect dies with `ProgramReplaced`. */
export const make = <A>(load: () => Promise<A>): Effect.Effect<A> => {
  let loaded: { readonly part: A } | undefined
  return Effect.suspend(() =>
    loaded !== undefined
      ? Effect.succeed(loaded.part)
      : Effect.promise(load).pipe(
        Effect.catchDefect((error) => Effect.die(missing.has(codeOf(error)) ? new ProgramReplaced(error) : error)),
        Effect.tap((part) => Effect.sync(() => void (loaded = { part })))
      )
  )
}

/** Chunks are named after the bundle they belong to. */
const bundleOf = (path: string): string => /^[a-z]+-/.exec(basename(path))?.[0] ?? ""

/**
 * The chunks of this program that are not loaded yet, with their bytes, by their address: none where it runs from its sources. A chunk of
 * another build may be among them, whose name nobody asks for.
 */
const unloaded = async (): Promise<ReadonlyMap<string, Buffer>> => {
  const own = fileURLToPath(import.meta.url)
  const folder = dirname(own)
  const found = new Map<string, Buffer>()
  if (bundleOf(own) === "") return found
  const loaded = module.createRequire(own).cache
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    if (bundleOf(name) !== bundleOf(own) || loaded[path] !== undefined) continue
    const bytes = await readFile(path).catch(() => undefined)
    if (bytes !== undefined) found.set(pathToFileURL(path).href, bytes)
  }
  return found
}

/**
 * Reads what the process may still have to load, so that its files may be replaced or removed from then on. It is only kept: evaluating
 * all of it would take ten times the memory. See docs/development.md#build
 */
export const keepAll: Effect.Effect<void> = Effect.promise(async () => {
  const kept = await unloaded()
  if (kept.size === 0) return
  module.registerHooks({
    resolve: (specifier, context, next) => {
      const url = specifier.startsWith("./") && context.parentURL !== undefined
        ? new URL(specifier, context.parentURL).href
        : ""
      return kept.has(url) ? { url, format: "commonjs", shortCircuit: true } : next(specifier, context)
    },
    load: (url, context, next) => {
      const source = kept.get(url)
      return source === undefined ? next(url, context) : { format: "commonjs", source, shortCircuit: true }
    }
  })
})
