import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const mounts = (...args: ReadonlyArray<string>) => spawnSync("mount", args, { stdio: "ignore" }).status === 0

/** A file system of a few MiB in memory, which can be filled up and made read-only. */
export class SmallDisk {
  readonly folder: string
  private fillers = 0

  private constructor(folder: string) {
    this.folder = folder
  }

  /** `undefined` where this user may not mount one. */
  static make(mebibytes: number, parent = tmpdir()): SmallDisk | undefined {
    mkdirSync(parent, { recursive: true })
    const folder = mkdtempSync(join(parent, "postern-disk-"))
    if (process.platform === "linux" && mounts("-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder)) {
      return new SmallDisk(folder)
    }
    rmSync(folder, { recursive: true })
    return undefined
  }

  /** Leaves no byte. */
  fill(): void {
    for (let free = this.free(); free > 0; free = this.free()) {
      writeFileSync(join(this.folder, `filler-${this.fillers++}`), Buffer.alloc(free))
    }
  }

  /** Takes away what `fill` wrote. */
  empty(): void {
    while (this.fillers > 0) rmSync(join(this.folder, `filler-${--this.fillers}`), { force: true })
  }

  setReadOnly(isReadOnly: boolean): void {
    if (!mounts("-o", `remount,${isReadOnly ? "ro" : "rw"}`, this.folder)) throw new Error("the disk is busy")
  }

  remove(): void {
    spawnSync("umount", ["-l", this.folder])
    rmSync(this.folder, { recursive: true, force: true })
  }

  private free(): number {
    const { bavail, bsize } = statfsSync(this.folder)
    return bavail * bsize
  }
}

const probe = SmallDisk.make(1)
probe?.remove()

export const hasSmallDisk = probe !== undefined

/** For the name of a test that needs one. */
export const reason = hasSmallDisk ? "" : " (skipped: this user may not mount a file system)"
