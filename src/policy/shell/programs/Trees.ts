import type { Command } from "../Command.ts"
import type { Rule } from "../danger/Rules.ts"
import { indexed, matches, rules } from "../danger/Rules.ts"

/** Commands that go through all that lies below the folders they are given, and what they do there. */

const table = (rows: string): ReadonlyMap<string, ReadonlyArray<Rule>> => indexed(rules("", rows))

const reading = table(`
  grep,egrep,fgrep,zgrep with -r -R --recursive --dereference-recursive -d=recurse --directories=recurse
  rg,ag,ack,ugrep,ripgrep
  cp,gcp with -r -R -a --recursive --archive
  rsync with -r -a --recursive --archive
  scp with -r
  tar,gtar,bsdtar,7z,7za,rar
  zip with -r -R --recurse-paths --recurse-patterns
  diff with -r -N --recursive
  git grep,archive
  mv,gmv
`)

const writing = table(`
  rm,grm,srm with -r -R --recursive
  rimraf,del-cli,trash,trash-put
  mv,gmv
  chmod,chown,chgrp,setfacl with -R --recursive
  git mv
  git rm with -r
`)

/** Where files end up below is not said, or depends on what is there. */
const spreading = table(`
  cp,gcp with -r -R -a --recursive --archive
  rsync with -r -a --recursive --archive --delete
  scp with -r
  tar,gtar,bsdtar with -x --extract --get
  tar,gtar,bsdtar x*,*x,*x*
  unzip unless -l -t -v -Z -p
  7z,7za x,e
  unar,cpio
  patch unless --dry-run
  git checkout unless -b -B --orphan -t --track
  git restore unless -S --staged
  git clean unless -n --dry-run
  git stash bare
  git stash push,pop,apply,save,-u
  git apply,am unless --check --stat --cached
`)

const has = (table: ReadonlyMap<string, ReadonlyArray<Rule>>, command: Command): boolean =>
  table.get(command.program)?.some((rule) => matches(rule, command)) === true

export const readsTree = (command: Command): boolean => has(reading, command)

export const writesTree = (command: Command): "all" | "some" | undefined =>
  has(writing, command) ? "all" : has(spreading, command) ? "some" : undefined
