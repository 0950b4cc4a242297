import { afterAll } from "vitest"
import { make, remove } from "./TemporaryFolder.ts"

const made: Array<string> = []
afterAll(() => made.splice(0).forEach(remove))

/** A canonical temporary folder that is removed after the last test of the file. */
export const suiteFolder = (): string => {
  const folder = make()
  made.push(folder)
  return folder
}
