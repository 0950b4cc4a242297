import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { redact } from "../../src/domain/secrets/LeakDetector.ts"

const usual = { enabled: true, sensitivity: 0.7, highEntropyTokens: true }
const patternsOnly = { ...usual, highEntropyTokens: false }
const hide = (text: string, options = usual) => redact(text, options).text

/** Put together at run time, so that no scanner takes this file for a leak. */
const secrets = {
  openai: `sk-${"proj-"}Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4f`,
  anthropic: `sk-ant-${"api03-"}Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4f-xx_AA`,
  stripe: `sk_${"live_"}4eC39HqLyjWDarjtT1zdp7dc`,
  groq: `gsk_${"Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4f"}`,
  google: `AIza${"SyA1bC2dE3fG4hI5jK6lM7nO8pQ9rS0tU1v"}`,
  github: `ghp_${"Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j"}`,
  githubPat: `github_pat_${"11ABCDE0Y0abcdefghijkl_mnopqrstuvwxyz0123456789"}`,
  slack: `xoxb-${"123456789012-1234567890123-Ab3dEf6hIj9lMn2pQr5tUv8x"}`,
  slackApp: `xapp-${"1-A0123456789-1234567890123-abcdef"}`
}
const jwt =
  `eyJ${"hbGciOiJIUzI1NiJ9"}.${"eyJzdWIiOiIxMjM0NTY3ODkwIn0"}.${"dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"}`
const pem = (kind: string) =>
  `-----BEGIN ${kind}PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQ\n-----END ${kind}PRIVATE KEY-----`

