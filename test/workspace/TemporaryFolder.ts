import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

/** A canonical temporary folder that goes with the test. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.promise(async () => realpath(await mkdtemp(join(tmpdir(), "postern-test-")))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)
