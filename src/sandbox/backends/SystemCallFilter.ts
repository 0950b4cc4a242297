/**
 * A system call filter for the kernel (classic BPF), as bubblewrap reads it from a descriptor. It refuses what
 * namespaces do not hold: kernel keys, io_uring (which opens sockets past any socket rule), bpf, performance counters,
 * and every family of sockets that is not on a list. Several families, vsock and Bluetooth among them, belong to the
 * machine and not to a network namespace: they leave it with the network off.
 *
 * The first process inside belongs to bubblewrap, although it runs as the same user: it reports how the command ended,
 * and everything else ends with it. Nothing may trace it, write to its memory or take its descriptors.
 */

interface Numbers {
  readonly arch: number
  readonly socket: number
  readonly socketpair: number
  readonly ptrace: number
  readonly writeMemory: number
  readonly ring: ReadonlyArray<number>
  readonly kernel: ReadonlyArray<number>
}

const ring = [425, 426, 427]
/** `pidfd_getfd`. */
const takeDescriptor = 438

const numbers: { readonly [arch: string]: Numbers } = {
  x64: {
    arch: 0xc000003e,
    socket: 41,
    socketpair: 53,
    ptrace: 101,
    writeMemory: 311,
    ring,
    kernel: [248, 249, 250, 298, 321, takeDescriptor]
  },
  arm64: {
    arch: 0xc00000b7,
    socket: 198,
    socketpair: 199,
    ptrace: 117,
    writeMemory: 271,
    ring,
    kernel: [217, 218, 219, 241, 280, takeDescriptor]
  }
}

/** Of `linux/socket.h`, and the one netlink protocol that programs ask for addresses and routes. */
const family = { unix: 1, inet: 2, inet6: 10, netlink: 16 }
const netlinkRoute = 0

const load = 0x20
const ifEqual = 0x15
const ifAtLeast = 0x35
const giveBack = 0x06
const allow = 0x7fff0000
const failWith = (errno: number): number => 0x00050000 | errno
const refuse = failWith(1)
const unknown = failWith(38)
const noProtocol = failWith(93)
const noFamily = failWith(97)

/** Where system call number, architecture and arguments are in `struct seccomp_data`. */
const at = { number: 0, arch: 4, family: 16, protocol: 32, first: 16, second: 24 }
const x32 = 0x40000000

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

/** When what was loaded last has this value, the call ends this way. */
const end = (value: number, how: number): ReadonlyArray<Instruction> => [[ifEqual, 0, 1, value], [giveBack, 0, 0, how]]

/** A call whose argument at `place` is the id of a process; the kernel looks at its lower half alone. */
const onlyOthers = (number: number, place: number): ReadonlyArray<Instruction> => [
  [ifEqual, 0, 4, number],
  [load, 0, 0, place],
  ...end(1, refuse),
  [giveBack, 0, 0, allow]
]

const sockets = ({ socket, socketpair }: Numbers, unix: number): ReadonlyArray<Instruction> => {
  const pair: ReadonlyArray<Instruction> = [
    [load, 0, 0, at.family],
    ...end(family.unix, allow),
    [giveBack, 0, 0, noFamily]
  ]
  return [
    [ifEqual, 0, pair.length, socketpair],
    ...pair,
    [ifEqual, 1, 0, socket],
    [giveBack, 0, 0, allow],
    [load, 0, 0, at.family],
    ...end(family.unix, unix),
    ...end(family.inet, allow),
    ...end(family.inet6, allow),
    [ifEqual, 1, 0, family.netlink],
    [giveBack, 0, 0, noFamily],
    [load, 0, 0, at.protocol],
    ...end(netlinkRoute, allow),
    [giveBack, 0, 0, noProtocol]
  ]
}

/**
 * `reads`: for commands that only read; Unix sockets and ptrace are refused as well. `writes`: for those that write.
 * `network`: only what would lead out of a network namespace.
 */
export type FilterKind = "reads" | "writes" | "network"

const made = new Map<string, Uint8Array | undefined>()

/** `undefined` where the numbers of the architecture are not known. Not to be changed: it is made once. */
export const make = (kind: FilterKind, arch: string = process.arch): Uint8Array | undefined => {
  const key = `${kind} ${arch}`
  if (!made.has(key)) made.set(key, build(kind, arch))
  return made.get(key)
}

const build = (kind: FilterKind, arch: string): Uint8Array | undefined => {
  const known = numbers[arch]
  if (known === undefined) return undefined
  const refused = [
    ...known.ring,
    ...(kind === "network" ? [] : known.kernel),
    ...(kind === "reads" ? [known.ptrace] : [])
  ]
  const program: ReadonlyArray<Instruction> = [
    [load, 0, 0, at.arch],
    [ifEqual, 1, 0, known.arch],
    [giveBack, 0, 0, unknown],
    [load, 0, 0, at.number],
    ...(arch === "x64" ? [[ifAtLeast, 0, 1, x32], [giveBack, 0, 0, unknown]] as const : []),
    ...refused.flatMap((number) => end(number, refuse)),
    ...(kind === "reads" ? [] : onlyOthers(known.ptrace, at.second)),
    ...onlyOthers(known.writeMemory, at.first),
    ...sockets(known, kind === "reads" ? refuse : allow)
  ]
  const bytes = new DataView(new ArrayBuffer(program.length * 8))
  program.forEach(([code, ifTrue, ifFalse, value], index) => {
    bytes.setUint16(index * 8, code, true)
    bytes.setUint8(index * 8 + 2, ifTrue)
    bytes.setUint8(index * 8 + 3, ifFalse)
    bytes.setUint32(index * 8 + 4, value, true)
  })
  return new Uint8Array(bytes.buffer)
}
