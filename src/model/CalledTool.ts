/**
 * What models write where they call a tool: its name in spellings of their own, and arguments that are more or less
 * than one JSON object. See docs/models.md#odd-answers.
 */

/** Namespaces that models put in front of a name with `__`, which names of tools may contain as well. */
const namespaces = /^(?:functions?|tools?|default_api|api|mcp|multi_tool_use|tool_calls?)__/i

/** Without what distinguishes spellings: `File-Read`, `fileRead` and `file_read` are one. */
const keyOf = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")

/**
 * The name without what is no part of it: tokens of templates, an address (`to=functions.f`), quotes, parentheses, the
 * number of the call (`f:0`), a namespace of functions.
 */
const bare = (name: string): string => {
  const addressed = /\bto=([\w.:/-]+)/.exec(name)?.[1]
  return (addressed ?? name.split("<|")[0] ?? "")
    .replace(/^[\s"'`]+|[\s"'`.,;]+$/g, "")
    .replace(/\(\s*\)$/, "")
    .replace(/[:#]\d+$/, "")
    .replace(/^(?:functions?|tools?|default_api|multi_tool_use|tool_calls?)[.:/]+/, "")
    .trim()
}

/** The name, and what is left of it without one namespace after the other. */
const readings = (name: string): ReadonlyArray<string> => {
  const [, ...rest] = name.split(/[.:/]+/)
  const inner = rest.map((_, at) => rest.slice(at).join("."))
  return [name, ...inner].flatMap((one) => namespaces.test(one) ? [one, one.replace(namespaces, "")] : [one])
}

/** The tool of those `offered` that a name means; a name that means none of them, or several, is merely cleaned. */
export const calledName = (name: string, offered: Iterable<string> = []): string => {
  const names = Array.from(offered)
  if (names.includes(name)) return name
  const cleaned = bare(name)
  for (const reading of readings(cleaned)) {
    if (names.includes(reading)) return reading
    const key = keyOf(reading)
    const alike = key === "" ? [] : names.filter((one) => keyOf(one) === key)
    if (alike.length === 1) return alike[0]!
  }
  return cleaned
}

const parsed = (json: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(json) as unknown }
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Where the JSON object that a text begins with ends; `undefined` where it does not. */
const endOfObject = (text: string): number | undefined => {
  if (text[0] !== "{") return undefined
  let depth = 0
  for (let at = 0, quoted = false; at < text.length; at++) {
    const character = text[at]
    if (quoted) {
      if (character === "\\") at++
      else if (character === "\"") quoted = false
    } else if (character === "\"") quoted = true
    else if (character === "{") depth++
    else if (character === "}" && --depth === 0) return at + 1
  }
  return undefined
}

const withoutTrailingCommas = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (found) => found === "," ? "" : found)

/**
 * The one object that a text of several stands for: the same again and again, or empty ones before it. Tokens of a
 * template may follow.
 */
const repeated = (text: string): object | undefined => {
  let found: string | undefined
  let rest = text
  for (let end = endOfObject(rest); end !== undefined; end = endOfObject(rest)) {
    const one = rest.slice(0, end)
    const same = found === undefined || found === one || /^\{\s*\}$/.test(found)
    if (!same) return undefined
    found = one
    rest = rest.slice(end).trimStart()
  }
  if (found === undefined || !/^(?:<[^<>]*>\s*)*$/.test(rest)) return undefined
  const value = parsed(found)?.value
  return isObject(value) ? value : undefined
}

/** Text that was encoded more than once. */
const decoded = (value: unknown): unknown => {
  let inner = value
  for (let times = 0; typeof inner === "string" && times < 3; times++) {
    const next = parsed(inner)
    if (next === undefined) break
    inner = next.value
  }
  return isObject(inner) ? inner : value
}

/**
 * Parses the arguments of a call. Text that is none is kept as text: no tool accepts it, so the model gets an error.
 * What was meant is not guessed, but the same object twice, or encoded twice, is that object.
 */
export const parseArguments = (json: string): unknown => {
  const text = json.replace(/^\uFEFF/, "").trim()
  if (text === "") return {}
  const whole = parsed(text) ?? parsed(withoutTrailingCommas(text))
  return whole === undefined ? repeated(text) ?? json : decoded(whole.value)
}

/** Whether a text is arguments as a whole. */
export const isWhole = (json: string): boolean => json.trim() !== "" && isObject(parseArguments(json))

/**
 * The arguments that pieces of a stream make. Most servers cut them into pieces; some repeat them as a whole at the
 * end, or send `{}` first, or longer beginnings.
 */
export const joinedArguments = (pieces: ReadonlyArray<string>): string => {
  const all = pieces.join("")
  const last = pieces.at(-1) ?? ""
  return pieces.length > 1 && parsed(all) === undefined && /^\s*\{/.test(last) && isWhole(last) ? last : all
}
