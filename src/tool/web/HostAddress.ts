import { BlockList, isIP } from "node:net"

/**
 * Which hosts are this machine's own or its network's: nothing a model asks for goes there unless the operator says so.
 * `metadata` are those that hand out credentials or the configuration of the machine. See docs/tools.md#web-tools
 */
export type HostKind = "public" | "private" | "metadata"

const list = (family: "ipv4" | "ipv6", subnets: ReadonlyArray<string>): BlockList => {
  const blocked = new BlockList()
  for (const subnet of subnets) {
    const [network = "", prefix = family === "ipv4" ? "32" : "128"] = subnet.split("/")
    blocked.addSubnet(network, Number(prefix), family)
  }
  return blocked
}

const words = (text: string): ReadonlyArray<string> => text.split(/\s+/)

const private4 = list(
  "ipv4",
  words(
    "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 " +
      "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"
  )
)

/** Of the global range; everything outside it is private. */
const private6 = list("ipv6", words("2001::/23 2001:db8::/32 2002::/16 3fff::/20"))
const global6 = list("ipv6", ["2000::/3"])

/** Metadata services that have an address outside 169.254.0.0/16, by the documents of who runs them. */
const metadataHosts4 = [
  "168.63.129.16", // https://learn.microsoft.com/en-us/azure/virtual-network/what-is-ip-address-168-63-129-16
  "100.100.100.200", // https://www.alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata
  "100.96.0.96", // Volcano Engine
  "192.0.0.192" // https://docs.oracle.com/en/cloud/iaas/compute-iaas-cloud/stcsg/retrieving-instance-metadata.html
]

/**
 * No link-local address is worth a request of a model: AWS (also ECS and EKS), Azure (also App Service), Google,
 * OpenStack, DigitalOcean, Hetzner, IBM, Tencent, Huawei, Linode, Scaleway, UpCloud, Vultr, Oracle and Rancher each have
 * one or another there.
 */
const metadata4 = list("ipv4", ["169.254.0.0/16", ...metadataHosts4])

const metadata6 = list("ipv6", [
  "fe80::/10", // link-local; OpenStack has fe80::a9fe:a9fe
  "fd00:ec2::/32", // https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
  "fd20:ce::254", // https://cloud.google.com/compute/docs/metadata/querying-metadata
  "fd00:c1::a9fe:a9fe", // https://docs.oracle.com/en-us/iaas/Content/Compute/Tasks/gettingmetadata.htm
  "fd00:42::42", // Scaleway
  "fd00:a9fe:a9fe::/48", // https://techdocs.akamai.com/cloud-computing/docs/overview-of-the-metadata-service
  "64:ff9b:1::/48" // translation to IPv4 as the network likes (RFC 8215): no telling where it leads
])

const metadataNames = new Set(words(
  "metadata instance-data rancher-metadata metadata.goog metadata.google.internal metadata.azure.internal " +
    "metadata.tencentyun.com metadata.packet.net metadata.platformequinix.com api.metadata.cloud.ibm.com " +
    "kubernetes kubernetes.default"
))

/** The eight words of an IPv6 address in any spelling. */
const wordsOf = (address: string): ReadonlyArray<number> => {
  const [head = "", tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::")
  const parsed = (text: string) => text === "" ? [] : text.split(":").map((word) => Number.parseInt(word, 16))
  if (tail === undefined) return parsed(head)
  const [left, right] = [parsed(head), parsed(tail)]
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right]
}

const dotted = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join(".")

const isZero = (all: ReadonlyArray<number>): boolean => all.every((word) => word === 0)

/** The IPv4 address that packets to an IPv6 address go to: mapped ones (RFC 4291) and those of NAT64 (RFC 6052). */
const translated = (all: ReadonlyArray<number>): string | undefined => {
  const isMapped = isZero(all.slice(0, 5)) && all[5] === 0xffff
  const isNat64 = all[0] === 0x64 && all[1] === 0xff9b && isZero(all.slice(2, 6))
  return isMapped || isNat64 ? dotted(all[6], all[7]) : undefined
}

/**
 * IPv4 addresses that others read out of an IPv6 address: at its end (compatible and translated addresses, ISATAP, NAT64
 * under a prefix of the network's own), of 6to4 (RFC 3056) and of Teredo (RFC 4380).
 */
const embedded = (all: ReadonlyArray<number>): ReadonlyArray<string> => [
  dotted(all[6], all[7]),
  ...(all[0] === 0x2002 ? [dotted(all[1], all[2])] : []),
  ...(all[0] === 0x2001 && all[1] === 0
    ? [dotted(all[2], all[3]), dotted((all[6] ?? 0) ^ 0xffff, (all[7] ?? 0) ^ 0xffff)]
    : [])
]

/** An address that cannot be read counts as private. */
export const kindOfAddress = (written: string): HostKind => {
  const address = written.replace(/%.*$/, "")
  switch (isIP(address)) {
    case 4:
      return metadata4.check(address) ? "metadata" : private4.check(address) ? "private" : "public"
    case 6: {
      const all = wordsOf(address)
      const behind = translated(all)
      if (behind !== undefined) return kindOfAddress(behind)
      if (metadata6.check(address, "ipv6") || embedded(all).some((one) => metadata4.check(one))) return "metadata"
      return global6.check(address, "ipv6") && !private6.check(address, "ipv6") ? "public" : "private"
    }
    default:
      return "private"
  }
}

/** Names that mean this machine or its cloud wherever they resolve to. */
export const kindOfName = (hostname: string): HostKind => {
  const name = hostname.toLowerCase().replace(/\.$/, "")
  if (metadataNames.has(name) || /^(metadata|instance-data)\..*\.?internal$/.test(name)) return "metadata"
  if (/^kubernetes\.default\.svc(\.|$)/.test(name) || /^rancher-metadata\./.test(name)) return "metadata"
  return name === "localhost" || /\.(localhost|local|internal)$/.test(name) ? "private" : "public"
}

/** A host in the one spelling that addresses and names have in a URL; a domain pattern stays as it is. */
export const canonicalHost = (written: string): string => {
  const host = written.trim().toLowerCase().replace(/\.$/, "")
  const url = `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}/`
  return URL.canParse(url) && !host.includes("*") ? new URL(url).hostname.replace(/^\[|\]$/g, "") : host
}
