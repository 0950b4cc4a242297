import { assert, describe, it } from "@effect/vitest"
import * as Bubblewrap from "../../src/sandbox/backends/Bubblewrap.ts"
import * as Docker from "../../src/sandbox/backends/Docker.ts"
import * as Firejail from "../../src/sandbox/backends/Firejail.ts"
import type { Plan } from "../../src/sandbox/plan/Plan.ts"
import * as Scratch from "../../src/sandbox/backends/Scratch.ts"
import * as SystemCallFilter from "../../src/sandbox/backends/SystemCallFilter.ts"
import * as Seatbelt from "../../src/sandbox/backends/Seatbelt.ts"

const plan = (change: Partial<Plan> = {}): Plan => ({
  mode: "workspace-write",
  network: true,
  cwd: "/tmp/w/sub",
  roots: ["/tmp/w"],
  readable: ["/home/u/.postern/agents/a/workspace"],
  masks: [{ path: "/home/u/.postern", folder: true }, { path: "/home/u/.netrc", folder: false }, {
    path: "/tmp/ssh/agent",
    folder: false
  }],
  visible: [],
  pinned: ["/tmp/w/.git"],
  readOnly: ["/tmp/w/.git/hooks"],
  watched: ["/tmp/w/.mcp.json"],
  programs: [],
  required: [],
  ...change
})

const abilities = {
  program: "/usr/bin/bwrap",
  sh: "/bin/sh",
  noNesting: true,
  filter: true,
  byDescriptor: true,
  counted: true,
  folders: [{ path: "/bin", link: "usr/bin" }, { path: "/lib64" }]
}

const isolation =
  "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --disable-userns --die-with-parent --new-session --cap-drop ALL"
const special = "--dev /dev --proc /proc"
const privateTmp = "--perms 1777 --tmpfs /tmp --perms 1777 --tmpfs /var/tmp"

const spelled = (...given: Parameters<typeof Bubblewrap.options>) => Bubblewrap.options(...given).join(" ")

