import { Predicate, SchemaAST } from "effect"
import { references } from "./References.ts"
import { dotted, isSecretPath, isTable, type KeyPath, overlaps } from "./KeyPath.ts"
import { expected } from "./Lookup.ts"
import { ConfigTable } from "./Schema.ts"
import { isHidden, masked } from "./Values.ts"

type FieldKind =
  | "string"
  | "bool"
  | "integer"
  | "float"
  | "enum"
  | "alias_ref"
  | "string_array"
  | "object_array"
  | "object"

/** One key that is set or could be, as `config/list` describes it (docs/native-rpc.md#configuration). */
export interface ConfigField {
  readonly path: string
  readonly category: string
  readonly kind: FieldKind
  /** What a value must be, in words. */
  readonly description: string
  /** Absent for secrets and where nothing is set. */
  readonly value?: unknown
  readonly populated: boolean
  readonly isSecret: boolean
  readonly isEnvOverridden: boolean
  readonly enumVariants?: ReadonlyArray<string>
  readonly aliasSource?: string
}

const matches = (at: ReadonlyArray<string>, path: KeyPath) =>
  at.length === path.length && at.every((key, index) => key === "*" || key === path[index])

const aliasSource = (path: KeyPath) =>
  references.find(({ at, to }) => at.at(-1) !== "model" && to !== "providers" && matches(at, path))?.to

const isIntegerCheck = (representation: unknown) =>
  Predicate.hasProperty(representation, "id") && representation.id === "effect/schema/isInt"

const isInteger = (ast: SchemaAST.AST) =>
  ast.checks?.some(({ annotations }) => isIntegerCheck(annotations?.["representation"])) === true

const variants = (ast: SchemaAST.AST): ReadonlyArray<string> | undefined =>
  SchemaAST.isUnion(ast) && ast.types.every(SchemaAST.isLiteral)
    ? ast.types.map(({ literal }) => String(literal))
    : undefined

/** By the schema, or by the value where that has none. */
export const kindOf = (ast: SchemaAST.AST, value: unknown): FieldKind => {
  if (variants(ast) !== undefined) return "enum"
  if (SchemaAST.isBoolean(ast) || typeof value === "boolean") return "bool"
  if (SchemaAST.isNumber(ast)) return isInteger(ast) ? "integer" : "float"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "float"
  if (SchemaAST.isArrays(ast) || Array.isArray(value)) {
    const texts = SchemaAST.isArrays(ast)
      ? ast.rest.every((one) => SchemaAST.isString(one) || variants(one) !== undefined)
      : (value as Array<unknown>).every((one) => typeof one === "string")
    return texts ? "string_array" : "object_array"
  }
  return SchemaAST.isObjects(ast) ? "object" : "string"
}

/** Fixed keys, whether set or not, and the aliases that are set. */
const childrenOf = (
  ast: SchemaAST.AST,
  value: unknown
): ReadonlyArray<readonly [string, SchemaAST.AST]> | undefined => {
  const own = isTable(value) ? Object.keys(value) : []
  if (SchemaAST.isUnknown(ast)) return isTable(value) ? own.map((key) => [key, ast]) : undefined
  if (!SchemaAST.isObjects(ast)) return undefined
  const fixed = ast.propertySignatures.map(({ name, type }): [string, SchemaAST.AST] => [String(name), type])
  const other = ast.indexSignatures[0]?.type
  return other === undefined ? fixed : [...fixed, ...own.map((key): [string, SchemaAST.AST] => [key, other])]
}

/** Everything that is set and everything that could be without another alias, in the order of the schema. */
export const fields = (
  table: unknown,
  overridden: ReadonlyArray<KeyPath>,
  ast: SchemaAST.AST = ConfigTable.ast,
  path: KeyPath = []
): ReadonlyArray<ConfigField> => {
  const children = childrenOf(ast, table)
  if (children !== undefined) {
    return children.flatMap(([key, type]) =>
      fields(isTable(table) && Object.hasOwn(table, key) ? table[key] : undefined, overridden, type, [...path, key])
    )
  }
  if (SchemaAST.isUnknown(ast) && table === undefined) return []
  const source = aliasSource(path)
  const enumVariants = variants(ast)
  const hidden = isHidden(path, table)
  return [{
    path: dotted(path),
    category: path[0] ?? "",
    kind: source !== undefined && !Array.isArray(table) ? "alias_ref" : kindOf(ast, table),
    description: expected(ast),
    ...(hidden || table === undefined ? {} : { value: masked(table, path) }),
    populated: table !== undefined,
    isSecret: hidden || (isSecretPath(path) && path.at(-1) !== "api_key_env"),
    isEnvOverridden: overridden.some((one) => overlaps(one, path)),
    ...(enumVariants === undefined ? {} : { enumVariants }),
    ...(source === undefined ? {} : { aliasSource: source })
  }]
}

/** Tables whose keys are aliases of the user's choice. */
export const isMap = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isUnknown(ast) || (SchemaAST.isObjects(ast) && ast.indexSignatures.length > 0)

interface AliasMap {
  /** With `*` for aliases on the way. */
  readonly path: string
  /** The type of one entry. */
  readonly ast: SchemaAST.AST
}

/** All tables that take aliases (`config/templates`). */
export const maps = (ast: SchemaAST.AST = ConfigTable.ast, path: KeyPath = []): ReadonlyArray<AliasMap> => {
  if (!SchemaAST.isObjects(ast)) return []
  const index = ast.indexSignatures[0]?.type
  const own = index === undefined ? [] : [
    { path: path.join("."), ast: index },
    ...maps(index, [...path, "*"])
  ]
  return [...own, ...ast.propertySignatures.flatMap(({ name, type }) => maps(type, [...path, String(name)]))]
}
