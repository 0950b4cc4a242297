import { Result, SchemaAST } from "effect"
import { Toml } from "effect/encoding"
import { isAddressWithSecret, leaks, withoutSecrets } from "../../domain/secrets/ArgumentSecrets.ts"
import { isTooDeep } from "../../rpc/Wire.ts"
import { isSecretPath, isTable, type KeyPath } from "./KeyPath.ts"

/** What stands for a secret wherever values are listed; it is never a value (docs/configuration.md#secrets). */
export const mask = "***MASKED***"

const isVariable = (value: unknown) => typeof value === "string" && /^[A-Z][A-Z0-9_]*$/.test(value)

/** A value that no listing shows. `api_key_env` holds the name of a variable, unless it does not look like one: then it may be the key itself. */
export const isHidden = (path: KeyPath, value: unknown): boolean =>
  path.at(-1) === "api_key_env" && (value === undefined || isVariable(value))
    ? false
    : isSecretPath(path) || (typeof value === "string" && (isAddressWithSecret(value) || leaks(value, false)))

const isString = (value: unknown): value is string => typeof value === "string"

/** The arguments that a program is started with. */
const isArguments = (path: KeyPath) => /(^|_)args$/.test(path.at(-1) ?? "")

/** A value that no error shows: it may be a secret, or have one somewhere in it. */
export const mayHoldSecret = (path: KeyPath, value: unknown): boolean =>
  path.some((_, at) => isArguments(path.slice(0, at + 1))) || some(value, (one) => isHidden(path, one))

/** The same value with every secret in it replaced. */
export const masked = (value: unknown, path: KeyPath = []): unknown => {
  if (Array.isArray(value) && value.every(isString) && isArguments(path)) return withoutSecrets(value, mask)
  if (Array.isArray(value)) return value.map((item) => masked(item, path))
  if (typeof value === "object" && value !== null && !(value instanceof Date)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one, [...path, key])]))
  }
  return isHidden(path, value) ? mask : value
}

const some = (value: unknown, test: (one: unknown) => boolean): boolean =>
  test(value) || (typeof value === "object" && value !== null && Object.values(value).some((one) => some(one, test)))

const isBlank = (value: unknown) => typeof value === "string" && value.trim() === ""

/** Whether the value, or one at a secret path below it, is an empty secret. */
const hasBlankSecret = (path: KeyPath, value: unknown): boolean =>
  isTable(value)
    ? Object.entries(value).some(([key, one]) => hasBlankSecret([...path, key], one))
    : Array.isArray(value)
    ? value.some((one) => hasBlankSecret(path, one))
    : isBlank(value) && isHidden(path, "")

/** Numbers and booleans become strings where strings belong, at any depth. */
const withStrings = (ast: SchemaAST.AST, value: unknown): unknown => {
  if (SchemaAST.isString(ast)) return typeof value === "number" || typeof value === "boolean" ? String(value) : value
  if (SchemaAST.isArrays(ast) && Array.isArray(value)) {
    return value.map((one) => ast.rest[0] === undefined ? one : withStrings(ast.rest[0], one))
  }
  if (!SchemaAST.isObjects(ast) || !isTable(value)) return value
  const at = (key: string) =>
    ast.propertySignatures.find(({ name }) => name === key)?.type ?? ast.indexSignatures[0]?.type
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const type = at(key)
      return [key, type === undefined ? one : withStrings(type, one)]
    })
  )
}

/** A string is taken as it is where strings belong; anything else is written as in TOML, a list also with plain commas. */
export const parseText = (ast: SchemaAST.AST, text: string): unknown => {
  if (SchemaAST.isString(ast) || SchemaAST.isLiteral(ast) || SchemaAST.isUnion(ast)) return text
  const parsed = Toml.parse(`value = ${text}`)
  if (Result.isSuccess(parsed) && Object.keys(parsed.success).length === 1) return parsed.success["value"]
  return SchemaAST.isArrays(ast) ? text.split(",").map((item) => item.trim()).filter((item) => item !== "") : text
}

/** A word of a command line: below tables that have no schema it is read as TOML where it looks like a value of TOML. */
export const parseWord = (ast: SchemaAST.AST, word: string): unknown =>
  SchemaAST.isUnknown(ast) && /^(true|false|[+-]?\d+(\.\d+)?|\[[^]*\]|\{[^]*\})$/.test(word)
    ? parseText(ast, word)
    : word

/**
 * A JSON value converted to the type that its path has: strings are parsed, other values stay what they are. Finds only the failures
 * that the schema does not name.
 */
export const convert = (path: KeyPath, ast: SchemaAST.AST, value: unknown): Result.Result<unknown, string> => {
  if (value === undefined || isTooDeep(value)) return Result.fail("it must have a value that can be written")
  if (some(value, (one) => one === null)) return Result.fail("null is no value here; delete the key instead")
  if (some(value, (one) => typeof one === "string" && one.includes(mask))) {
    return Result.fail("the mask of a secret is not a value")
  }
  if (hasBlankSecret(path, value)) return Result.fail("a secret cannot be empty; delete the key instead")
  return Result.succeed(
    withStrings(ast, typeof value === "string" && !SchemaAST.isUnknown(ast) ? parseText(ast, value) : value)
  )
}

/** As `config/get` sends a value and people read it. */
export const display = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value)
