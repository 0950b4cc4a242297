import type { ActionContext } from "../../decision/CallAction.ts"
import { resolve } from "../parse/Paths.ts"
import { type Command, supplied } from "../programs/Command.ts"
import { isInPlace } from "../programs/FileOperands.ts"
import { isLoopback } from "../programs/Network.ts"
import { isExpendable, readCategory, writeCategory } from "./Places.ts"
import { sql, writtenFiles } from "./Statements.ts"

/** Inline code of other languages: what it starts, deletes, opens or sends. */

const r = String.raw
const any = (...sources: ReadonlyArray<string>): RegExp => new RegExp(sources.join("|"), "s")

const patterns: Readonly<Record<string, RegExp>> = {
  python: any(
    r`\bos\s*\.\s*(system|popen|exec[lv]p?e?|spawn\w+|fork|kill|killpg|setuid|setgid)\b`,
    r`\bos\s*\.\s*(remove|unlink|rmdir|removedirs|chmod|chown|chroot|truncate)\b`,
    r`\bsubprocess\b|\bcommands\.getoutput|\bpty\s*\.|\bctypes\b|\basyncio\.create_subprocess|\bplatform\.popen`,
    r`\bposix\.system|\bpip\.main`,
    r`\bshutil\s*\.\s*(rmtree|chown)|\brmtree\b|\.(unlink|rmdir)\(`,
    r`\bsocket\s*\.\s*(socket|create_connection|create_server)|\bsocketserver\b|\bparamiko\b|\bsmtplib\b`,
    r`\bftplib\b|\btelnetlib\b`,
    r`(?<![\w.])(exec|eval|compile|execfile|__import__)\s*\(|\bimport_module\(`,
    r`getattr\s*\(\s*(os|__builtins__|builtins)`,
    r`\b(b64decode|a85decode|unhexlify|marshal\.loads|pickle\.loads?|codecs\.decode|zlib\.decompress)\b`,
    r`from\s+os\s+import|from\s+subprocess|while\s+(True|1)\s*:.*(fork|append|open)`,
    r`\b(requests|httpx)\.(post|put|patch|delete|request)\(|\bos\.environ\b.*(post|urlopen|send)`
  ),
  node: any(
    r`child_process|\bexec(File)?(Sync)?\(|\bspawn(Sync)?\(|\bfork\(|\bshelljs\b|\bexeca\b`,
    r`process\.(kill|binding|dlopen|setuid)`,
    r`\b(rm|rmdir|unlink|truncate|chmod|chown)(Sync)?\(|\.rm\(|rimraf|\.(remove|emptyDir)(Sync)?\(`,
    r`\beval\(|\(eval\)|new\s+Function|Function\(|\bvm\b.*run|Buffer\.from\([^)]*,\s*['"](base64|hex)|\batob\(`,
    r`\bimport\(['"]https?:`,
    r`(require\(|from\s+)['"](node:)?(net|dgram|tls|cluster|worker_threads|vm|repl|inspector|http2)['"]`,
    r`net\.(connect|createConnection|createServer|Socket)`,
    r`(^|[\s(;=>])\$\x60`,
    r`Deno\.(run|Command|remove|kill|chmod|connect|listen)|Bun\.(spawn|spawnSync|\$|listen|connect)`,
    r`method\s*:\s*['"](POST|PUT|DELETE|PATCH)|\.(post|put|delete|patch)\(\s*['"]http`,
    r`while\s*\(\s*(true|1)\s*\).*(push|fork|spawn|write)`
  ),
  perl: any(
    r`\b(system|exec|fork|unlink|rmdir|rmtree|remove_tree|kill|syscall|chroot|truncate)\b\s*[("'@$\x60\[{<]`,
    r`\b(system|exec|unlink|fork|rmtree|remove_tree)\s*(;|\()|\b(unlink|rmtree)\s+(glob|map|grep|<|\$|@|["'])`,
    r`\bfork\s+while|while\s*\(?1\)?.*fork`,
    r`\bqx\b|\x60[^\x60]+\x60|\bopen\b[^;]*['"]\s*(\||-\||\|-)|\|\s*['"]\s*\)`,
    r`\bsocket\s*\(|IO::Socket|Socket;|Net::|LWP::UserAgent|File::Path`,
    r`\beval\s*[($"'\x60]|\beval\s+(\w+\s*\(|(un)?pack\b|join\b|reverse\b|decode|<)|\/\w*e\w*e\w*\b(?=\s*(;|$))|MIME::Base64|decode_base64`,
    r`\bpack\s*\(\s*['"]H`
  ),
  ruby: any(
    r`\b(system|exec|spawn|fork|syscall)\b\s*[("'@$\x60\[{<]|\x60[^\x60]+\x60|%x|\bIO\s*\.\s*popen|\bOpen3\b`,
    r`\bopen\(\s*['"]\||PTY\.|Fiddle`,
    r`\bFileUtils\s*\.\s*(rm|remove|chmod|chown)\w*`,
    r`\b(File|Dir|Pathname)\s*\.\s*(delete|unlink|rmdir|truncate|chmod|chown)|rm_rf`,
    r`\bProcess\s*\.\s*(kill|spawn|daemon|exec)|\b(TCPSocket|UDPSocket|TCPServer|UNIXSocket|Socket)\b`,
    r`Net::(HTTP\.post|FTP|SSH|SMTP)`,
    r`\b(instance_|class_)?eval\b|Kernel\.|Base64|unpack1?\(|\bfork\s*(\{|do|while)|\bloop\s*(\{|do).*fork`
  ),
  php: any(
    r`\b(system|exec|shell_exec|passthru|popen|proc_open|pcntl_\w+|posix_kill|mail|putenv|dl)\s*\(`,
    r`\b(unlink|rmdir|chmod|chown|fsockopen|stream_socket_client|socket_create)\s*\(`,
    r`\b(eval|assert|create_function|base64_decode|gzinflate|str_rot13)\s*\(`,
    r`\x60[^\x60]+\x60`,
    r`array_(map|walk)\s*\(\s*['"](unlink|system|exec|rmdir)|\binclude\s*\(?['"]https?:`,
    r`file_put_contents\s*\(\s*['"]\/(?!tmp)|CURLOPT_POST`
  ),
  lua: any(
    r`\bos\s*\.\s*(execute|remove)|\bio\s*\.\s*popen|\bload(string|file)?\s*\(|\bdofile\b`,
    r`\brequire\s*\(?\s*['"](socket|posix|lfs|ffi)`
  ),
  r: any(r`\b(system2?|shell|unlink|file\.remove|eval|source|download\.file|socketConnection|pipe)\s*\(`),
  julia: any(r`\brun\s*\(|\x60[^\x60]+\x60|\brm\s*\(|\bccall\b|\bSockets\b|\beval\s*\(|\bdownload\s*\(`),
  osascript:
    /do (shell )?script|doShellScript|ObjC|System Events|\b(delete|quit)\b|keystroke|shut down|restart|empty.*trash/i,
  elixir: any(
    r`\b(System\.(cmd|shell|halt|stop)|os[.:]cmd|Port\.open|Code\.eval|file:delete)\b|:gen_tcp|:init\.stop`,
    r`\bFile\.(rm|rm_rf|rmdir)\b`
  ),
  groovy: any(
    r`\.execute\(|\.deleteDir\(|\.delete\(|Runtime\.getRuntime|ProcessBuilder|\bnew Socket\(|sys\.process`,
    r`Files\.delete|Eval\.|deleteRecursively|deleteDirectory|\bos\.(remove|proc|call)\b`
  ),
  tcl: any(r`\b(exec|system|file delete|socket|open\s+["{]?\||eval|spawn|send)\b`),
  swift: any(r`\b(Process\(|system\(|removeItem|posix_spawn|NSTask)`),
  lisp: any(
    r`\b(shell-command|call-process|start-process|async-shell-command|make-network-process)\b`,
    r`\bdelete-(file|directory)\b`,
    r`\b(run-program|run-shell-command|system\*?|open-pipe)\b`
  ),
  other: new RegExp(
    r`\b(system|shell|shellout|Sys\.command|exec\w*|popen|spawn\w*|run|run[-_]?(process|command|program)\w*|call(Command|Process)` +
      r`|(read|create|start)Process|sh|process)\b["']?[\s(\[{!:,.<]*["'\x60<]\s*\w` +
      r`|\b(rm_?rf?|rmdir|rmtree|unlink|FileUtils|deleteRecursively|File\.delete|os\.remove)\b` +
      r`|\b(remove|delete)[-_]?(dir|file|tree|all|recurs)\w*|^\s*[!%]\s*\w|%(sx|system|%bash|%sh)\b`,
    "is"
  )
}

