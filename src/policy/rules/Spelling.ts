import { abbreviating, globalOptions, singleDash } from "../shell/programs/Options.ts"

/** Other ways to write the same command, by program: what deny and ask rules must see through (policy §2.2). */

const afterOptions = (valued: ReadonlyArray<string>, argv: ReadonlyArray<string | null>, start: number): number => {
  let at = start
  while (at < argv.length) {
    const word = argv[at]
    if (typeof word !== "string" || !isFlag(word)) break
    at += valued.includes(word) ? 2 : 1
  }
  return Math.min(at, argv.length)
}

const globalsOf = (name: string) => Object.hasOwn(globalOptions, name) ? globalOptions[name] : undefined

/** The arguments without the options in front of the subcommand, of programs that have one. */
export const withoutGlobals = <W extends string | null>(program: string, argv: ReadonlyArray<W>): ReadonlyArray<W> => {
  const valued = globalsOf(program)
  if (valued === undefined) return argv
  const at = afterOptions(valued, argv, 1)
  const plain = at === 1 ? argv : [...argv.slice(0, 1), ...argv.slice(at)]
  const nested = globalsOf(`${program} ${plain[1]}`)
  const inner = nested === undefined ? 2 : afterOptions(nested, plain, 2)
  return inner <= 2 ? plain : [...plain.slice(0, 2), ...plain.slice(inner)]
}

const pairs = (text: string): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    text.split(" ").map((names) => names.split("=")).flatMap((names) => names.map((name) => [name, names] as const))
  )

/** Names of one option, joined by `=`; `program subcommand` before `program`. */
const synonyms: ReadonlyMap<string, ReadonlyMap<string, ReadonlyArray<string>>> = new Map(Object.entries({
  rm: pairs("-r=-R=--recursive -f=--force -i=--interactive -v=--verbose -d=--dir"),
  cp: pairs("-r=-R=--recursive -f=--force -a=--archive -t=--target-directory -l=--link -s=--symbolic-link"),
  mv: pairs("-f=--force -t=--target-directory -n=--no-clobber"),
  ln: pairs("-s=--symbolic -f=--force"),
  chmod: pairs("-R=--recursive"),
  chown: pairs("-R=--recursive"),
  mkdir: pairs("-p=--parents -m=--mode"),
  tee: pairs("-a=--append"),
  sed: pairs("-i=--in-place -n=--quiet=--silent -e=--expression -f=--file -E=-r=--regexp-extended"),
  grep: pairs("-r=--recursive -R=--dereference-recursive -e=--regexp -f=--file -i=--ignore-case -v=--invert-match"),
  tar: pairs("-x=--extract=--get -c=--create -f=--file -C=--directory -z=--gzip -t=--list -v=--verbose"),
  curl: pairs(
    "-L=--location -o=--output -O=--remote-name -X=--request -d=--data -F=--form -T=--upload-file -H=--header -k=--insecure "
      + "-u=--user -s=--silent -f=--fail -x=--proxy -K=--config -I=--head"
  ),
  wget: pairs("-O=--output-document -q=--quiet -r=--recursive -i=--input-file -P=--directory-prefix"),
  "git push": pairs("-f=--force -u=--set-upstream -d=--delete -n=--dry-run -o=--push-option -q=--quiet -v=--verbose"),
  "git commit": pairs("-m=--message -a=--all -n=--no-verify -F=--file -s=--signoff -S=--gpg-sign -p=--patch"),
  "git branch": pairs("-d=--delete -f=--force -m=--move -c=--copy -a=--all -r=--remotes"),
  "git clean": pairs("-f=--force -n=--dry-run -i=--interactive -q=--quiet -e=--exclude"),
  "git checkout": pairs("-f=--force -q=--quiet -t=--track -m=--merge"),
  "git switch": pairs("-f=--force=--discard-changes -c=--create -C=--force-create -d=--detach"),
  "git add": pairs("-f=--force -A=--all -n=--dry-run -u=--update -p=--patch"),
  "git rm": pairs("-f=--force -n=--dry-run"),
  "git tag": pairs("-d=--delete -f=--force -a=--annotate -s=--sign -m=--message"),
  "git fetch": pairs("-f=--force -p=--prune -a=--append -t=--tags"),
  "git rebase": pairs("-i=--interactive -x=--exec"),
  "git worktree": pairs("-f=--force"),
  npm: pairs("-g=--global -f=--force -D=--save-dev -w=--workspace"),
  "docker run": pairs("-v=--volume -p=--publish -e=--env -d=--detach -i=--interactive -t=--tty -u=--user -w=--workdir"),
  "docker exec": pairs("-d=--detach -i=--interactive -t=--tty -u=--user"),
  "docker rm": pairs("-f=--force -v=--volumes"),
  kubectl: pairs("-f=--filename -n=--namespace -A=--all-namespaces -l=--selector"),
  rsync: pairs("-e=--rsh -a=--archive -r=--recursive -n=--dry-run")
}))

const namesOf = (
  program: string,
  subcommand: string | null | undefined,
  flag: string
): string | ReadonlyArray<string> => {
  const table = synonyms.get(`${program} ${subcommand}`) ?? synonyms.get(program)
  if (table === undefined) return flag
  const known = table.get(flag)
  if (known !== undefined || !flag.startsWith("--") || flag.length < 4 || !abbreviating.has(program)) {
    return known ?? flag
  }
  const begun = Array.from(table.keys()).filter((name) => name.startsWith(flag)).flatMap((name) =>
    table.get(name) ?? []
  )
  return begun.length === 0 ? flag : [flag, ...begun]
}

export const isFlag = (word: string): boolean => word.length > 1 && word.startsWith("-") && word !== "--"

/** `-rf` as `-r`, `-f`, where the program has such clusters. */
export const splitCluster = (program: string | undefined, flag: string): ReadonlyArray<string> =>
  /^-[A-Za-z]{2,}$/.test(flag) && (program === undefined || !singleDash.has(program))
    ? Array.from(flag.slice(1), (letter) => `-${letter}`)
    : [flag]

/** A word, what is not literal, or all names of one option. */
export type Token = string | null | ReadonlyArray<string>

/** Clusters split, `--x=y` as two words, every option under all its names; nothing after `--` is an option. */
export const normalised = (program: string, argv: ReadonlyArray<string | null>): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  const end = argv.indexOf("--")
  for (const [index, word] of argv.entries()) {
    if (word === null || index === 0 || !isFlag(word) || (end >= 0 && index > end)) {
      tokens.push(word)
      continue
    }
    const border = word.startsWith("--") ? word.indexOf("=") : -1
    if (border > 0) tokens.push(namesOf(program, argv[1], word.slice(0, border)), word.slice(border + 1))
    else tokens.push(...splitCluster(program, word).map((flag) => namesOf(program, argv[1], flag)))
  }
  return tokens
}
