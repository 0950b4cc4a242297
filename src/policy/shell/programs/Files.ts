/** What programs do with the files their arguments name. */
export interface FileUse {
  /** Operands it leaves alone in front, as a pattern or a script. */
  readonly skip: number
  readonly operands: "read" | "write" | "none"
  /** What becomes of the last operand, where that is something else. */
  readonly last: "read" | "write" | "none"
  /** Options whose value is written to. */
  readonly writes: ReadonlyArray<string>
  /** Options whose value is read. */
  readonly reads: ReadonlyArray<string>
}

const uses = new Map<string, FileUse>()

const use = (
  programs: string,
  operands: FileUse["operands"],
  rest: Partial<Omit<FileUse, "operands" | "writes" | "reads">> & {
    readonly writes?: string
    readonly reads?: string
  } = {}
): void => {
  const list = (names: string | undefined) => (names === undefined ? [] : names.split(" "))
  for (const program of programs.trim().split(/\s+/)) {
    uses.set(program, {
      skip: 0,
      last: operands,
      ...rest,
      operands,
      writes: list(rest.writes),
      reads: list(rest.reads)
    })
  }
}

use(
  `
  cat tac nl head tail less more most bat batcat view strings xxd od hexdump hd cut paste rev fold fmt column pr
  expand unexpand comm join wc diff diff3 sdiff cmp colordiff zcat bzcat xzcat zless zmore md5sum sha1sum
  sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base32 basenc uuencode gpg gpg2 age xclip xsel pbcopy
  enscript lp lpr pygmentize highlight glow mdcat hexyl ccat cloc tokei aspell ispell iconv dos2unix unix2dos
  pandoc glow csvlook xmllint yamllint ssh-add puttygen tsort zgrep lzcat zstdcat sha1 look ptx tsort shuf factor
  `,
  "read",
  { writes: "-o --output" }
)
use("base64", "read", { writes: "-o --output", reads: "-i --input" })
use("grep egrep fgrep zgrep rg ag ack ripgrep ugrep", "read", { skip: 1, reads: "-f --file" })
use("awk gawk mawk nawk", "read", { skip: 1, reads: "-f" })
use("jq yq gojq dasel xq", "read", { skip: 1, reads: "-f --from-file" })
use("sort", "read", { writes: "-o --output" })
use("uniq", "read", { last: "read" })
use("tr", "none")
use("sed gsed", "read", { skip: 1 })
use("cp gcp", "read", { last: "write", writes: "-t --target-directory" })
use("mv gmv", "write", { writes: "-t --target-directory" })
use("ln gln", "none", { last: "write", writes: "-t --target-directory" })
use("install ginstall", "read", { last: "write", writes: "-t --target-directory" })
use("rsync", "read", { last: "write", writes: "--log-file --backup-dir" })
use("scp sftp", "read", { last: "write" })
use(
  `
  tee sponge touch mkdir truncate fallocate unlink rm srm shred rmdir setfacl chattr mkfifo mknod chmod chown chgrp
  wipe
  `,
  "write"
)
use("nano vim vi nvim emacs ed ex gedit micro code subl pico joe hx kate", "write")
use("patch", "write", { writes: "-o --output" })
use("curl", "none", {
  writes: "-o --output --output-dir -c --cookie-jar -D --dump-header --trace --trace-ascii",
  reads: "-T --upload-file -K --config --key -E --cert"
})
use("wget wget2", "none", {
  writes: "-O --output-document -P --directory-prefix -o --output-file -a --append-output",
  reads: "--post-file --body-file -i --input-file"
})
use("aria2c axel", "none", { writes: "-o --out -d --dir" })
use("http https xh", "none", { writes: "-o --output" })
use("openssl", "none", { writes: "-out -keyout", reads: "-in -inkey -key -keyfile" })
use("7z 7za rar", "read", { skip: 1 })
use("zip", "read")
use("unzip unar", "none", { writes: "-d" })
use("cpio", "none", { writes: "-D --directory -F -O" })
use("split csplit", "read")
use("sqlite3 sqlite", "none")
use("crudini augtool", "write")
use("find gfind", "none", { writes: "-fprintf -fprint -fprint0 -fls" })
use("script", "write")
use("tcpdump dumpcap tshark", "none", { writes: "-w" })
use("ssh-keygen", "none", { writes: "-f" })
use("ssh-copy-id", "none", { reads: "-i" })
use("mutt swaks", "none", { reads: "-a --attach" })
use("nc ncat socat telnet", "none")
use("pg_dump pg_dumpall mysqldump mongodump", "none", { writes: "-f --file --result-file -r -o --out" })
use("grub-mkconfig grub2-mkconfig", "none", { writes: "-o --output" })
use("xkbcomp gcc cc g++ clang ld go rustc tsc esbuild", "none", { writes: "-o --outdir --outfile" })

/** What is known of a program's files; nothing means that its arguments tell nothing. */
export const fileUse = (program: string): FileUse | undefined => uses.get(program)
