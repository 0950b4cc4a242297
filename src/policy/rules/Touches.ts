import type { CommandAction } from "../decision/CallAction.ts"

/**
 * Files and addresses that the literal words of well-known programs may name, for deny and ask rules
 * (docs/policy.md#rule-examples): more than the part's own `touches`, which are sure.
 */
export interface Words {
  readonly reads: ReadonlyArray<string>
  readonly urls: ReadonlyArray<string>
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const readers = words(`
  cat tac head tail less more most bat nl od xxd hexdump hd strings grep egrep fgrep rg ag ack sed awk gawk mawk perl cut sort uniq
  wc diff cmp comm paste join column fold fmt expand rev base64 base32 md5sum sha1sum sha256sum sha512sum cksum sum file stat ls tree
  tsort find fd cp scp rsync tar zip gzip zcat zgrep bzip2 xz zstd 7z openssl gpg jq yq source . bash sh zsh dash python python3 node ruby
  php view vi vim nano emacs ed curl wget nc dd install ln mv xargs git vimdiff readlink realpath du cpio pax ssh-keygen
`)

export const isReader = (program: string): boolean => readers.has(program)

const fetchers = words(
  "curl wget http https xh httpie aria2c git hg svn lynx w3m links elinks lftp websocat grpcurl ab hey wrk"
)

/** Their first word is a pattern or a script, unless an option gave it. */
const searchers = words("grep egrep fgrep rg ag ack sed awk gawk mawk perl jq yq")

const givesPattern = /^(-[A-Za-z]*[ef]|--regexp|--file|--expression)/

const nothing: Words = { reads: [], urls: [] }

/** `--x=/y`, `-f/y`, `if=/y` and `@/y` name `/y` as well. */
const namesIn = (word: string): ReadonlyArray<string> => {
  const value = /^(?:--?[A-Za-z][\w-]*=|[a-z]+=|@|--?[A-Za-z](?=[/~.]))(.+)$/.exec(word)?.[1]?.replace(/^@/, "")
  return [...(word.startsWith("-") || word === "" ? [] : [word]), ...(value === undefined ? [] : [value])]
}

const isAddress = (word: string) => word.includes("://")

/** `example.com/x`, as `curl` takes it. */
const isHost = (word: string) => /^[\w-]+(\.[\w-]+)+([:/]|$)/.test(word)

export const of = ({ argv }: CommandAction, program: string | null): Words => {
  if (program === null || !(readers.has(program) || fetchers.has(program))) return nothing
  const skips = searchers.has(program) && !argv.some((word) => word !== null && givesPattern.test(word))
  const pattern = skips ? argv.findIndex((word, index) => index > 0 && word?.startsWith("-") !== true) : -1
  const names = argv.flatMap((word, index) => word === null || index === 0 || index === pattern ? [] : namesIn(word))
  return {
    reads: readers.has(program) ? names.filter((name) => !isAddress(name)) : [],
    urls: fetchers.has(program)
      ? names.flatMap((name) => isAddress(name) ? [name] : isHost(name) ? [`http://${name}`] : [])
      : []
  }
}
