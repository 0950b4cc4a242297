import { assert, describe, it } from "@effect/vitest"
import { defaults, kindOfAddress, kindOfName, refusal } from "../../../src/tool/web/WebAccess.ts"

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
        "169.254.0.1",
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
        "fe80::1",
        "fe80::1%eth0",
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
        "::ffff:169.254.169.254",
        "::ffff:a9fe:a9fe",
        "64:ff9b::a9fe:a9fe",
        "169.254.170.2",
        "fd00:ec2::254",
        "100.100.100.200",
        "192.0.0.192"
      ]
    ) {
      assert.strictEqual(kindOfAddress(address), "metadata", address)
    }
    for (const name of ["metadata", "metadata.google.internal", "METADATA.google.internal.", "instance-data"]) {
      assert.strictEqual(kindOfName(name), "metadata", name)
    }
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
