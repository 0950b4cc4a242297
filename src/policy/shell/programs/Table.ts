import { archives } from "./rows/Archives.ts"
import { builds } from "./rows/Builds.ts"
import { cloud } from "./rows/Cloud.ts"
import { containers } from "./rows/Containers.ts"
import { databases } from "./rows/Databases.ts"
import { files } from "./rows/Files.ts"
import { languages } from "./rows/Languages.ts"
import { network } from "./rows/Network.ts"
import { packages } from "./rows/Packages.ts"
import { secrets } from "./rows/Secrets.ts"
import { shell } from "./rows/Shell.ts"
import { system } from "./rows/System.ts"
import { text } from "./rows/Text.ts"
import { versionControl } from "./rows/VersionControl.ts"
import { wrappers } from "./rows/Wrappers.ts"

/**
 * All that is known of single programs: one row for a program and its kin. A row is `NAMES = FACT; FACT`. A line that
 * is indented by two spaces begins the next fact, one that is indented deeper continues the line above it (without a
 * space after a comma). `@NAMES` in front of a fact limits it to these programs of the row. A fact is a key and its
 * text; ` | ` separates alternatives.
 *
 * Facts that say which command lines they are about are rules:
 *
 *     push with -f --force unless -n      the subcommand `push` with one of these options and none of those     push
 * operand +* :*                  one more operand looks like this (`*` is any text, a comma separates alternatives)
 * s3 cp last s3://*                   the last operand looks like this     stash bare                          nothing
 * more is given     ** delete                           any number of words, then `delete`     archive with --remote~
 * the option may be abbreviated where the program abbreviates
 */