/** What code does to databases, whatever the language: through calls of their libraries and of mappers. */
const storeCalls = any(
  r`\bdrop_?(database|collection|table|all|index|schema|keyspace|[Dd]atabase|[Cc]ollection|[Tt]able)\w*!?\s*\(`,
  r`\bdropDatabase\b|\bflush_?(all|db|All|Db)\b\s*\(`,
  r`(\.|::|->)(delete_all|destroy_all|update_all|deleteAll|truncate!)`,
  r`(::|->)truncate\s*\(|\bdeleteMany\s*\(\s*(\{\s*\}\s*)?\)`,
  r`\bobjects(\.(all|filter|exclude)\([^)]*\))*\.(delete|_raw_delete)\s*\(`,
  r`\.search\(\[\]\)\.unlink\(`
)

/** Clients of services whose deletions come back only with luck. */
const cloudClient = new RegExp(
  r`\b(boto3|botocore|google\.cloud|googleapiclient|azure\.|@?aws-sdk|@google-cloud|@azure|Aws::|[Ss]tripe|kubernetes` +
    r`|hcloud|digitalocean|cloudflare|heroku|openstack|firebase\w*|octokit|Octokit|PyGithub|twilio|kafka)\b`
)
const cloudDeletes = new RegExp(
  r`\b(delete|terminate|destroy|purge|deregister|revoke|close_account|closeAccount|schedule_key_deletion)\w*!?\s*\(` +
    r`|\.(delete|destroy|terminate)!|\b(Delete|Terminate|Destroy|Purge|Deregister|Revoke)\w+Command\b`
)

