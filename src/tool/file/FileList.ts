import { lstat, readdir, realpath } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import { FileFault } from "../../workspace/Files.ts"
import * as Files from "../../workspace/Files.ts"
import * as ReadFilter from "./ReadFilter.ts"
import * as ToolPath from "./ToolPath.ts"
import * as Tool from "../Tool.ts"
import { quoted } from "../../platform/QuotedName.ts"

const maxEntries = 1000

const Parameters = Schema.Struct({
  path: Tool.optional(Schema.String, "Folder to list; the workspace itself when absent")
})

export const FileList = Tool.make<typeof Parameters.Type>({
  name: "file_list",
  description: "List one folder: names in order, folders with a trailing slash, files with their size in bytes.",
  parameters: Parameters,
  kind: "read",
  capabilities: ["ro"],
  needs: ({ path }) => ToolRequirements.read(path ?? "."),
  preview: Effect.fnUntraced(function*(parameters, context) {
    const path = yield* ToolPath.locate(parameters.path ?? ".", "read", context)
    return path === undefined
      ? { title: `List ${quoted(parameters.path ?? ".")}` }
      : { title: `List ${ToolPath.shown(path, context.workspace)}`, locations: [{ path }] }
  }),
  run: Effect.fnUntraced(function*(parameters, context) {
    const path = yield* ToolPath.resolve(parameters.path ?? ".", "read", context)
    const name = ToolPath.shown(path, context.workspace)
    const mayRead = yield* context.mayRead
    const { leftOut, lines, total } = yield* Effect.tryPromise({
      try: () => Files.inside(path, (base) => list(base, path, mayRead)),
      catch: (error) => Tool.fail(`Cannot list ${name}: ${reasonOf(error)}`)
    })
    const hidden = ReadFilter.note(leftOut)
    if (total === 0) return Tool.said(hidden.trim() || `[${name} is empty.]`)
    const footer = total > lines.length
      ? `\n[${lines.length} of ${total} entries shown. Use glob_search to find the others.]`
      : ""
    return { text: lines.join("\n") + footer + hidden }
  })
})

/** A link is kept from sight with what it leads to. */
const isOpen = async (path: string, isLink: boolean, mayRead: ReadFilter.MayRead): Promise<boolean> =>
  mayRead(path) && (!isLink || mayRead(await realpath(path).catch(() => path)))

/** `folder` is what to open for the folder at `path`. */
const list = async (folder: string, path: string, mayRead: ReadFilter.MayRead | undefined) => {
  const all = (await readdir(folder, { withFileTypes: true })).sort((a, b) => a.name < b.name ? -1 : 1)
  const open = mayRead &&
    await Promise.all(all.map((entry) => isOpen(join(path, entry.name), entry.isSymbolicLink(), mayRead)))
  const entries = open ? all.filter((_, index) => open[index]) : all
  const lines: Array<string> = []
  for (const entry of entries.slice(0, maxEntries)) {
    const name = quoted(entry.name)
    if (entry.isDirectory()) lines.push(`${name}/`)
    else if (entry.isSymbolicLink()) lines.push(`${name} (symbolic link)`)
    else if (!entry.isFile()) lines.push(`${name} (special file)`)
    else {
      const size = await lstat(join(folder, entry.name)).then((stats) => ` ${stats.size}`, () => "")
      lines.push(`${name}${size}`)
    }
  }
  return { lines, total: entries.length, leftOut: all.length - entries.length }
}

const reasonOf = (error: unknown): string => {
  if (error instanceof FileFault) return error.detail
  switch (error instanceof Error && "code" in error ? error.code : undefined) {
    case "ENOENT":
      return "it does not exist."
    case "ENOTDIR":
      return "it is a file, not a folder. Use file_read to read it."
    case "EACCES":
      return "permission was denied by the operating system."
    default:
      return "the operating system could not open it."
  }
}