describe("the arguments of bubblewrap", () => {
  it("opens the workspace over a private temporary folder, from the outside in", () =>
    assert.strictEqual(
      spelled(plan(), abilities),
      `${isolation} --ro-bind / / ${special} ${privateTmp} --bind /tmp/w /tmp/w --bind /tmp/w/.git /tmp/w/.git --tmpfs /home/u/.postern ` +
        "--ro-bind /dev/null /home/u/.netrc --ro-bind /tmp/w/.git/hooks /tmp/w/.git/hooks " +
        "--ro-bind /home/u/.postern/agents/a/workspace /home/u/.postern/agents/a/workspace --remount-ro /home/u/.postern --remount-ro /proc --chdir /tmp/w/sub"
    ))

  it("leaves everything as it is in read-only, the machine's temporary folder included", () =>
    assert.strictEqual(
      spelled(plan({ mode: "read-only", network: false, pinned: [], readOnly: [], readable: [] }), abilities),
      `${isolation} --unshare-net --ro-bind / / ${special} --ro-bind /tmp/w /tmp/w --tmpfs /home/u/.postern --ro-bind /dev/null /home/u/.netrc ` +
        "--ro-bind /dev/null /tmp/ssh/agent --remount-ro /home/u/.postern --remount-ro /proc --chdir /tmp/w/sub"
    ))

  it("shows only the system and the workspace in workspace-read", () => {
    const text = spelled(
      plan({ mode: "workspace-read", masks: [], pinned: [], readOnly: [], readable: [], programs: ["/opt/node"] }),
      abilities
    )
    assert.notInclude(text, "--ro-bind / /")
    assert.include(text, "--ro-bind /usr /usr --symlink usr/bin /bin --ro-bind-try /lib64 /lib64")
    assert.match(
      text,
      /--perms 1777 --tmpfs \/tmp --ro-bind \/opt\/node \/opt\/node --ro-bind \/tmp\/w \/tmp\/w --remount-ro \/ --remount-ro \/proc --chdir \/tmp\/w\/sub$/
    )
  })

  it("takes only the network away in danger-full-access", () =>
    assert.strictEqual(
      spelled(plan({ mode: "danger-full-access", network: false }), abilities),
      "--unshare-user --unshare-net --unshare-pid --die-with-parent --new-session --dev-bind / / --proc /proc --chdir /tmp/w/sub"
    ))

  it("keeps what a machine needs visible inside a mask", () =>
    assert.include(
      spelled(
        plan({
          masks: [{ path: "/run", folder: true }],
          visible: [{ path: "/run/current-system", link: "/nix/store/x" }]
        }),
        abilities
      ),
      "--symlink /nix/store/x /run/current-system"
    ))

  const scratch = plan({ mode: "scratch", masks: [], pinned: [], readOnly: [], readable: [] })
  const ways = [
    [{ kind: "overlay" }, "--overlay-src /tmp/w --tmp-overlay /tmp/w"],
    [{ kind: "mounted" }, "--bind /tmp/w /tmp/w"],
    [{ kind: "copies", of: new Map([["/tmp/w", "/c"]]) }, "--bind /c /tmp/w"],
    [{ kind: "read-only" }, "--ro-bind /tmp/w /tmp/w"]
  ] as const
  for (const [way, expected] of ways) {
    it(`lets a scratch call write by ${way.kind}`, () =>
      assert.include(spelled(scratch, abilities, way), `${expected} --remount-ro /proc --chdir`))
  }

  it("hands options and filter over descriptors, so that a command line names nothing hidden", () => {
    const { argv, descriptors } = Bubblewrap.command(plan(), abilities, ["/bin/true"])
    assert.deepStrictEqual(argv.slice(0, 5), ["/usr/bin/bwrap", "--json-status-fd", "3", "--args", "4"])
    assert.notInclude(argv.join(" "), "postern")
    assert.strictEqual(descriptors[0], "status")
    const text = Buffer.from(descriptors[1] as Uint8Array).toString()
    assert.include(text, "--tmpfs\0/home/u/.postern\0")
    const own = "/home/u/.postern/agents/a/workspace"
    assert.include(text, "--bind-fd\x008\0/tmp/w\0--bind-fd\x009\0/tmp/w/.git\0")
    assert.include(text, `--ro-bind-fd\x0010\0/tmp/w/.git/hooks\0--ro-bind-fd\x0011\0${own}\0`)
    assert.deepStrictEqual(
      descriptors.slice(5),
      ["/tmp/w", "/tmp/w/.git", "/tmp/w/.git/hooks", own].map((path) => ({ path }))
    )
  })

  it("says what an older bubblewrap lacks", () => {
    const report = Bubblewrap.reportOf({ mode: "read-only", network: true }, {
      noNesting: false,
      filter: false,
      byDescriptor: false,
      counted: false
    })
    assert.match(report.notes.join(), /older than 0\.8.*number of processes is not limited.*no system call filter/)
  })
})

describe("the system call filter", () => {
  it("is one program of whole instructions for each known architecture", () => {
    for (const arch of ["x64", "arm64"]) {
      const [reads, writes, network] = (["reads", "writes", "network"] as const).map((kind) =>
        SystemCallFilter.make(kind, arch)!
      )
      for (const program of [reads, writes, network]) assert.strictEqual(program!.length % 8, 0)
      assert.isBelow(network!.length, writes!.length)
    }
    assert.strictEqual(SystemCallFilter.make("reads", "mips"), undefined)
  })

  /** What the kernel would do: the value that a program gives back for a call. */
  const verdict = (filter: Uint8Array, arch: number, number: number, ...args: ReadonlyArray<number>): number => {
    const data = new DataView(new ArrayBuffer(64))
    data.setUint32(0, number, true)
    data.setUint32(4, arch, true)
    args.forEach((value, index) => data.setUint32(16 + 8 * index, value, true))
    const program = new DataView(filter.buffer)
    let loaded = 0
    for (let at = 0;; at++) {
      const [code, value] = [program.getUint16(at * 8, true), program.getUint32(at * 8 + 4, true)]
      const jump = (condition: boolean) => at += program.getUint8(at * 8 + (condition ? 2 : 3))
      if (code === 0x20) loaded = data.getUint32(value, true)
      else if (code === 0x15) jump(loaded === value)
      else if (code === 0x35) jump(loaded >= value)
      else return value
    }
  }

  const architectures = [["x64", 0xc000003e, 41, 53, 101], ["arm64", 0xc00000b7, 198, 199, 117]] as const
  for (const [arch, id, socket, socketpair, ptrace] of architectures) {
    for (const kind of ["reads", "writes", "network"] as const) {
      it(`lets only listed families of sockets be opened (${kind}, ${arch})`, () => {
        const filter = SystemCallFilter.make(kind, arch)!
        const [allow, refuse] = [0x7fff0000, 0x00050001]
        const opened = Array.from({ length: 64 }, (_, family) => family).filter((family) =>
          verdict(filter, id, socket, family, 1, 0) === allow
        )
        assert.deepStrictEqual(opened, kind === "reads" ? [2, 10, 16] : [1, 2, 10, 16])
        const protocols = Array.from({ length: 32 }, (_, protocol) => protocol).filter((protocol) =>
          verdict(filter, id, socket, 16, 3, protocol) === allow
        )
        assert.deepStrictEqual(protocols, [0])
        const paired = Array.from({ length: 64 }, (_, family) => family).filter((family) =>
          verdict(filter, id, socketpair, family, 1, 0) === allow
        )
        assert.deepStrictEqual(paired, [1])
        assert.strictEqual(verdict(filter, id, 0), allow)
        assert.strictEqual(verdict(filter, id, 425), refuse)
        assert.strictEqual(verdict(filter, id, ptrace), kind === "reads" ? refuse : allow)
        assert.notStrictEqual(verdict(filter, 0x40000003, 0), allow)
      })
    }
  }
})