const executes =
  /\b(execute\w*|query\w*|\$?(execute|query)Raw\w*|raw\w*|exec|sql|run|prepare|unsafe|statement|text)\b\s*[(!`<]/i
const literals = /("""|\'\'\'|`)([^]*?)\1|(["\'])((?:(?!\3)[^\\\n]|\\.)*)\3/g

const dangersToStores = (code: string): string | undefined => {
  if (storeCalls.test(code)) return "database"
  if (cloudClient.test(code) && cloudDeletes.test(code)) return "publish-deploy"
  if (!executes.test(code)) return undefined
  for (const match of code.matchAll(literals)) {
    const text = match[2] ?? match[4]!
    if (/^\s*(drop|truncate|delete|update|alter|grant|revoke)\s/i.test(text) && sql(text)) return "database"
  }
  return undefined
}

const quoted = /(["'`])((?:(?!\1)[^\\\n]|\\.)*)\1/g
const deleting = new RegExp(
  r`\b((?:rm|rmdir|unlink|remove|emptyDir)(?:Sync)?|rmtree|rm_rf|rm_r|rm_f|remove_dir|delete|removedirs)\b` +
    r`\s*\(?\s*['"]([^'"]+)['"]`,
  "g"
)
const writing =
  /['"]([wa][b+]?|>>?)['"]|\b(write|copy|move|rename|link|touch|into)|put_contents|append|symlink|open\s*\(?[^)]*>/i

/** The categories that a piece of code has. */
const dangersOfCode = (name: string, code: string, command: Command, place: ActionContext): ReadonlyArray<string> => {
  const found = new Set<string>()
  const { cwd } = command.fields
  const clean = code.replace(
    deleting,
    (whole: string, _verb: string, target: string) => isExpendable(supplied(target), cwd, place) ? "" : whole
  )
  if (
    patterns[name]?.test(name === "python" || name === "ruby" || name === "perl" ? uncommented(clean) : clean) ===
      true &&
    !onlyLocalRequests(name, clean)
  ) {
    found.add("interpreter")
  }
  const store = dangersToStores(code)
  if (store !== undefined) found.add(store)
  for (const match of code.matchAll(quoted)) {
    const text = match[2]!
    if (!/[./~]/.test(text) || text.length > 300) continue
    const path = resolve(text.replace(/^~(?=\/|$)/, place.home), cwd)
    const read = readCategory(path, place)
    if (read !== undefined) found.add(read)
    const written = writing.test(code) && text.length > 1 ? writeCategory(path, place) : undefined
    if (written !== undefined && !/^\/\w*\/?[gimsux]*$/.test(text)) found.add(written)
  }
  return [...found]
}

const uncommented = (code: string): string => code.replace(/^\s*#.*$/gm, "")

// Requests to loopback are common checks of a local server and are no finding.
const onlyLocalRequests = (name: string, code: string): boolean => {
  if (!/requests|httpx|fetch|http/.test(code)) return false
  const urls = [...code.matchAll(/https?:\/\/[^\s"'`)]+/g)].map((match) => match[0])
  const without = code.replace(/\.(post|put|patch|delete|request)\(|method\s*:\s*['"]\w+/g, "")
  return urls.length > 0 && urls.every(isLoopback) && patterns[name]?.test(without) === false
}

/** Code on the command line, on standard input or in a here-document. */
export const interpreted = (command: Command, place: ActionContext): ReadonlyArray<string> => {
  const { fields: { input }, line, row } = command
  const { code: language } = row
  if (language === undefined) return row.name === "" ? unknownCode(command, place) : []
  const codes = line.values(...language.code).map((arg) => arg.guess)
  const operands = line.operands.map((arg) => arg.guess)
  const verb = operands.findIndex((word) => row.words("code-operand").includes(word))
  if (verb >= 0 && operands[verb + 1] !== undefined) codes.push(operands[verb + 1]!)
  const isFed = /^(|-|\/dev\/stdin)$/.test(line.verb()) ||
    operands.some((word) => row.words("code-input").includes(word))
  if (codes.length === 0 && input.text !== undefined && isFed) codes.push(input.text)
  codes.push(...writtenFiles(command))
  return codes.flatMap((code) => dangersOfCode(language.name, code, command, place))
}

/** Code for an interpreter that no row knows. */
const unknownCode = (command: Command, place: ActionContext): ReadonlyArray<string> => {
  const { args, words } = command
  const at = words.findIndex((word) => /^(-e|-E|--?eval|--?execute|eval)$/.test(word))
  const joined = words.find((word) => /^--?(eval|execute)[=:]/.test(word))
  const code = joined?.replace(/^[^=:]*[=:]/, "") ?? (at < 0 ? undefined : args[at + 1]?.guess)
  return code === undefined || !/\W/.test(code) ? [] : dangersOfCode("other", code, command, place)
}

/** Filters and editors have a language of their own. */

const awk = (command: Command, place: ActionContext): string | undefined => {
  const { line } = command
  const programs = [
    ...line.values("-e", "--source"),
    ...(line.has("-f", "--file", "-E", "--exec") ? [] : line.operands.slice(0, 1))
  ]
  for (const { guess } of programs) {
    if (isInPlace(command) && deletesAll.test(guess)) return "fs-wipe"
    // Sorting what is printed is the one everyday use of a pipe.
    const code = guess
      .replace(/^\s*#.*$/gm, "")
      .replace(/\|\s*"(sort|uniq|column|wc|cat 1>&2|cat >&2)( -[\w,.-]+)*"/g, "")
    const bare = code.replace(/"(?:[^"\\]|\\.)*"/g, "\"\"").replace(/(^|[~(,!&|{;\s])\/(?:[^/\\\n]|\\.)*\//g, "$1//")
    if (/\bsystem\s*\(|\|&?\s*getline|""\s*\||(^|[^|])\|\s*("|[A-Za-z_])|\|&/.test(bare.replaceAll("||", "  "))) {
      return "interpreter"
    }
    if (/\/inet\d?\//.test(code)) return "reverse-shell"
    for (const match of code.matchAll(/>>?\s*"([^"]+)"/g)) {
      const category = writeCategory(resolve(match[1]!, command.fields.cwd), place)
      if (category !== undefined) return category
    }
  }
  return line.has("-l", "--load", "-i", "--include") && line.values("-l", "--load").length > 0
    ? "option-exec"
    : undefined
}

/** Walks over a sed script: addresses, then a command letter; only `s` has flags that matter. */
const dangerOfSed = (script: string, cwd: string | null, place: ActionContext): string | undefined => {
  const body = script.replace(
    /^\s*(?:\d+|\$|\/(?:[^/\\]|\\.)*\/I?)?(?:,(?:\d+|\$|\/(?:[^/\\]|\\.)*\/I?|[+~]\d+))?\s*!?\s*/,
    ""
  )
  const letter = body[0]
  if (letter === "e") return "interpreter"
  if (letter === "w" || letter === "W") return writeCategory(resolve(body.slice(1).trim(), cwd), place)
  if (letter === "s" && body[1] !== undefined) {
    const parts = body.slice(2).split(new RegExp(`(?<!\\\\)${body[1].replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`))
    const flags = parts[2] ?? ""
    if (/^[gpiImM\d]*e/.test(flags)) return "interpreter"
    const written = /w\s+(\S+)/.exec(flags)
    if (written !== null) return writeCategory(resolve(written[1]!, cwd), place)
  }
  return undefined
}

/** Every line is deleted. */
const deletesAll =
  /^\s*((1,\$|0,\$|\/(\.|\^|\.\*|\^\.\*\$?)\/)?\s*d|s(\W)\^?\.\*\$?\4\4[gm]*|\$_\s*=\s*(""|'')|BEGIN\s*\{\s*exit\s*\}|FNR\s*==\s*0)\s*;?\s*$/

const sed = (command: Command, place: ActionContext): string | undefined => {
  const { line } = command
  const given = line.values("-e", "--expression")
  const scripts = given.length > 0 || line.has("-f", "--file")
    ? given
    : line.operands.filter((arg) => arg.guess !== "").slice(0, 1)
  if (line.has("-i", "--in-place") && scripts.some((arg) => deletesAll.test(arg.guess))) return "fs-wipe"
  return scripts
    .flatMap((arg) => arg.guess.split(/\n|;(?![^/]*\/[^;]*$)|(?<=\{)|(?=\})/))
    .map((each) => dangerOfSed(each, command.fields.cwd, place))
    .find((each) => each !== undefined)
}

const startsProgram = new RegExp(
  [
    String.raw`^\s*[:%,.\d$]*(r|w|read|write)?\s*!|\b(system|jobstart|termopen|libcall|delete)\s*\(|:terminal`,
    String.raw`\bterminal\s`,
    String.raw`\b(lua|luado|python3?|py3?|pyx|perl|ruby|tcl)\b.*(os\.|system|exec|subprocess|io\.popen)`,
    String.raw`^\s*so(urce)?\s+(https?|/tmp)`
  ].join("|")
)

const empties = /^\s*:?\s*(%|1,\$|,)\s*d(elete)?\s*(\||$)/

/** Commands given to an editor on its command line: a `!` starts a program. */
const editor = (command: Command): string | undefined => {
  const given = [...command.line.values("-c", "--cmd"), ...command.args.filter((arg) => /^\+./.test(arg.guess))].map(
    (arg) => arg.guess.replace(/^\+/, "")
  )
  const typed = command.row.is("typed") && command.fields.input.text !== undefined
    ? command.fields.input.text.split("\n")
    : []
  const all = [...given, ...typed]
  if (all.some((text) => startsProgram.test(text))) return "interpreter"
  return all.some((text) => empties.test(text)) ? "fs-wipe" : undefined
}

const editsInPlace = ({ fields: { cwd }, line }: Command, place: ActionContext): string | undefined =>
  line.has("-i") && line.values("-e", "-E").some((arg) => deletesAll.test(arg.guess))
    ? "fs-wipe"
    : line.has("-i")
    ? line.operands.map((arg) => writeCategory(resolve(arg.guess, cwd), place)).find((each) => each !== undefined)
    : undefined

export const codeChecks = { "awk-code": awk, "sed-code": sed, "editor-code": editor, "edits-in-place": editsInPlace }
