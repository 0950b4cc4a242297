import type { ActionContext } from "../../decision/CallAction.ts"
import type { Command } from "../Command.ts"
import { isExpendable, isLoopback, resolve } from "../Paths.ts"
import { languages } from "../programs/Languages.ts"
import { supplied } from "../Words.ts"
import { readCategory, writeCategory } from "./Places.ts"

/** Inline code of other languages: what it starts, deletes, opens or sends (policy §3.1, interpreter). */

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
    r`Files\.delete|Eval\.`
  ),
  tcl: any(r`\b(exec|file delete|socket|open\s+["{]?\||eval|spawn|send)\b`),
  swift: any(r`\b(Process\(|system\(|removeItem|posix_spawn|NSTask)`),
  lisp: any(
    r`\b(shell-command|call-process|start-process|async-shell-command|make-network-process)\b`,
    r`\bdelete-(file|directory)\b`,
    r`\b(run-program|run-shell-command|system\*?|open-pipe)\b`
  )
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
export const codeShapes = (
  name: string,
  code: string,
  command: Command,
  place: ActionContext
): ReadonlyArray<string> => {
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
  for (const match of code.matchAll(quoted)) {
    const text = match[2]!
    if (!/[./~]/.test(text) || text.length > 300) continue
    const path = resolve(text.replace(/^~(?=\/|$)/, place.home), cwd)
    const reading = readCategory(path, place)
    if (reading !== undefined) found.add(reading)
    const written = writing.test(code) && text.length > 1 ? writeCategory(path, place) : undefined
    if (written !== undefined && !/^\/\w*\/?[gimsux]*$/.test(text)) found.add(written)
  }
  return [...found]
}

const uncommented = (code: string): string => code.replace(/^\s*#.*$/gm, "")

// A request to one's own machine is what everyday checks of a server look like.
const onlyLocalRequests = (name: string, code: string): boolean => {
  if (!/requests|httpx|fetch|http/.test(code)) return false
  const urls = [...code.matchAll(/https?:\/\/[^\s"'`)]+/g)].map((match) => match[0])
  const without = code.replace(/\.(post|put|patch|delete|request)\(|method\s*:\s*['"]\w+/g, "")
  return urls.length > 0 && urls.every(isLoopback) && patterns[name]?.test(without) === false
}

/** Code on the command line, on standard input or in a here-document. */
export const interpreted = (command: Command, place: ActionContext): ReadonlyArray<string> => {
  const language = languages.get(command.program)
  if (language === undefined) return []
  const { line } = command
  const codes = line.values(...language.code).map((arg) => arg.guess)
  if (command.program === "deno" && line.verb() === "eval" && line.operands[1] !== undefined) {
    codes.push(line.operands[1].guess)
  }
  if (
    codes.length === 0 &&
    command.fields.input.text !== undefined &&
    (line.operands.length === 0 || line.verb() === "-" || line.verb() === "/dev/stdin")
  ) {
    codes.push(command.fields.input.text)
  }
  return codes.flatMap((code) => codeShapes(language.name, code, command, place))
}