describe("the other backends' arguments", () => {
  it("wraps bubblewrap in a mount namespace for overlays", () => {
    const tools = { unshare: "/u", mount: "/m", mkdir: "/d", setpriv: "/p", sh: "/s" }
    const { argv } = Scratch.wrap(
      { kind: "mounted", tools },
      { argv: ["/bwrap", "--"], descriptors: [] },
      ["/w"],
      "/stage"
    )
    assert.deepStrictEqual(argv.slice(0, 7), [
      "/u",
      "--user",
      "--map-current-user",
      "--mount",
      "--keep-caps",
      "/s",
      "-c"
    ])
    assert.deepStrictEqual(argv.slice(8), ["sh", "/stage", "/w", "--", "/bwrap", "--"])
  })

  it("writes a profile that ends with what is protected, and quotes paths", () => {
    const lines = Seatbelt.profile(
      plan({ roots: ["/w\"x"], pinned: ["/w\"x/.git"], readOnly: ["/w\"x/.git/hooks"], network: false })
    ).split("\n")
    assert.deepStrictEqual(lines.slice(0, 2), ["(version 1)", "(deny default)"])
    assert.isFalse(lines.some((line) => line.includes("network")))
    assert.include(
      lines,
      "(allow file-write* (subpath \"/w\\\"x\") (subpath \"/private/tmp\") (subpath \"/private/var/tmp\") (subpath \"/private/var/folders\"))"
    )
    assert.isAbove(
      lines.indexOf("(deny file-write* (subpath \"/w\\\"x/.git/hooks\"))"),
      lines.findIndex((line) => line.startsWith("(allow file-write* (subpath"))
    )
    assert.include(lines, "(deny file-write-unlink (literal \"/w\\\"x/.git\") (literal \"/w\\\"x/.git/hooks\"))")
  })

  it("reads only the system and the workspace on macOS in workspace-read", () => {
    const text = Seatbelt.profile(plan({ mode: "workspace-read" }))
    assert.notInclude(text, "(allow file-read*)\n")
    assert.match(text, /\(allow file-read\* .*\(subpath "\/tmp\/w"\)\)/)
    assert.notMatch(text, /allow file-write\* \(subpath/)
  })

  it("makes the home folder read-only under firejail too", () => {
    const text = Firejail.options(plan({ network: false }), "/home/u").join(" ")
    assert.include(
      text,
      "--net=none --read-only=/ --read-only=/home/u --read-only=/tmp --read-only=/var/tmp --private-tmp --read-write=/tmp/w"
    )
    assert.include(text, "--blacklist=/home/u/.postern")
  })

  it("gives a container the session's folders under their own paths", () => {
    const text = Docker.options(plan({ network: false, masks: [{ path: "/tmp/w/.env", folder: false }] }), {
      env: { A: "1", PATH: "/x" }
    }, "1:2").join(" ")
    assert.include(text, "--network none")
    assert.include(text, "--mount type=bind,source=/tmp/w,target=/tmp/w --mount")
    assert.include(text, "type=bind,source=/tmp/w/.git/hooks,target=/tmp/w/.git/hooks,readonly")
    assert.include(text, "type=bind,source=/dev/null,target=/tmp/w/.env,readonly")
    assert.match(text, /-w \/tmp\/w\/sub -e A=1$/)
  })
})