export const facts = {
  // How its arguments are read. `VERB` is a subcommand that the fact holds for.
  values: "[VERB] OPTIONS that take their value from the next word; `-i?` takes one only from the same word",
  pairs: "OPTIONS that take two words, of which the second is the value",
  "options-of": "PROGRAM whose `values` hold here as well",
  globals: "[VERB] OPTIONS with a value that may stand in front of the subcommand",
  same: "[VERB] names of one option, joined by `=`",
  // Other names.
  alike: "names of one program, joined by `=`, the usual one first",
  means: "WORDS that mean the same as its name",
  verbs: "names of one subcommand, joined by `=`, the usual one first, with `+` between the words of a name",
  implied: "[VERB] WORD>OPTION: a word like this means the option",
  "runs-as": "OPTIONS whose value is a program, which is run with the rest of the words, or those behind `--`",
  argv0: "OPTIONS whose value is the name that the command it runs is told",
  aliases:
    "where names of its subcommands are set: OPTIONS, PREFIX* of variables, or PREFIX of variables with settings",
  "alias-verb": "VERBS in front of a name and the words that it stands for",
  // Files.
  files:
    "what becomes of operands: `read`, `write`, `none` or a manner; `last`, `then`: of the last, of all but the first",
  outputs: "OPTIONS whose value is a file that is written",
  inputs: "OPTIONS whose value is a file that is read",
  "in-place": "OPTIONS with which it writes the files it reads",
  creates: "files that follow from its operands",
  "script-writes": "how its scripts name files that they write; OPTIONS whose value is a script",
  "reads-below": "RULE: it reads all that lies below its operands",
  "writes-below": "RULE: it changes all that lies below its operands",
  "spreads-below": "RULE: it writes somewhere below its operands",
  // What it runs.
  wraps: "[VERB] a command that rules see as a command of its own, see `Wrapper`",
  starts: "[VERB] a command that only deny and ask rules see, see `Wrapper`",
  "may-start": "[VERB] words that may be a command, of which only a danger counts, see `Wrapper`",
  script: "OPTIONS whose value is a shell script, or the operands from one on; `of` RULE",
  "script-word": "OPTIONS whose next word is a shell script, wherever it stands",
  "input-script": "OPTIONS whose value names a script, `-` the standard input; NAMES of the file without them",
  empties: "OPTIONS whose value is a folder that is emptied, or the operand of a number; `of` RULE",
  "options-from": "VARIABLES whose words are options as well",
  "lists-files": "RULE: it prints names of files",
  batch: "MANNER in which it runs a command for each of many names",
  language: "NAME and OPTIONS whose value is code; `data` OPTIONS: its input is no code; `no-input`: it never is",
  code: "NAME of a language it takes code in, as `language` says it, though most of what it does is something else",
  "code-operand": "VERBS whose next operand is code",
  "code-input": "VERBS with which its input is code",
  tasks: "VERBS whose next operand names a task of the project; `bare`: so does the first operand",
  "remote-code": "VERB whose operand may be the address of code",
  statements: "KIND of database and OPTIONS whose value is a statement; `operand` N: so are the operands from N on",
  hook: "EXPRESSION for arguments with which it prints code that is made to be evaluated",
  // Network.
  network: "RULE: it is of no use without a network",
  "network-address": "so it is if an operand is an address",
  downloads: "RULE: it prints what a machine elsewhere sent",
  saves: "where a download goes: `option`, `address`, `last`; `named` OPTIONS: to the name in the address with these",
  streams: "RULE: its input leaves the machine",
  // Harmless use.
  reads:
    "[VERB] OPTIONS with which it only reads, and no others; `-n=` takes a value, which is a file where it looks like a " +
    "path, `-n=KIND` one of that kind (`file`, `text`, `any` …), `-n==KIND` a name and a value, `-n?` a value in the " +
    "same word, `-#` is a number, `*` any option, `<NAME>` those of a list; `needs` one of these OPTIONS; " +
    "`operands` at most N; `like`, `unlike`: what operands look like",
  "reads-as": "MANNER in which more than the options is looked at",
  "reads-globals": "OPTIONS in front of the subcommand with which it still only reads",
  "reads-list": "NAME and OPTIONS of a list for `reads`",
  "safe-inner": "MANNER in which it is as harmless as what it runs",
  version: "it prints its version with `--version`; `short`: with `-v`; `verb`: with `version`",
  project: "FILES with which a project chooses what runs under this name",
  chooses: "FILES with which a project chooses the versions of programs that it manages",
  certificates: "RULE: it reads certificates, which are public",
  tests: "RULE: it builds or tests",
  "runs-tests": "RULE: it is a test when what it runs is one",
  // Rules of the user.
  medium: "PATTERN of the rule language for changes that one can take back",
  commands:
    "[VERBS] NUMBER of operands that name what it does, after these verbs; `** VERBS`: all words up to one of these",
  "next-runs": "VERBS after which the words are what it runs",
  unoffered: "RULE: it runs what it fetches, so an answer never allows it for good",
  exact: "RULE: though the program can run anything, an answer may allow exactly these words for good",
  // Danger that takes more than a rule to tell.
  check: "NAMES of checks in `../danger`"
} as const

export type Fact = keyof typeof facts

