import { readingOptionRows } from "./OptionRows.ts"
import { unfolded } from "./Rows.ts"

/**
 * What a word with a leading dash may be. Words after a `--` and values of options are held to it as well, so that it
 * does not matter how the program tells them apart.
 */
const shortOptions: Readonly<Record<string, RegExp>> = {
  file: /^-[bikLhN0s]+$/,
  tree: /^-([adfiCFghlnprstuDSAxNqQvcUXJ]+|[adfiC]*(L\d*|[IP]))$/,
  yq: /^-([rneNCMPcyY]+|[op](=?(j|y|p|x|c|t|json|yaml|xml|props|csv|tsv|auto))?)$/,
  base64: /^-([dDi]+|[wb]\d*)$/,
  base32: /^-([di]+|w\d*)$/,
  rg: /^-[nilcvwxsSFHINLuUoPabqp0.]*([ABCmjMd]\d*|[tT]\w*|[egfrE].*)?$/s,
  find: /^-(\d[\w.]*|[ugoa]*[-+=][rwxst]+|newer\w*|O\d)$/,
  fd: /^-[HIuapsigFL01q]*([djS][\w.+-]*|[et]\w*|[Ec].*)?$/s,
  sort: /^-[bdfghiMnrRVuscCmz]*([ktS].*)?$/s,
  uniq: /^-[cdiuDz]*([fsw]\d*)?$/,
  xxd: /^-(a|b|e|p|ps|i|u|d|[cglso]\w*)$/,
  sed: /^-[nErs]+$/,
  awk: /^-[Fv]/,
  npm: /^-[agl]$/,
  cargo: /^-[eidpqF]$/
}
const longOptions = new Map(
  unfolded(readingOptionRows).map((row) => {
    const [program, ...known] = row.split(/:? +/)
    return [program!, new Set(known)]
  })
)
const sameAs: Readonly<Record<string, string>> = { fdfind: "fd", gawk: "awk", mawk: "awk" }

/** Whether a word is no option of the program, or one with which it only reads. */
export const passes = (program: string, word: string): boolean => {
  const name = sameAs[program] ?? program
  const short = shortOptions[name]
  if (short === undefined || word.length < 2 || word[0] !== "-" || word === "--") return true
  return longOptions.get(name)?.has(word.replace(/=.*/s, "")) === true || (word[1] !== "-" && short.test(word))
}
