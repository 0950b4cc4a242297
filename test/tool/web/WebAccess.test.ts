import { assert, describe, it } from "@effect/vitest"
import { kindOfAddress, kindOfName } from "../../../src/tool/web/HostAddress.ts"
import { defaults, opens, refusal } from "../../../src/tool/web/WebAccess.ts"

describe("addresses", () => {
  it("of this machine and its networks are private, however they are written", () => {
    for (
      const address of [
        "127.0.0.1",
        "127.255.255.254",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "100.64.0.1",
        "192.0.2.1",
        "198.18.0.1",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fec0::1",
        "fc00::1",
        "fd12:3456::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:7f00:1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::192.168.0.1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "::127.0.0.1",
        "100::1",
        "5f00::1",
        "not an address",
        ""
      ]
    ) assert.strictEqual(kindOfAddress(address), "private", address)
  })

  it("that hand out credentials of a cloud machine are a kind of their own", () => {
    for (
      const address of [
        "169.254.169.254",
        "169.254.170.2",
        "169.254.170.23",
        "169.254.42.42",
        "169.254.0.23",
        "169.254.169.250",
        "168.63.129.16",
        "100.100.100.200",
        "100.96.0.96",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "FD00:0EC2:0:0:0:0:0:0254",
        "fd20:ce::254",
        "fd00:42::42",
        "fd00:c1::a9fe:a9fe",
        "fd00:a9fe:a9fe::1",
        "fe80::a9fe:a9fe",
        "fe80::a9fe:a9fe%eth0",
        "fe80::1",
        "::ffff:169.254.169.254",
        "::ffff:a9fe:a9fe",
        "0:0:0:0:0:ffff:a83f:8110",
        "::ffff:0:168.63.129.16",
        "::168.63.129.16",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b::168.63.129.16",
        "64:ff9b:1::1",
        "2a00:1450:64::a9fe:a9fe",
        "2a00:1450::5efe:168.63.129.16",
        "2002:a9fe:a9fe::1",
        "2002:a83f:8110::",
        "2001:0:a83f:8110::1",
        "2001:0:4136:e378:8000:63bf:5601:5601",
        "2001::57c0:7eef"
      ]
    ) {
      assert.strictEqual(kindOfAddress(address), "metadata", address)
    }
    for (
      const name of [
        "metadata",
        "metadata.google.internal",
        "METADATA.google.internal.",
        "metadata.goog",
        "metadata.tencentyun.com",
        "metadata.packet.net",
        "metadata.platformequinix.com",
        "api.metadata.cloud.ibm.com",
        "rancher-metadata",
        "rancher-metadata.rancher.internal",
        "instance-data",
        "instance-data.ec2.internal",
        "kubernetes",
        "kubernetes.default.svc",
        "kubernetes.default.svc.cluster.local"
      ]
    ) {
      assert.strictEqual(kindOfName(name), "metadata", name)
    }
  })

  it("that hand out credentials are open only where the operator opens private hosts and names the very host", () => {
    const access = (allowedDomains: ReadonlyArray<string>, allowPrivateHosts = true) => ({
      ...defaults,
      allowPrivateHosts,
      allowedDomains
    })
    assert.isTrue(opens(access(["*"]), "private", "10.0.0.1"))
    assert.isFalse(opens(access(["*"], false), "private", "10.0.0.1"))
    for (const domains of [["*"], ["google.internal"], ["*.google.internal"], ["internal", "*"]]) {
      assert.isFalse(opens(access(domains), "metadata", "metadata.google.internal"), domains.join())
    }
    assert.isTrue(opens(access(["metadata.google.internal."]), "metadata", "metadata.google.internal"))
    assert.isTrue(opens(access(["0xa9fea9fe"]), "metadata", "169.254.169.254"))
    assert.isTrue(opens(access(["FD00:0ec2::254"]), "metadata", "fd00:ec2::254"))
    assert.isFalse(opens(access(["metadata.google.internal"], false), "metadata", "metadata.google.internal"))
    // A name that only leads there is somebody's choice, not the operator's.
    assert.isFalse(opens(access(["rebind.example.com"]), "metadata", "rebind.example.com"))
  })

  it("of the internet are public", () => {
    for (
      const address of [
        "1.1.1.1",
        "8.8.8.8",
        "172.15.0.1",
        "172.32.0.1",
        "100.63.0.1",
        "100.128.0.1",
        "93.184.216.34",
        "2606:4700::1111",
        "2a00:1450::1",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808"
      ]
    ) {
      assert.strictEqual(kindOfAddress(address), "public", address)
    }
    assert.strictEqual(kindOfName("metadata.example.com"), "public")
    assert.strictEqual(kindOfName("localhost.example.com"), "public")
  })

  it("have names that mean this machine", () => {
    for (const name of ["localhost", "LOCALHOST", "localhost.", "a.localhost", "printer.local", "db.internal"]) {
      assert.strictEqual(kindOfName(name), "private", name)
    }
  })
})

describe("the operator's hosts", () => {
  const access = (allowedDomains: ReadonlyArray<string>, blockedDomains: ReadonlyArray<string> = []) => ({
    ...defaults,
    allowedDomains,
    blockedDomains
  })

  it("stand for what is below them, and blocked ones win", () => {
    assert.isUndefined(refusal(access(["*"]), "example.com"))
    assert.isUndefined(refusal(access(["example.com"]), "docs.EXAMPLE.com."))
    assert.isUndefined(refusal(access(["*.example.com"]), "docs.example.com"))
    assert.match(refusal(access(["*.example.com"]), "example.com") ?? "", /does not have example.com/)
    assert.match(refusal(access(["example.com"]), "notexample.com") ?? "", /does not have/)
    assert.match(refusal(access([]), "example.com") ?? "", /does not have/)
    assert.match(refusal(access(["*"], ["example.com"]), "a.example.com") ?? "", /blocks a.example.com/)
  })
})