/** Facts without a text, listed after `is`. */
export const flags = {
  abbreviates: "long options may be shortened",
  negates: "an option `--no-x` takes back `--x`",
  prefixed: "it is the program whose name lacks the first letter",
  dashed: "programs that are named after it with a dash are its subcommands",
  "names-commands": "its words give names to commands",
  "single-dash": "long options have one dash",
  versioned: "a version may follow its name",
  shell: "its scripts are read by this analysis",
  "foreign-shell": "a shell whose language is another one",
  evaluates: "it hands an argument to a shell",
  "fed-shell": "it runs what it is fed",
  "fed-script": "what it is fed is a script of this shell",
  "multi-call": "it is the program that it is called by the name of",
  "socket-shell": "on a socket it is a shell for who is at the other end",
  "runs-file": "its operand is a program",
  open: "a rule that allows it would allow any program",
  neutral: "what it runs is no different for it",
  "as-given": "its arguments alone say what it does",
  "well-named": "its name alone says what it does",
  "names-words": "its words are names, patterns or scripts, or its row says all there is to say",
  ordinary: "its name is an ordinary word, which elsewhere is a subcommand or a value",
  "prints-words": "it prints or reckons with its words, and opens none of them",
  relied: "people rely on its name",
  reader: "its words may be files that it reads",
  fetcher: "its words may be addresses",
  searcher: "its first word is a pattern",
  "follows-redirects": "it goes on to other addresses by itself",
  teller: "what it prints tells of this machine",
  "silent-alone": "without arguments it prints nothing",
  constant: "what it prints is made up",
  derived: "what it prints follows from its input or arguments",
  endless: "it never stops printing",
  bounded: "it stops by itself",
  "passes-input": "without arguments it prints its input",
  "keeps-input": "it writes its input to files",
  "prints-environment": "without arguments it prints variables",
  "sets-environment": "it sets variables of other programs",
  "finds-processes": "it prints processes by name",
  "lists-processes": "it prints all processes",
  "fetches-in-code": "its code may download",
  anything: "no word makes it more than a read, so that words need not be literal",
  unbundled: "its short options are not joined, and `--` is none of them",
  "options-first": "what follows its first operand is no option of its own",
  installs: "it installs packages by name or address",
  moves: "what it takes away with a folder is all that lies below",
  places: "it puts files into a folder under their own names",
  links: "with one operand it puts that into the current folder",
  carries: "the copy is what the original was",
  unpacks: "it unpacks archives",
  loses: "it takes content away",
  lists: "it shows names and not content",
  quiet: "it writes no content",
  "makes-folders": "it makes folders",
  "makes-temporary": "with -d alone it makes a fresh folder",
  "key-files": "what it writes are keys",
  "no-short-help": "-h is no help",
  typed: "its input is typed commands",
  waits: "it slows a loop down or ends it",
  grows: "it makes files"
} as const

export type Flag = keyof typeof flags

/**
 * What a command may do that a person should be asked about (docs/policy.md#categories): a fact of this name is a rule.
 */
export const dangers: ReadonlySet<string> = new Set(
  ("disk kernel power-service net-config accounts packages privilege perms persistence tamper system-write fs-wipe " +
    "git-destructive option-exec publish-deploy container database credentials resource exfil").split(" ")
)

type Test = (text: string) => boolean

/** The command lines that a fact is about. */
export interface RiskRule {
  readonly verbs: ReadonlyArray<Test>
  readonly given: ReadonlyArray<Test>
  readonly unless: ReadonlyArray<Test>
  /** Options that may be given in a shorter form. */
  readonly abbreviated: ReadonlyArray<string>
  readonly operands: ReadonlyArray<Test>
  readonly last: ReadonlyArray<Test>
  readonly bare: boolean
}

/** Fits any number of words; compared by identity. */
export const anyWords: Test = () => true

const test = (text: string): Test => {
  if (!text.includes(",") && !text.includes("*")) return (given) => given === text
  const choices = text.split(",")
  const exact = new Set(choices.filter((choice) => !choice.includes("*")))
  const globs = choices.filter((choice) => choice.includes("*"))
  if (globs.length === 0) return (given) => exact.has(given)
  // Most rules are never tried, so their expressions are built when they are.
  let pattern: RegExp | undefined
  return (given) => exact.has(given) || (pattern ??= anyOf(globs)).test(given)
}

const anyOf = (globs: ReadonlyArray<string>): RegExp =>
  new RegExp(
    `^(${globs.map((glob) => glob.replace(/[.+^${}()|[\]\\?]/g, "\\$&").replaceAll("*", ".*")).join("|")})$`,
    "s"
  )

const wordsOf = (text: string): ReadonlyArray<string> => text.split(" ").filter((word) => word !== "")

/** The words in front of the first keyword, and those behind each. */
const sectionsOf = <K extends string>(
  words: ReadonlyArray<string>,
  ...keywords: ReadonlyArray<K>
): Readonly<Record<K | "head", ReadonlyArray<string>>> => {
  const found = Object.fromEntries(["head", ...keywords].map((key) => [key, [] as Array<string>]))
  let into = found["head"]!
  for (const word of words) {
    if (word !== "head" && Object.hasOwn(found, word)) into = found[word]!
    else into.push(word)
  }
  return found as Record<K | "head", Array<string>>
}

