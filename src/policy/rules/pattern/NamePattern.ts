import { Result } from "effect"
import { alternatives, compile, escaped, type PatternChar, tooMany } from "./Glob.ts"
import type { PatternFault } from "./RuleUnreadable.ts"

/**
 * Patterns of tool names, of MCP servers and their tools, and of parameters. See docs/policy.md#rule-syntax and
 * docs/policy.md#mcp-tools-in-rules.
 */

export type NameTest = (name: string) => boolean

export const glob = (text: string): Result.Result<NameTest, PatternFault> => {
  const all = alternatives(escaped(text))
  if (all === undefined) return Result.fail({ at: 0, problem: tooMany })
  const tests = all.map((chars: ReadonlyArray<PatternChar>) => compile(chars))
  return Result.succeed((name) => tests.some((test) => test(name)))
}

export interface McpPattern {
  readonly server: NameTest
  /** `undefined`: every tool of the server. */
  readonly tool: NameTest | undefined
}

/** `server`, `server/tool` or `server/get_*`; `open` also takes a wildcard for the server. */
export const parseMcp = (text: string, open: boolean): Result.Result<McpPattern, PatternFault> => {
  const [server = "", tool, ...more] = text.trim().split("/")
  if (server === "" || tool === "" || more.length > 0 || /\s/.test(text.trim())) {
    return Result.fail({ at: 0, problem: "write mcp(server), mcp(server/tool) or mcp(server/get_*)" })
  }
  if (!open && /[*{]/.test(server)) {
    return Result.fail({
      at: 0,
      problem: "an allow rule names its server; a wildcard may stand for tools only, as in mcp(server/get_*)"
    })
  }
  return Result.flatMap(
    glob(server),
    (serverTest): Result.Result<McpPattern, PatternFault> =>
      tool === undefined || tool === "*" || tool === "**"
        ? Result.succeed({ server: serverTest, tool: undefined })
        : Result.map(glob(tool), (toolTest) => ({ server: serverTest, tool: toolTest }))
  )
}

export interface ParameterTest {
  readonly name: string
  readonly value: NameTest
}

/** `model=opus`, several joined by commas: all must hold. */
export const parseParameters = (text: string): Result.Result<ReadonlyArray<ParameterTest>, PatternFault> => {
  const tests: Array<ParameterTest> = []
  let at = 0
  for (const one of text.split(",")) {
    const [, name, value = ""] = /^\s*([A-Za-z_][\w.-]*)\s*=\s*(.*?)\s*$/s.exec(one) ?? []
    if (name === undefined) {
      return Result.fail({ at, problem: "write tests of parameters as name=value, joined by commas" })
    }
    const test = glob(value)
    if (Result.isFailure(test)) return Result.fail({ ...test.failure, at })
    tests.push({ name, value: test.success })
    at += one.length + 1
  }
  return Result.succeed(tests)
}

const scalar = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : undefined

export const matchesParameters = (
  tests: ReadonlyArray<ParameterTest>,
  parameters: Readonly<Record<string, unknown>>
): boolean =>
  tests.every(({ name, value }) => {
    const found = Object.hasOwn(parameters, name) ? scalar(parameters[name]) : undefined
    return found !== undefined && value(found)
  })
