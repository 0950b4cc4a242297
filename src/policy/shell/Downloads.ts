import type { Command } from "./Command.ts"
import { resolve } from "./Paths.ts"
import { names } from "./programs/Rows.ts"
import { tarMode } from "./TarMode.ts"
import type { Arg } from "./Words.ts"
import { HOLE, isKnown } from "./Words.ts"

/** Programs whose output is what a machine elsewhere sent. */
const downloaders = names(`
  curl wget wget2 fetch aria2c axel http https xh httpie lynx w3m links elinks nc ncat netcat socat telnet ftp
  lftp tftp sftp scp ssh GET lwp-request lwp-download dig nslookup host drill curlie ipfs rclone gsutil yt-dlp
  websocat smbclient finger whois grpcurl wscat
`)

const fetching = new RegExp(
  String.raw`\b(urlopen|urlretrieve|requests\.get|httpx\.get|fetch\(|https?\.get|LWP::|open-uri|URI\.open|Net::HTTP` +
    String.raw`|file_get_contents\(\s*['"]https?:)`
)

export const isDownloader = (command: Command): boolean => {
  if (downloaders.has(command.program)) return true
  const { line } = command
  switch (command.program) {
    case "aws":
      return (line.verb() === "s3" && line.operands.at(-1)?.guess === "-") || line.verb() === "s3api"
    case "gcloud":
      return line.verb() === "storage" && line.verb(1) === "cat"
    case "gh":
      return /^(api|gist|release)$/.test(line.verb())
    case "git":
      return line.verb() === "archive" && line.has("--remote")
    case "openssl":
      return line.verb() === "s_client"
    case "busybox":
      return /^(wget|nc|ftpget|tftp)$/.test(line.verb())
    case "python":
    case "perl":
    case "ruby":
    case "php":
    case "node":
      return command.args.some((arg) => fetching.test(arg.guess))
  }
  return command.fields.reads.some((arg) => /^\/dev\/(tcp|udp)\//.test(arg.guess))
}

export const fromNetwork = (commands: ReadonlyArray<Command>): boolean => commands.some(isDownloader)

const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^[\w-]+(\.[\w-]+)+\/\S+/.test(text)
const baseName = (url: string): string =>
  url
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .split("/")
    .at(-1) ?? ""

/** What an archive from the network was unpacked to; a folder ends in a slash and stands for all in it. */
const unpackedBy = (command: Command): ReadonlyArray<string> => {
  const { fields, line, program } = command
  const isTar = /^(g|bsd)?tar$/.test(program)
  if (!(isTar && tarMode(command) === "extract") && program !== "unzip") return []
  const isFetched = (arg: Arg): boolean => fields.downloads.has(resolve(arg.guess, fields.cwd) ?? "")
  const archives = [...line.operands, ...line.values("-f", "--file")]
  if (!fromNetwork(fields.input.from) && !archives.some(isFetched)) return []
  return [`${line.values("-C", "--directory", "-d").at(-1)?.guess ?? "."}/`]
}

/** Files that hold what came from the network, as absolute paths. */
export const downloadedBy = (command: Command): ReadonlyArray<string> => {
  const { cwd, input, writes } = command.fields
  const files: Array<string> = []
  const networked = isDownloader(command)
  if (networked || fromNetwork(input.from)) {
    files.push(...writes.filter(isKnown).map((arg) => arg.guess))
    if (command.program === "tee" || command.program === "sponge") {
      files.push(...command.line.operands.filter(isKnown).map((arg) => arg.guess))
    }
    if (command.program === "dd") {
      files.push(...command.args.filter((arg) => arg.guess.startsWith("of=")).map((arg) => arg.guess.slice(3)))
    }
  }
  if (networked) files.push(...saved(command))
  files.push(...unpackedBy(command))
  if (
    /^(mv|cp|ln|install)$/.test(command.program) &&
    command.line.operands.some((arg) => command.fields.downloads.has(resolve(arg.guess, cwd) ?? ""))
  ) {
    files.push(command.line.operands.at(-1)!.guess)
  }
  return files.filter((name) => !name.includes(HOLE) && name !== "").flatMap((name) => {
    const path = resolve(name, cwd)
    return path === undefined ? [] : [name.endsWith("/") && path !== "/" ? `${path}/` : path]
  })
}

/** It came from the network, or out of an archive that did. */
export const isDownloaded = (path: string, downloads: ReadonlySet<string>): boolean =>
  downloads.has(path) || [...downloads].some((each) => each.endsWith("/") && path.startsWith(each))

/** Files named by an option or by the address. */
export const saved = (command: Command): ReadonlyArray<string> => {
  const { line, program } = command
  const urls = line.operands.map((arg) => arg.guess).filter(isUrl)
  const out = line.values("-o", "--output", "-O", "--output-document", "--out").map((arg) => arg.guess)
  const folder = line.values("-P", "--directory-prefix", "--output-dir", "-d", "--dir")[0]?.guess
  const inFolder = (name: string) => (folder === undefined ? name : `${folder}/${name}`)
  switch (program) {
    case "curl":
      return line.has("-O", "--remote-name", "--remote-name-all", "-J")
        ? [...urls.map((url) => inFolder(baseName(url))), ...out]
        : out.map(inFolder)
    case "wget":
    case "wget2":
    case "aria2c":
    case "axel":
    case "fetch":
      return out.length > 0 ? out.map(inFolder) : urls.map((url) => inFolder(baseName(url)))
    case "scp":
    case "sftp":
      return line.operands.length < 2
        ? []
        : [line.operands.at(-1)!.guess, baseName(line.operands[0]!.guess.replace(/^.*:/, ""))]
    case "http":
    case "https":
    case "xh":
      return out
  }
  return []
}