const toRule = (text: string): RiskRule => {
  const words = wordsOf(text)
  const { head, last, operand, unless, with: given } = sectionsOf(
    words.filter((word) => word !== "bare"),
    "with",
    "unless",
    "operand",
    "last"
  )
  return {
    verbs: head.map((word) => (word === "**" ? anyWords : test(word))),
    given: given.filter((word) => !word.endsWith("~")).map(test),
    abbreviated: given.filter((word) => word.endsWith("~")).map((word) => word.slice(0, -1)),
    unless: unless.map(test),
    operands: operand.map(test),
    last: last.map(test),
    bare: words.includes("bare")
  }
}

/** The subcommands in front of the options. */
const verbsOf = (text: string): readonly [string, ReadonlyArray<string>] => {
  const words = wordsOf(text)
  const first = words.findIndex((word) => /^[-+]/.test(word))
  return first < 0 ? [words.join(" "), []] : [words.slice(0, first).join(" "), words.slice(first)]
}

/** A program that runs another one with the rest of its words. */
export interface Wrapper {
  /** Subcommands that have to come first; `*` is any word. */
  readonly verbs: ReadonlyArray<string>
  /** Operands before the inner command, as the duration of `timeout`. */
  readonly skip: number
  /** Options that take a value. */
  readonly values: ReadonlyArray<string>
  /** Options that take two. */
  readonly pairs: ReadonlyArray<string>
  /** Words after which the inner command begins. */
  readonly begins: ReadonlyArray<string>
  /** Options with a shell script in place of the inner command. */
  readonly scriptAt: ReadonlyArray<string>
  /** Options with which nothing is run. */
  readonly asks: ReadonlyArray<string>
  /** A word like this may stand in front of the inner command. */
  readonly passes: Test | undefined
  /** First words with which nothing is run. */
  readonly except: ReadonlySet<string>
  readonly marks: ReadonlySet<WrapperMark>
  /** It is a part of its own to allow rules. */
  readonly visible: boolean
}

const marks = [
  // The inner words are the text of a shell script, unless `-x` is given; always; each of them.
  "script",
  "always-script",
  "scripts",
  // Names of keys among them are no text.
  "keys",
  // The inner command starts only after `--`.
  "dashes",
  "remote",
  "contained",
  // What it changes in the container stays.
  "kept",
  // Assignments may stand in front of the inner command.
  "assigns",
  // Its options are those of the row, and without a command its input is the script.
  "login",
  // Words from its input are appended.
  "appends",
  // It fetches the inner program, whose name may have a version.
  "fetches"
] as const

type WrapperMark = typeof marks[number]

const isMark = (word: string): word is WrapperMark => (marks as ReadonlyArray<string>).includes(word)

const toWrapper = (text: string, visible: boolean): Wrapper => {
  const words = wordsOf(text)
  const {
    asks,
    begins,
    except,
    head: verbs,
    pairs,
    passes: [passes],
    "script-at": scriptAt,
    skip: [skip = "0"],
    values
  } = sectionsOf(
    words.filter((word) => !isMark(word)),
    "skip",
    "passes",
    "values",
    "pairs",
    "begins",
    "script-at",
    "asks",
    "except"
  )
  return {
    verbs,
    skip: Number(skip),
    values,
    pairs,
    begins,
    scriptAt,
    asks,
    passes: passes === undefined ? undefined : test(passes),
    except: new Set(except),
    marks: new Set(words.filter(isMark)),
    visible
  }
}

/** What a program does with the files that its operands name. */
interface FileUse {
  /** `read`, `write` and `none`, or the name of a manner of its own. */
  readonly operands: string
  readonly last: string
  /** What becomes of all but the first, where that is something else. */
  readonly then: string | undefined
  /** The operands in front that are no files, unless one of these options stands for them. */
  readonly skip: number
  readonly unless: ReadonlyArray<string>
  readonly words: ReadonlyArray<string>
}

const toFileUse = (text: string): FileUse => {
  const { head, last, skip, then, unless } = sectionsOf(wordsOf(text), "last", "then", "skip", "unless")
  const [operands = "none", ...words] = head
  return { operands, last: last[0] ?? operands, then: then[0], skip: Number(skip[0] ?? 0), unless, words }
}

