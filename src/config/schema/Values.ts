import { Result, SchemaAST } from "effect"
import { isAddressWithSecret, leaks, withoutSecrets } from "../../domain/secrets/ArgumentSecrets.ts"
import { isTooDeep } from "../../rpc/Depth.ts"
import { isSecret, type Path } from "./Lookup.ts"
import { valueOf } from "../load/Overrides.ts"
import { isTable } from "../edit/TomlTable.ts"

/** What stands for a secret wherever values are listed; it is never a value (zeroclaw.md §1.6). */
export const mask = "***MASKED***"

const isVariable = (value: unknown) => typeof value === "string" && /^[A-Z][A-Z0-9_]*$/.test(value)

/** A value that no listing shows. `api_key_env` is the name of a variable, unless somebody took it for the key itself. */
export const isHidden = (path: Path, value: unknown): boolean =>
  path.at(-1) === "api_key_env" && (value === undefined || isVariable(value))
    ? false
    : isSecret(path) || (typeof value === "string" && (isAddressWithSecret(value) || leaks(value, false)))

const isText = (value: unknown): value is string => typeof value === "string"

/** What a program is started with. */
const isArguments = (path: Path) => /(^|_)args$/.test(path.at(-1) ?? "")

/** A value that no error shows: it may be a secret, or have one somewhere in it. */
export const isConcealed = (path: Path, value: unknown): boolean =>
  path.some((_, at) => isArguments(path.slice(0, at + 1))) || some(value, (one) => isHidden(path, one))

/** The same value with every secret in it replaced. */
export const masked = (value: unknown, path: Path = []): unknown => {
  if (Array.isArray(value) && value.every(isText) && isArguments(path)) return withoutSecrets(value, mask)
  if (Array.isArray(value)) return value.map((item) => masked(item, path))
  if (typeof value === "object" && value !== null && !(value instanceof Date)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one, [...path, key])]))
  }
  return isHidden(path, value) ? mask : value
}

const some = (value: unknown, test: (one: unknown) => boolean): boolean =>
  test(value) || (typeof value === "object" && value !== null && Object.values(value).some((one) => some(one, test)))

const isBlank = (value: unknown) => typeof value === "string" && value.trim() === ""

/** The value itself, or one at a secret place below it. */
const hasBlankSecret = (path: Path, value: unknown): boolean =>
  isTable(value)
    ? Object.entries(value).some(([key, one]) => hasBlankSecret([...path, key], one))
    : Array.isArray(value)
    ? value.some((one) => hasBlankSecret(path, one))
    : isBlank(value) && isHidden(path, "")

/** Numbers and truth values where texts belong, at any depth; texts stay texts. */
const typedBy = (ast: SchemaAST.AST, value: unknown): unknown => {
  if (SchemaAST.isString(ast)) return typeof value === "number" || typeof value === "boolean" ? String(value) : value
  if (SchemaAST.isArrays(ast) && Array.isArray(value)) {
    return value.map((one) => ast.rest[0] === undefined ? one : typedBy(ast.rest[0], one))
  }
  if (!SchemaAST.isObjects(ast) || !isTable(value)) return value
  const at = (key: string) =>
    ast.propertySignatures.find(({ name }) => name === key)?.type ?? ast.indexSignatures[0]?.type
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const type = at(key)
      return [key, type === undefined ? one : typedBy(type, one)]
    })
  )
}

/**
 * A JSON value as this place takes it: texts are read as the type of the place, other values stay what they are. Only the
 * failures that no schema names are found here.
 */
export const fitted = (path: Path, ast: SchemaAST.AST, value: unknown): Result.Result<unknown, string> => {
  if (value === undefined || isTooDeep(value)) return Result.fail("it must have a value that can be written")
  if (some(value, (one) => one === null)) return Result.fail("null is no value here; delete the key instead")
  if (some(value, (one) => typeof one === "string" && one.includes(mask))) {
    return Result.fail("the mask of a secret is not a value")
  }
  if (hasBlankSecret(path, value)) return Result.fail("a secret cannot be empty; delete the key instead")
  return Result.succeed(
    typedBy(ast, typeof value === "string" && !SchemaAST.isUnknown(ast) ? valueOf(ast, value) : value)
  )
}

/** A word of a command line: below tables that have no schema it is read as TOML where it is that. */
export const typed = (ast: SchemaAST.AST, text: string): unknown =>
  SchemaAST.isUnknown(ast) && /^(true|false|[+-]?\d+(\.\d+)?|\[[^]*\]|\{[^]*\})$/.test(text) ? valueOf(ast, text) : text

/** As `config/get` sends it and people read it. */
export const shown = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value)
