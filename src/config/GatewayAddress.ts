import type { GatewaySettings } from "./Snapshot.ts"

/** The address of a gateway on this machine, as an `http` or `https` URL without a slash at its end. */
export const gatewayAddress = (
  { host, pathPrefix, port, tls }: Pick<GatewaySettings, "host" | "pathPrefix" | "port" | "tls">,
  named = host
): string =>
  `${tls === undefined ? "http" : "https"}://${named.includes(":") ? `[${named}]` : named}:${port}${pathPrefix}`