/** A program that runs code given as text: on the command line, on standard input or in a file. */
export interface Language {
  readonly name: string
  /** Options whose value is code. */
  readonly code: ReadonlyArray<string>
  /** Options with which the standard input is data, or nothing is run. */
  readonly data: ReadonlyArray<string>
  /** Standard input is code when there is no script. */
  readonly input: boolean
}

const toLanguage = (text: string): Language => {
  const words = wordsOf(text)
  const { data, head: [name = "", ...code] } = sectionsOf(words.filter((word) => word !== "no-input"), "data")
  return { name, code, data, input: !words.includes("no-input") }
}

/** A client that sends statements to a database. */
export interface Statements {
  readonly kind: string
  readonly code: ReadonlyArray<string>
  /** The operand from which on statements are given; -1 where they never are. */
  readonly operand: number
}

const toStatements = (text: string): Statements => {
  const { head: [kind = "", ...code], operand: [operand = "-1"] } = sectionsOf(wordsOf(text), "operand")
  return { kind, code, operand: Number(operand) }
}

/**
 * Options whose value is a shell script, or `operands` and the first operand that is one; where a rule holds, if there
 * is one.
 */
interface ScriptWords {
  readonly words: ReadonlyArray<string>
  readonly rule: RiskRule | undefined
}

const toScriptWords = (text: string): ScriptWords => {
  const [words = "", rule] = text.split(" of ")
  return { words: wordsOf(words), rule: rule === undefined ? undefined : toRule(rule) }
}

/** How many operands name a command of the program. */
interface CommandDepth {
  readonly verbs: ReadonlyArray<Test>
  readonly depth: number
  /** All words up to one that fits are the name, in place of a number of them. */
  readonly leaf: Test | undefined
}

const toCommandDepth = (text: string): CommandDepth => {
  const words = wordsOf(text)
  return words[0] === "**"
    ? { verbs: [], depth: 0, leaf: test(words[1] ?? "") }
    : { verbs: words.slice(0, -1).map(test), depth: Number(words.at(-1)), leaf: undefined }
}

/** One program as its row tells it. */
export class Program {
  readonly name: string
  readonly wrappers: ReadonlyArray<Wrapper>
  /** What it may start, which is no part of its own. */
  readonly starters: ReadonlyArray<Wrapper>
  readonly scripts: ReadonlyArray<ScriptWords>
  /** Folders that it empties. */
  readonly empties: ReadonlyArray<ScriptWords>
  readonly files: FileUse | undefined
  readonly language: Language | undefined
  /** What it takes code in, as a language or beside other things. */
  readonly code: Language | undefined
  readonly statements: Statements | undefined
  /** The dangers that its row has rules for. */
  readonly dangers: ReadonlyArray<string>
  readonly #flags: ReadonlySet<string>
  readonly #texts: ReadonlyMap<string, ReadonlyArray<string>>
  readonly #words = new Map<string, ReadonlyArray<string>>()
  readonly #rules = new Map<string, ReadonlyArray<RiskRule>>()
  // By subcommand, or under an empty name.
  readonly #values = new Map<string, ReadonlySet<string>>()
  #commands: ReadonlyArray<CommandDepth> | undefined
  readonly #globals: ReadonlyMap<string, ReadonlyArray<string>>
  readonly #same: ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>>

