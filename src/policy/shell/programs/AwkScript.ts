/**
 * Whether an awk program only prints: it runs nothing, writes no file and reads none but its operands. A small part of
 * the language is told apart, and what is not understood counts as more than a read
 * (https://pubs.opengroup.org/onlinepubs/9799919799/utilities/awk.html).
 */
export const awkReads = (program: string): boolean => {
  let at = 0
  let parens = 0
  let braces = 0
  /** A slash divides behind an operand, and begins a pattern elsewhere. */
  let before: "operand" | "keyword" | "none" = "none"
  /** The statement prints, so that an arrow in it is a redirect. */
  let prints = false
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(program)?.[0]
    at += found?.length ?? 0
    return found
  }
  while (at < program.length) {
    if (take(blank) !== undefined || take(comment) !== undefined) continue
    const word = take(name)
    if (word !== undefined) {
      if (reaching.has(word)) return false
      prints ||= word === "print" || word === "printf"
      before = keywords.has(word) ? "keyword" : "operand"
      continue
    }
    if (take(number) !== undefined) {
      before = "operand"
      continue
    }
    const char = program[at]!
    switch (char) {
      case "\"":
        if (take(string) === undefined) return false
        before = "operand"
        continue
      case "/":
        if (before === "keyword") return false
        if (before === "none") {
          if (take(regularExpression) === undefined) return false
          before = "operand"
          continue
        }
        break
      case "\n":
      case ";":
      case "{":
      case "}":
        // A statement may go on in the next line.
        if (char !== "\n") prints = false
        if (char === "{") braces++
        if (char === "}" && --braces < 0) return false
        if (char !== "\n" && parens > 0 && char !== ";") return false
        break
      case "(":
        parens++
        break
      case ")":
        if (--parens < 0) return false
        at++
        before = "operand"
        continue
      case "]":
        at++
        before = "operand"
        continue
      case "|":
        if (program[at + 1] !== "|") return false
        at++
        break
      case ">":
        if (program[at + 1] === ">") return false
        if (program[at + 1] === "=") at++
        else if (braces > 0 && parens === 0 && prints) return false
        break
      case "+":
      case "-":
        // Whether a slash behind `x++` divides is not told.
        if (program[at + 1] === char) {
          at += 2
          before = "keyword"
          continue
        }
        break
      case "$":
      case "!":
      case "~":
      case "=":
      case "<":
      case "*":
      case "%":
      case "^":
      case "&":
      case "?":
      case ":":
      case ",":
      case "[":
        break
      default:
        return false
    }
    at++
    before = "none"
  }
  return parens === 0 && braces === 0
}

const blank = /[ \t]+/y
const comment = /#[^\n]*/y
const name = /[A-Za-z_]\w*/y
const number = /(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y
const string = /"(?:[^"\\\n]|\\[^\n])*"/y
/** Whether a slash in brackets ends it differs from awk to awk. */
const regularExpression = /\/(?:[^/\\\n[]|\\[^\n]|\[\^?\]?(?:\[:\w+:\]|[^\]/\\\n[])*\])+\//y

/** They run a program, read or write another file, or tell what no operand has in it. */
const reaching = new Set(
  "system getline close fflush ENVIRON ARGV ARGIND ARGC PROCINFO SYMTAB FUNCTAB extension include load namespace".split(
    " "
  )
)

const keywords = new Set(
  ("print printf return in else do case getline delete next exit if while for function func switch default break continue " +
    "length BEGIN END BEGINFILE ENDFILE").split(" ")
)
