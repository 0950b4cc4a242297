/**
 * A system call filter for the kernel (classic BPF), as bubblewrap reads it from a descriptor. It refuses what namespaces do
 * not hold: kernel keys, io_uring (which opens sockets past any socket rule), bpf and performance counters.
 */

interface Numbers {
  readonly arch: number
  readonly socket: number
  readonly ptrace: number
  readonly always: ReadonlyArray<number>
}

const numbers: { readonly [arch: string]: Numbers } = {
  x64: { arch: 0xc000003e, socket: 41, ptrace: 101, always: [248, 249, 250, 298, 321, 425, 426, 427] },
  arm64: { arch: 0xc00000b7, socket: 198, ptrace: 117, always: [217, 218, 219, 241, 280, 425, 426, 427] }
}

const load = 0x20
const ifEqual = 0x15
const ifAtLeast = 0x35
const giveBack = 0x06
const allow = 0x7fff0000
const refuse = 0x00050000 | 1
const unknown = 0x00050000 | 38
const unixFamily = 1
/** Where system call number, architecture and first argument are in `struct seccomp_data`. */
const at = { number: 0, arch: 4, argument: 16 }
const x32 = 0x40000000

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

/** `strict` also refuses Unix sockets and ptrace; `undefined` where the numbers of the architecture are not known. */
export const filter = (strict: boolean, arch: string = process.arch): Uint8Array | undefined => {
  const known = numbers[arch]
  if (known === undefined) return undefined
  const refused = strict ? [...known.always, known.ptrace] : known.always
  const program: Array<Instruction> = [
    [load, 0, 0, at.arch],
    [ifEqual, 1, 0, known.arch],
    [giveBack, 0, 0, unknown],
    [load, 0, 0, at.number],
    ...(arch === "x64" ? [[ifAtLeast, 0, 1, x32], [giveBack, 0, 0, unknown]] as const : []),
    ...refused.flatMap((number): ReadonlyArray<Instruction> => [[ifEqual, 0, 1, number], [giveBack, 0, 0, refuse]])
  ]
  if (strict) {
    program.push(
      [ifEqual, 0, 3, known.socket],
      [load, 0, 0, at.argument],
      [ifEqual, 0, 1, unixFamily],
      [giveBack, 0, 0, refuse]
    )
  }
  program.push([giveBack, 0, 0, allow])
  const bytes = new DataView(new ArrayBuffer(program.length * 8))
  program.forEach(([code, ifTrue, ifFalse, value], index) => {
    bytes.setUint16(index * 8, code, true)
    bytes.setUint8(index * 8 + 2, ifTrue)
    bytes.setUint8(index * 8 + 3, ifFalse)
    bytes.setUint32(index * 8 + 4, value, true)
  })
  return new Uint8Array(bytes.buffer)
}