  constructor(name: string, row: string) {
    this.name = name
    const texts = new Map<string, ReadonlyArray<string>>()
    for (const [key, text] of factsOf(row, name)) texts.set(key, [...(texts.get(key) ?? []), ...text.split(" | ")])
    this.#texts = texts
    this.#flags = new Set(texts.get("is")?.flatMap(wordsOf))
    this.dangers = Array.from(texts.keys()).filter((key) => dangers.has(key))
    this.wrappers = [
      ...this.texts("wraps").map((text) => toWrapper(text, true)),
      ...this.texts("starts").map((text) => toWrapper(text, false))
    ]
    this.starters = this.texts("may-start").map((text) => toWrapper(text, false))
    this.scripts = this.texts("script").map(toScriptWords)
    this.empties = this.texts("empties").map(toScriptWords)
    this.files = this.texts("files").map(toFileUse)[0]
    this.language = this.texts("language").map(toLanguage)[0]
    this.code = this.language ?? this.texts("code").map(toLanguage)[0]
    this.statements = this.texts("statements").map(toStatements)[0]
    this.#globals = new Map(this.texts("globals").map(verbsOf))
    this.#same = new Map(
      this.texts("same").map(verbsOf).map(([verb, groups]) => [verb, groups.map((group) => group.split("="))])
    )
    const likened = this.texts("options-of").flatMap((other) => programOf(other).texts("values"))
    for (const text of [...likened, ...this.texts("values")]) {
      const [verb, options] = verbsOf(text)
      this.#values.set(verb, new Set([...(this.#values.get("") ?? []), ...options]))
    }
  }

  is(flag: Flag): boolean {
    return this.#flags.has(flag)
  }

  has(fact: Fact): boolean {
    return this.#texts.has(fact)
  }

  /** The alternatives of a fact as they stand in the row. */
  texts(fact: string): ReadonlyArray<string> {
    return this.#texts.get(fact) ?? []
  }

  /** The words of a fact. */
  words(fact: Fact): ReadonlyArray<string> {
    const words = this.#words.get(fact) ?? this.texts(fact).flatMap(wordsOf)
    this.#words.set(fact, words)
    return words
  }

  /** The rules that a fact or a danger consists of. */
  rules(fact: string): ReadonlyArray<RiskRule> {
    const rules = this.#rules.get(fact) ?? this.texts(fact).map(toRule)
    this.#rules.set(fact, rules)
    return rules
  }

  /** Options that take a value; after a subcommand those of the program and its own, where it has any. */
  values(verb = ""): ReadonlySet<string> | undefined {
    return this.#values.get(verb)
  }

  /** Options with a value that may stand in front of the subcommand, or in front of the subcommand of a subcommand. */
  globals(verb = ""): ReadonlyArray<string> | undefined {
    return this.#globals.get(verb)
  }

  /** Names of one word that a subcommand has. */
  verbNames(verb: string): ReadonlyArray<string> {
    const names = this.texts("verbs").map((text) => text.split("=")).find((group) => group.includes(verb))
    return names?.filter((name) => !name.includes("+")) ?? [verb]
  }

  /** The options that a word of this subcommand means. */
  implied(verb: string, word: string): ReadonlyArray<string> {
    return this.texts("implied").flatMap((text) => {
      const [first, ...meanings] = wordsOf(text)
      return first !== verb ? [] : meanings.flatMap((meaning) => {
        const [given = "", option = ""] = meaning.split(">")
        return test(given)(word) ? [option] : []
      })
    })
  }

  /** How many of these operands name what it does; `undefined` where they do not tell. */
  commandDepth(operands: ReadonlyArray<string>): number | undefined {
    const all = (this.#commands ??= this.texts("commands").map(toCommandDepth))
    let best: CommandDepth | undefined
    for (const each of all) {
      const fits = each.leaf === undefined && each.verbs.length > (best?.verbs.length ?? -1) &&
        each.verbs.every((verb, index) => index < operands.length && verb(operands[index]!))
      if (fits) best = each
    }
    if (best === undefined || best.verbs.length === 0) {
      const ends = all.flatMap(({ leaf }) => leaf === undefined ? [] : [operands.findIndex(leaf) + 1])
      const end = ends.find((each) => each > 0)
      if (end !== undefined) return end
    }
    return best !== undefined && best.depth <= operands.length ? best.depth : undefined
  }

  /** The names of each option that has several, after a subcommand. */
  same(verb: string): ReadonlyArray<ReadonlyArray<string>> {
    return this.#same.get(verb) ?? this.#same.get("") ?? []
  }
}

/** The facts of a row that hold for one of its programs. */
const factsOf = (row: string, name: string): ReadonlyArray<readonly [string, string]> =>
  factLines(row).flatMap((fact) => {
    const limit = fact.startsWith("@") ? fact.indexOf(" ") : -1
    if (limit > 0 && !fact.slice(1, limit).split(",").includes(name)) return []
    const text = fact.slice(limit + 1)
    const space = text.indexOf(" ")
    return [space < 0 ? [text, ""] as const : [text.slice(0, space), text.slice(space + 1)] as const]
  })

