import { Schema } from "effect"
import { join } from "node:path"

/** No daemon can serve at this endpoint; `message` says why and what to do. */
export class EndpointRefused extends Schema.TaggedError<EndpointRefused>()("EndpointRefused", {
  reason: Schema.Literals(["path_too_long", "folder", "not_a_socket", "lock", "in_use", "failed"]),
  message: Schema.String
}) {}

/** Bytes of `sun_path` without the closing zero. */
const longest = (platform: NodeJS.Platform) => platform === "linux" ? 107 : 103

const pipePrefix = "\\\\.\\pipe\\"

/** The same folder always has the same pipe, and different folders different ones. */
export const pipeName = (dataDir: string): string => {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256").update(dataDir, "utf8").digest("hex")
  return `${pipePrefix}postern-${hash.slice(0, 16)}`
}

export const isPipe = (endpoint: string): boolean => endpoint.startsWith(pipePrefix)

/** `POSTERN_SOCKET`, else the data folder's own (docs/native-rpc.md#socket). */
export const resolve = (
  { dataDir, socket }: { readonly dataDir: string; readonly socket: string | undefined },
  platform: NodeJS.Platform = process.platform
): string => socket ?? (platform === "win32" ? pipeName(dataDir) : join(dataDir, "daemon.sock"))

/** What is wrong with a path as the address of a Unix socket. */
export const tooLong = (path: string, platform: NodeJS.Platform = process.platform): EndpointRefused | undefined => {
  const bytes = Buffer.byteLength(path)
  return bytes <= longest(platform) ? undefined : new EndpointRefused({
    reason: "path_too_long",
    message: `${path} has ${bytes} bytes, and the path of a socket at most ${
      longest(platform)
    }; set POSTERN_SOCKET to a shorter one`
  })
}
