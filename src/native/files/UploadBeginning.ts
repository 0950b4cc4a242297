import * as Attachments from "../../workspace/Attachments.ts"
import * as Faults from "../protocol/Errors.ts"

/** What a client says about a file that it is going to send (zeroclaw §1.9). */
export interface Beginning {
  readonly session_id: string
  readonly size_bytes: number
  readonly filename?: string | null
  readonly sha256?: string | null
}

const longestName = 255

export const wrong = (field: string, problem: string, reason = "invalid") =>
  Faults.invalid(`${field}: ${problem}`, field, reason)

/** What is wrong with it. */
export const checked = ({ filename, sha256, size_bytes }: Beginning) => {
  if (size_bytes < 0) return wrong("size_bytes", "at least 0")
  if (size_bytes > Attachments.maxBytes) return wrong("size_bytes", `at most ${Attachments.maxBytes}`, "too_large")
  if (Buffer.byteLength(filename ?? "") > longestName) return wrong("filename", `at most ${longestName} bytes`)
  return typeof sha256 === "string" && !/^[0-9a-f]{64}$/i.test(sha256)
    ? wrong("sha256", "64 hexadecimal digits")
    : undefined
}
