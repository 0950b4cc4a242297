import { Result } from "effect"
import type { Word } from "./CallAction.ts"
import * as TokenPattern from "../rules/pattern/TokenPattern.ts"
import { RulesInvalid } from "../rules/source/RulesFile.ts"

/**
 * The user's own build and test commands (`shell_test_commands`): patterns of the rule language, matched as allow rules
 * are.
 */

type Compiled = Result.Result<
  (words: ReadonlyArray<Word>) => boolean,
  { readonly index: number; readonly problem: string }
>

const known = new WeakMap<ReadonlyArray<string>, Compiled>()

const compile = (texts: ReadonlyArray<string>): Compiled => {
  const patterns: Array<TokenPattern.TokenPattern> = []
  for (const [at, text] of texts.entries()) {
    const pattern = TokenPattern.parse(text)
    if (Result.isFailure(pattern)) return Result.fail({ index: at + 1, problem: pattern.failure.problem })
    patterns.push(pattern.success)
  }
  return Result.succeed((words) => patterns.some((pattern) => TokenPattern.covers(pattern, words)))
}

const compiled = (texts: ReadonlyArray<string>): Compiled => {
  const made = known.get(texts) ?? compile(texts)
  known.set(texts, made)
  return made
}

/** `undefined` without patterns, or where one is invalid: `check` then refuses the session's turns. */
export const matcher = (texts: ReadonlyArray<string>): ((words: ReadonlyArray<Word>) => boolean) | undefined =>
  texts.length === 0 ? undefined : Result.getOrUndefined(compiled(texts))

export const check = (file: string, texts: ReadonlyArray<string>): Result.Result<void, RulesInvalid> =>
  Result.mapBoth(compiled(texts), {
    onSuccess: () => {},
    onFailure: ({ index, problem }) =>
      new RulesInvalid({ file, list: "policy.shell_test_commands", index, rule: texts[index - 1]!, problem })
  })
