import { BlockList, isIP } from "node:net"

/** Which addresses are this machine's own or its network's: nothing a model asks for goes there unless the operator says so. */

const list = (family: "ipv4" | "ipv6", subnets: string): BlockList => {
  const blocked = new BlockList()
  for (const subnet of subnets.split(" ")) {
    const [network = "", prefix] = subnet.split("/")
    blocked.addSubnet(network, Number(prefix), family)
  }
  return blocked
}

const private4 = list(
  "ipv4",
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 " +
    "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"
)

/** Of the global range; everything outside it is private. */
const private6 = list("ipv6", "2001::/23 2001:db8::/32 2002::/16 3fff::/20")
const global6 = list("ipv6", "2000::/3")

/** IPv4 inside IPv6: mapped, and as NAT64 writes it. */
const wrapped = list("ipv6", "::ffff:0:0/96 64:ff9b::/96")

/** Where clouds hand out the credentials of a machine: closed even where private hosts are open. */
const metadata4 = list("ipv4", "169.254.169.254/32 169.254.170.0/24 100.100.100.200/32 192.0.0.192/32")
const metadata6 = list("ipv6", "fd00:ec2::/32 fe80::a9fe:a9fe/128")

export type AddressKind = "public" | "private" | "metadata"

/** The last 32 bits of an IPv6 address, dotted. */
const lastFour = (address: string): string => {
  if (address.includes(".")) return address.slice(address.lastIndexOf(":") + 1)
  const { hostname } = new URL(`http://[${address}]/`)
  const [low = "0", high = "0"] = hostname.slice(1, -1).split(":").reverse()
  const bits = [high === "" ? 0 : Number.parseInt(high, 16), low === "" ? 0 : Number.parseInt(low, 16)] as const
  return bits.flatMap((word) => [word >> 8, word & 255]).join(".")
}

/** An address that cannot be read counts as private. */
export const kindOf = (written: string): AddressKind => {
  const address = written.replace(/%.*$/, "")
  switch (isIP(address)) {
    case 4:
      return metadata4.check(address) ? "metadata" : private4.check(address) ? "private" : "public"
    case 6: {
      if (wrapped.check(address, "ipv6")) return kindOf(lastFour(address))
      if (metadata6.check(address, "ipv6")) return "metadata"
      return global6.check(address, "ipv6") && !private6.check(address, "ipv6") ? "public" : "private"
    }
    default:
      return "private"
  }
}

/** Names that mean this machine or its cloud wherever they resolve to. */
export const kindOfName = (hostname: string): AddressKind => {
  const name = hostname.toLowerCase().replace(/\.$/, "")
  if (/^(metadata|instance-data)(\.|$)/.test(name) && (!name.includes(".") || name.endsWith(".internal"))) {
    return "metadata"
  }
  return name === "localhost" || /\.(localhost|local|internal)$/.test(name) ? "private" : "public"
}
