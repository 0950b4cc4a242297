import type { Place } from "../../Part.ts"
import type { Command } from "../Command.ts"
import { isLoopback, resolve } from "../Paths.ts"
import { languages } from "../programs/Languages.ts"
import { isExpendable } from "../Paths.ts"
import { supplied } from "../Words.ts"
import { readCategory, writeCategory } from "./Places.ts"

/** Inline code of other languages: what it starts, deletes, opens or sends (policy §3.1, interpreter). */

const call = String.raw`\s*[("'\x60$@\[{<]`
const patterns: Readonly<Record<string, RegExp>> = {
  python: new RegExp(
    String.raw`\bos\s*\.\s*(system|popen|exec[lv]p?e?|spawn\w+|fork|kill|killpg|setuid|setgid|remove|unlink|rmdir|removedirs|chmod|chown|chroot|truncate|reboot)\b|\bsubprocess\b|\bshutil\s*\.\s*(rmtree|chown)|\brmtree\b|\.(unlink|rmdir)\(|` +
      String.raw`\bpty\s*\.|\bsocket\s*\.\s*(socket|create_connection|create_server)|\bsocketserver\b|\bctypes\b|\bcommands\.getoutput|(?<![\w.])(exec|eval|compile|execfile|__import__)\s*\(|\b(b64decode|a85decode|unhexlify|marshal\.loads|pickle\.loads?|codecs\.decode|zlib\.decompress)\b|` +
      String.raw`getattr\s*\(\s*(os|__builtins__|builtins)|\bimport_module\(|from\s+os\s+import|from\s+subprocess|\bparamiko\b|\bsmtplib\b|\bftplib\b|\btelnetlib\b|\bwebbrowser\b|\basyncio\.create_subprocess|while\s+(True|1)\s*:.*(fork|append|open)|\bsignal\.(pthread_)?kill|\bpip\.main|\bplatform\.popen|\bposix\.system|\bos\.environ\b.*(post|urlopen|send)|\b(requests|httpx)\.(post|put|patch|delete|request)\(`,
    "s"
  ),
  node: new RegExp(
    String.raw`child_process|\bexec(File)?(Sync)?\(|\bspawn(Sync)?\(|\bfork\(|\b(rm|rmdir|unlink|truncate|chmod|chown)(Sync)?\(|\.rm\(|rimraf|fs-extra|\.(remove|emptyDir)(Sync)?\(|process\.(kill|binding|dlopen|setuid)|\beval\(|\(eval\)|new\s+Function|Function\(|\bvm\b.*run|` +
      String.raw`require\(['"](node:)?(net|dgram|tls|cluster|worker_threads|vm|repl|inspector|http2)['"]\)|from\s+['"](node:)?(net|dgram|child_process|vm)['"]|net\.(connect|createConnection|createServer|Socket)|createWriteStream\(['"]\/(?!tmp)|Buffer\.from\([^)]*,\s*['"](base64|hex)|\batob\(|` +
      String.raw`Deno\.(run|Command|remove|kill|chmod|connect|listen)|Bun\.(spawn|spawnSync|\$|listen|connect)|method\s*:\s*['"](POST|PUT|DELETE|PATCH)|\.(post|put|delete|patch)\(\s*['"]http|\bimport\(['"]https?:|\bshelljs\b|\bexeca\b|while\s*\(\s*(true|1)\s*\).*(push|fork|spawn|write)`,
    "s"
  ),
  perl: new RegExp(
    String.raw`\b(system|exec|fork|unlink|rmdir|rmtree|remove_tree|kill|syscall|chroot|truncate)\b${call}|\b(system|exec|unlink|fork|rmtree|remove_tree)\s*(;|\()|\b(unlink|rmtree)\s+(glob|map|grep|<|\$|@|["'])|\bqx\b|\x60[^\x60]+\x60|\bsocket\s*\(|IO::Socket|Socket;|\bopen\b[^;]*['"]\s*(\||-\||\|-)|\|\s*['"]\s*\)|\beval\s*[($"'\x60]|\beval\s+\w+\s*\(|\/\w*e\w*e\w*\b(?=\s*(;|$))|s([{\/|#!]).*\3.*\3\w*e\w*\s*(system|unlink|exec)|MIME::Base64|decode_base64|\bpack\s*\(\s*['"]H|Net::|LWP::UserAgent|File::Path|\bfork\s+while|while\s*\(?1\)?.*fork`,
    "s"
  ),
  ruby: new RegExp(
    String.raw`\b(system|exec|spawn|fork|abort_on|syscall)\b${call}|\x60[^\x60]+\x60|%x|\bIO\s*\.\s*popen|\bOpen3\b|\bFileUtils\s*\.\s*(rm|remove|chmod|chown)\w*|\b(File|Dir|Pathname)\s*\.\s*(delete|unlink|rmdir|truncate|chmod|chown)|\bProcess\s*\.\s*(kill|spawn|daemon|exec)|\b(TCPSocket|UDPSocket|TCPServer|UNIXSocket|Socket)\b|\bopen\(\s*['"]\|` +
      String.raw`|\b(instance_|class_)?eval\b|Kernel\.|Base64|unpack1?\(|Net::(HTTP\.post|FTP|SSH|SMTP)|PTY\.|\bfork\s*(\{|do|while)|rm_rf|Fiddle|\bloop\s*(\{|do).*fork`,
    "s"
  ),
  php: /\b(system|exec|shell_exec|passthru|popen|proc_open|pcntl_\w+|unlink|rmdir|eval|assert|fsockopen|stream_socket_client|socket_create|create_function|base64_decode|gzinflate|str_rot13|chmod|chown|posix_kill|mail|putenv|dl)\s*\(|array_(map|walk)\s*\(\s*['"](unlink|system|exec|rmdir)|`[^`]+`|\binclude\s*\(?['"]https?:|file_put_contents\s*\(\s*['"]\/(?!tmp)|CURLOPT_POST/s,
  lua: /\bos\s*\.\s*(execute|remove|exit\s*\(\s*os)|\bio\s*\.\s*popen|\bload(string|file)?\s*\(|\bdofile\b|\brequire\s*\(?\s*['"](socket|posix|lfs|ffi)/s,
  r: /\b(system2?|shell|unlink|file\.remove|eval|source|download\.file|socketConnection|pipe)\s*\(/s,
  julia: /\brun\s*\(|`[^`]+`|\brm\s*\(|\bccall\b|\bSockets\b|\beval\s*\(|\bdownload\s*\(/s,
  osascript: /do shell script|do script|System Events|\bdelete\b|keystroke|shut down|restart|sleep|empty (the )?trash|with administrator|display dialog.*(password|hidden)|\bquit\b|\.doShellScript|ObjC/is,
  elixir: /\b(System\.(cmd|shell|halt|stop)|:os\.cmd|os:cmd|File\.(rm|rm_rf|rmdir)!?|Port\.open|:gen_tcp|Code\.eval|:init\.stop|file:delete)\b/s,
  groovy: /\.execute\(|\.deleteDir\(|\.delete\(|Runtime\.getRuntime|ProcessBuilder|\bnew Socket\(|sys\.process|\.!!?|Files\.delete|Eval\./s,
  tcl: /\b(exec|file delete|socket|open\s+["{]?\||eval|spawn|send)\b/s,
  swift: /\b(Process\(|system\(|removeItem|posix_spawn|NSTask)/s,
  lisp: /\b(shell-command|call-process|start-process|delete-file|delete-directory|make-network-process|async-shell-command|run-program|run-shell-command|system\*?|open-pipe)/s
}

const quoted = /(["'`])((?:(?!\1)[^\\\n]|\\.)*)\1/g
const deleting = /\b(rmtree|rmSync|rmdirSync|unlinkSync|removeSync|emptyDirSync|rm|unlink|rmdir|remove|rm_rf|rm_r|rm_f|remove_dir|delete|removedirs|remove_tree|rimraf)\b\s*\(?\s*['"]([^'"]+)['"]/g
const writing = /['"](w|a|wb|ab|w\+|a\+|>|>>)['"]|\bwrite|append|\bcopy|\bmove|\brename|symlink|\blink\b|chmod|mkdir|\bput_contents|\btouch|open\s*\(?[^)]*>|\binto\b/i

/** The categories that a piece of code has. */
export const codeShapes = (name: string, code: string, command: Command, place: Place): ReadonlyArray<string> => {
  const found = new Set<string>()
  const { cwd } = command.fields
  const clean = code.replace(deleting, (whole: string, _verb: string, target: string) => isExpendable(supplied(target), cwd, place) ? "" : whole)
  if (patterns[name]?.test(name === "python" || name === "ruby" || name === "perl" ? uncommented(clean) : clean) === true && !onlyLocalRequests(name, clean)) found.add("interpreter")
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
export const interpreted = (command: Command, place: Place): ReadonlyArray<string> => {
  const language = languages.get(command.program)
  if (language === undefined) return []
  const { line } = command
  const codes = line.values(...language.code).map((arg) => arg.guess)
  if (command.program === "deno" && line.verb() === "eval" && line.operands[1] !== undefined) codes.push(line.operands[1].guess)
  if (codes.length === 0 && command.fields.input.text !== undefined && (line.operands.length === 0 || line.verb() === "-" || line.verb() === "/dev/stdin")) codes.push(command.fields.input.text)
  return codes.flatMap((code) => codeShapes(language.name, code, command, place))
}