/** A row: the programs it is about, and its facts as they are written. */
interface Row {
  readonly names: ReadonlyArray<string>
  readonly text: string
}

const topics = [shell, wrappers, files, text, archives, network, versionControl, languages, packages, builds].concat(
  [containers, cloud, databases, secrets, system]
)

// Read when the first command is looked at, and no further than that needs.
let allRows: ReadonlyArray<Row> | undefined
let rowByName: ReadonlyMap<string, Row> | undefined
const programs = new Map<string, Program>()

export const rows = (): ReadonlyArray<Row> =>
  allRows ??= Array.from(
    topics.join("").matchAll(/^([^ \n][^=]*?) =(.*(?:\n {2}.*)*)/gm),
    ([, names, body]) => ({ names: names!.trim().split(/\s+/), text: body! })
  )

const rowOf = (name: string): Row | undefined =>
  (rowByName ??= new Map(rows().flatMap((row) => row.names.map((each) => [each, row] as const)))).get(name)

/** The facts of a row, one a line. */
export const factLines = (row: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const line of row.split("\n")) {
    const above = lines.at(-1)
    if (above === undefined || !line.startsWith("    ")) lines.push(line.trim())
    else lines[lines.length - 1] = above + (above.endsWith(",") ? "" : " ") + line.trim()
  }
  return lines.flatMap((line) => line.split("; ")).filter((line) => line !== "")
}

/** The programs that have a fact. */
export const programsWith = (fact: Fact): ReadonlyArray<Program> =>
  rows().filter((row) => row.text.includes(`${fact} `)).flatMap(({ names }) => names.map(programOf))
    .filter((program) => program.has(fact))

let likenedNames: ReadonlyMap<string, ReadonlyArray<string>> | undefined

/** All names of one program, the usual one first. */
const likeOf = (name: string): ReadonlyArray<string> | undefined => {
  likenedNames ??= new Map(
    rows().flatMap(({ names, text }) => {
      if (!/\balike /.test(text)) return []
      const groups = new Set(names.flatMap((each) => programOf(each).words("alike")))
      return [...groups].map((group) => group.split("="))
    }).flatMap((group) => group.map((each) => [each, group] as const))
  )
  return likenedNames.get(name)
}

const withoutEnding = (name: string): string => name.replace(/\.(exe|cmd|bat|com)$/i, "")

/** The name that the rows and most people use for a program. */
export const usualName = (name: string): string => {
  const plain = withoutEnding(name)
  return likeOf(plain)?.[0] ?? plain
}

/** Every name of a program: `python3.12` is `python3` and `python` as well, and `nodejs` is `node`. */
export const namesOfProgram = (name: string): ReadonlyArray<string> => {
  const plain = withoutEnding(name)
  const stem = unversioned(plain)
  const major = /^(\D+\d+)\./.exec(plain)?.[1]
  const versions = [plain, ...(major === undefined ? [] : [major]), stem]
  // Another version is another program: only a name without one stands for all that are like it.
  return [...new Set([name, ...(stem === plain ? likeOf(plain) ?? [plain] : versions)])]
}

const unknown = new Program("", "")

/** What is known of a program; nothing is where no row has its name. */
export const programOf = (name: string): Program => {
  const found = programs.get(name)
  if (found !== undefined) return found
  const row = rowOf(name)
  if (row === undefined) {
    const plain = unversioned(name)
    return plain === name ? unknown : programOf(plain)
  }
  const made = new Program(name, row.text)
  // Names that no row has are not kept: they may be as many and as long as a model likes.
  programs.set(name, made)
  return made
}

/** `python3.12` is `python`, `x.exe` is `x`, `ld-linux.so.2` the loader; `mkfs.ext4` stays what it is. */
export const unversioned = (name: string): string => {
  if (name.startsWith("ld-") && /^ld-[\w.-]+\.so(\.\d+)*$/.test(name)) return "ld.so"
  const plain = /[\d.]$/.test(name) ? name.replace(/[\d.]+$/, "") : name
  if (plain !== name && rowOf(plain) !== undefined && programOf(plain).is("versioned")) return plain
  return name.endsWith(".exe") ? name.slice(0, -4) : name
}