describe("the leak detector", () => {
  it("puts a tag in the place of keys of known forms, wherever they stand", () => {
    for (const [name, secret] of Object.entries(secrets)) {
      for (
        const text of [
          secret,
          `key: ${secret}\n`,
          `12: export X="${secret}"`,
          `{"k":"${secret}"}`,
          `https://x.test/?k=${secret}&a=b`
        ]
      ) {
        const { found, text: shown } = redact(text, patternsOnly)
        assert.strictEqual(shown, text.replace(secret, "[REDACTED_API_KEY]"), name)
        assert.strictEqual(found, 1, name)
      }
    }
    assert.strictEqual(hide("id AKIAIOSFODNN7EXAMPLE."), "id [REDACTED_AWS_CREDENTIAL].")
    assert.strictEqual(
      hide(`aws_secret_access_key = ${"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}`),
      "aws_secret_access_key = [REDACTED_AWS_CREDENTIAL]"
    )
    assert.strictEqual(hide(`Authorization: Bearer ${jwt}`), "Authorization: Bearer [REDACTED_JWT]")
    assert.strictEqual(hide("url=postgres://app:hunter2@db.test:5432/x?y=1 next"), "url=[REDACTED_DATABASE_URL] next")
    assert.strictEqual(hide("mongodb+srv://u:p@h/x"), "[REDACTED_DATABASE_URL]")
    assert.strictEqual(
      hide(`POST /bot${"123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1"}/send`),
      "POST /bot[REDACTED_BOT_TOKEN]/send"
    )
  })

  it("removes private keys, also one that is cut off", () => {
    for (const kind of ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "]) {
      assert.strictEqual(
        hide(`a\n${pem(kind)}\nb\n${pem(kind)}\nc`),
        "a\n[REDACTED_PRIVATE_KEY]\nb\n[REDACTED_PRIVATE_KEY]\nc",
        kind
      )
    }
    assert.strictEqual(hide("a\n-----BEGIN PRIVATE KEY-----\nMIIE"), "a\n[REDACTED_PRIVATE_KEY]")
    const certificate = "-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----"
    assert.strictEqual(hide(certificate), certificate)
  })

  it("hides what is assigned to a name that says secret, and leaves code that only gets one", () => {
    assert.strictEqual(hide("DB_PASSWORD=\"hunter2hunter2\""), "DB_PASSWORD=\"[REDACTED_SECRET]\"")
    assert.strictEqual(hide("client_secret: abcd1234efgh"), "client_secret: [REDACTED_SECRET]")
    assert.strictEqual(hide("x-api-key: 0123456789abcdef0123"), "x-api-key: [REDACTED_API_KEY]")
    for (
      const code of [
        "const token = process.env.TOKEN2_VALUE",
        "password: config.database.password1",
        "token = getToken(user1, \"a\")",
        "max_tokens: 100000000000",
        "secret: ${{ secrets.DEPLOY_KEY_1 }}",
        "tokenizer = Tokenizer2Implementation",
        "passwordless: true",
        "token: string",
        "api_key = os.environ[\"API_KEY_1\"]"
      ]
    ) assert.strictEqual(hide(code), code)
    assert.strictEqual(hide("password: hunter2hunter2", { ...usual, sensitivity: 0.5 }), "password: hunter2hunter2")
  })

  it("hides long random words unless told not to, more of them at a higher sensitivity", () => {
    const token = "q7Zt2Xw9Lk4Vb8Nc1Md6Rf3Hg5Js0Yp"
    assert.strictEqual(hide(`x ${token} y`), "x [REDACTED_HIGH_ENTROPY_TOKEN] y")
    assert.strictEqual(hide(`x ${token} y`, patternsOnly), `x ${token} y`)
    const lesser = "a1b2c3d4e5f6a1b2c3d4e5g7h8"
    assert.strictEqual(hide(lesser, { ...usual, sensitivity: 0 }), lesser)
    assert.strictEqual(hide(token, { ...usual, sensitivity: 0 }), token)
  })

  it("leaves hashes, ids, names, addresses, lock files and pictures alone", () => {
    const sha = (kind: string, encoding: "hex" | "base64") => createHash(kind).update("x").digest(encoding)
    const picture = Buffer.from(Array.from({ length: 600 }, (_, at) => (at * 7919 + (at * at) % 251) % 256)).toString(
      "base64"
    )
    for (
      const text of [
        sha("sha1", "hex"),
        sha("sha256", "hex"),
        sha("sha512", "hex"),
        sha("md5", "hex"),
        "commit 2b2f643a0c9e4d1f8b7a6c5d4e3f2a1b0c9d8e7f",
        "550e8400-e29b-41d4-a716-446655440000",
        "postern-4f2a9c7e-1b3d-4e5f-8a9b-0c1d2e3f4a5b",
        `"integrity": "sha512-${sha("sha512", "base64")}"`,
        `sha256:${sha("sha256", "hex")}`,
        `h1:${sha("sha256", "base64")}`,
        `data:image/png;base64,${picture.slice(0, 160)}`,
        picture,
        picture.match(/.{1,76}/g)!.join("\n"),
        picture.match(/.{1,76}/g)!.map((line, at) => `${at + 1}: ${line}`).join("\n"),
        "https://cdn.example.com/a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6/file.js",
        "/usr/lib/node_modules/@scope/some-package-1.2.3/dist/index.d.ts",
        "src/components/UserProfileSettings2/UserProfileSettings2.test.tsx",
        "getElementsByTagNameNS2AndAttributeV3",
        "INTERNATIONALIZATION_TEST_CASE_2024_V2",
        "________________________________1a2b3c",
        "========================================",
        "abcdefghijklmnopqrstuvwxyz0123456789"
      ]
    ) assert.strictEqual(hide(text), text)
  })

  it("is off when it is switched off", () => {
    const text = `${secrets.github}\n${pem("")}`
    assert.deepStrictEqual(redact(text, { ...usual, enabled: false }), { text, found: 0 })
  })

  it("finds nearly every random key and works in linear time on hostile text", () => {
    let missed = 0
    const drawn = (i: number) =>
      createHash("sha256").update(String(i)).digest("base64url").replace(/[-_]/g, "x").slice(0, 40)
    for (let i = 0; i < 200; i++) if (!hide(`k ${drawn(i)} k`).includes("REDACTED")) missed++
    assert.isBelow(missed, 30)
    for (
      const piece of [
        "eyJ",
        "eyJaaaaaaaaa.",
        "sk-",
        "ghp_",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN ",
        "password",
        "password=",
        "a_",
        "token:'",
        "postgres://",
        "postgres://a:",
        "/bot1234567:",
        "api_key=",
        "AKIA",
        "A1b",
        "a/",
        "sha512-",
        "1: A\n",
        "xoxb-"
      ]
    ) {
      assert.isString(hide(piece.repeat(60_000)), piece)
    }
  })
})
