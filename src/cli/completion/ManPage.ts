import { Option } from "effect"
import type { HelpDoc } from "effect/cli"

/** A manual page in the language of man(7), made of what `--help` says of every command. */

const escaped = (text: string): string =>
  text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^(['.])/gm, "\\&$1")

const flagLines = ({ aliases, description, name, type }: HelpDoc.FlagDoc): ReadonlyArray<string> => {
  const names = [`--${name}`, ...aliases].map((one) => `\\fB${escaped(one)}\\fR`).join(", ")
  return [
    ".TP",
    type === "boolean" ? names : `${names} \\fI${escaped(type)}\\fR`,
    escaped(Option.getOrElse(description, () => ""))
  ]
}

const argumentLines = ({ description, name }: HelpDoc.ArgDoc): ReadonlyArray<string> => [
  ".TP",
  `\\fI${escaped(name)}\\fR`,
  escaped(Option.getOrElse(description, () => ""))
]

const exampleLines = ({ command, description }: HelpDoc.ExampleDoc): ReadonlyArray<string> => [
  ".PP",
  ...(description === undefined ? [] : [`${escaped(description)}:`]),
  ".PP",
  ".nf",
  `    ${escaped(command)}`,
  ".fi"
]

const commandLines = (doc: HelpDoc.HelpDoc): ReadonlyArray<string> => [
  `.SS ${escaped(doc.usage.replace(/\s+/g, " ").trim())}`,
  escaped(doc.description),
  ...(doc.args ?? []).flatMap(argumentLines),
  ...doc.flags.filter(({ name }) => name !== "help").flatMap(flagLines),
  ...(doc.examples ?? []).flatMap(exampleLines)
]

/** `first` is the help of the program itself, `others` that of its commands. */
export const manPage = (version: string, first: HelpDoc.HelpDoc, others: ReadonlyArray<HelpDoc.HelpDoc>): string =>
  [
    `.TH POSTERN 1 "" "postern ${escaped(version)}" "User Commands"`,
    ".SH NAME",
    `postern \\- ${escaped(first.description)}`,
    ".SH SYNOPSIS",
    `\\fBpostern\\fR ${escaped(first.usage.replace(/^postern\s*/, ""))}`,
    ".SH GLOBAL FLAGS",
    ...[...first.flags, ...(first.globalFlags ?? [])].flatMap(flagLines),
    ".SH COMMANDS",
    ...others.flatMap(commandLines),
    ".SH EXIT STATUS",
    ...[["0", "done"], ["1", "failed, with one line on standard error"], ["2", "wrong usage"], ["130", "interrupted"]]
      .flatMap(([code, what]) => [".TP", `\\fB${code}\\fR`, what ?? ""])
  ].join("\n") + "\n"
