import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { load, redact, tagPattern, unfinishedAt } from "../../src/domain/secrets/LeakDetector.ts"
import { unknown } from "../../src/domain/secrets/SecretlintRules.ts"
import { either, filledLine, integer, oneOf } from "../support/Arbitraries.ts"
import { expand, random, sample } from "./secrets/Expand.ts"
import { innocents } from "./secrets/InnocentSamples.ts"
import { contexts, lines, tokens } from "./secrets/SecretSamples.ts"

const usual = { enabled: true, sensitivity: 0.7, highEntropyTokens: true }

const whole = await Effect.runPromise(load)
const hide = (text: string, options = usual) => whole(text, options).text

/** A run of nine characters of the secret, or all of a shorter one. */
const isLeftIn = (shown: string, secret: string) => {
  const length = Math.min(secret.length, 9)
  for (let at = 0; at + length <= secret.length; at++) if (shown.includes(secret.slice(at, at + length))) return true
  return false
}

const seeds = [1, 2, 3, 4, 5]

/** Every token in one of the contexts, by turns, and every line; with each seed. */
const samples = seeds.flatMap((seed) => [
  ...tokens.map(([name, token], at) => ({
    name,
    ...sample(contexts[(at + seed) % contexts.length]!.replace("{T}", token), seed * 10_000 + at)
  })),
  ...lines.map(([name, line], at) => ({ name, ...sample(line, seed * 10_000 + 5000 + at) }))
])

describe("the leak detector", () => {
  it("hides secrets in the formats of vendors, tools and files", () => {
    assert.isAbove(tokens.length + lines.length, 350)
    const missed = samples.filter(({ secrets, text }) => {
      const shown = hide(text)
      return secrets.some((secret) => isLeftIn(shown, secret))
    })
    const names = Array.from(new Set(missed.map(({ name }) => name)))
    assert.isAtMost(missed.length / samples.length, 0.02, names.join(", "))
    for (const name of names) {
      const of = samples.filter((one) => one.name === name).length
      assert.isBelow(missed.filter((one) => one.name === name).length, of, `never found: ${name}`)
    }
  })

  it("leaves what stands around a secret, the number of lines, and what it redacted before", () => {
    for (const { around, name, text } of samples) {
      const shown = hide(text)
      assert.strictEqual(shown.split("\n").length, text.split("\n").length, name)
      assert.strictEqual(hide(shown), shown, name)
      const start = around[0]!.slice(0, around[0]!.lastIndexOf(" ") + 1)
      if (text !== shown) assert.isTrue(shown.startsWith(start), `${name}: ${shown}`)
    }
  })

  it("leaves keys that are public, checksums, ids, code, placeholders and prose alone", () => {
    assert.isAbove(innocents.length, 400)
    for (const seed of seeds) {
      const next = random(seed)
      const hidden = innocents.map((template) => expand(template, next)).filter((text) => hide(text) !== text)
      // Chance makes a random id look like something else now and then.
      assert.isAtMost(hidden.length, 1, hidden.map((text) => `${text} -> ${hide(text)}`).join("\n"))
    }
  })

  it("says what it hid, and leaves the shape of the text", () => {
    const next = random(7)
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["GITHUB_TOKEN=«ghp_{a:36}»", "GITHUB_TOKEN=[redacted: GitHub token]"],
      [
        "{\"user\":\"anna\",\"password\":\"«Tiger!{d:4}»\"}",
        "{\"user\":\"anna\",\"password\":\"[redacted: password]\"}"
      ],
      ["postgres://app:«{a:12}»@db.acme.dev/x?y=1", "postgres://app:[redacted: password]@db.acme.dev/x?y=1"],
      ["<password>«Tiger!{d:4}»</password>", "<password>[redacted: password]</password>"],
      ["Cookie: theme=dark; session=«{l:32}»; a=b", "Cookie: theme=dark; session=[redacted: cookie]; a=b"],
      ["Authorization: Basic «{login:12}»", "Authorization: Basic [redacted: login]"]
    ]
    for (const [template, expected] of cases) {
      assert.strictEqual(hide(expand(template, next).replaceAll(/[«»]/g, "")), expected)
    }
    assert.match(hide("x=[redacted: GitHub token]"), tagPattern)
  })

  it("hides a private key line by line, also one that is numbered, cut off, or without its beginning", () => {
    const body = expand("{pem}", random(3)).split("\n")
    const key = ["-----BEGIN RSA PRIVATE KEY-----", ...body, "-----END RSA PRIVATE KEY-----"]
    const hidden = (kept: ReadonlyArray<string>, mark: (line: string, at: number) => string = (line) => line) => {
      const shown = hide(kept.map(mark).join("\n")).split("\n")
      assert.strictEqual(shown.length, kept.length)
      kept.forEach((line, at) =>
        assert.strictEqual(shown[at], mark(body.includes(line) ? "[redacted: private key]" : line, at))
      )
    }
    hidden(["a", ...key, "b"])
    hidden(["a", ...key, "b"], (line, at) => `${at + 1}: ${line}`)
    hidden(["a", ...key, "b"], (line) => `+    ${line}`)
    hidden(key.slice(0, 9))
    hidden(key.slice(6))
  })

  it("reads code that gets a secret from elsewhere as code", () => {
    for (
      const code of [
        "const token = process.env.TOKEN2_VALUE",
        "password: config.database.password1",
        "token = getToken(user1, \"a\")",
        "max_tokens: 100000000000",
        "secret: ${{ secrets.DEPLOY_KEY_1 }}",
        "tokenizer = Tokenizer2Implementation",
        "api_key = os.environ[\"API_KEY_1\"]"
      ]
    ) assert.strictEqual(hide(code), code)
    assert.strictEqual(hide("password: hunter2hunter2", { ...usual, sensitivity: 0.5 }), "password: hunter2hunter2")
  })

  it("hides long random words unless told not to, more of them at a higher sensitivity", () => {
    const token = "q7Zt2Xw9Lk4Vb8Nc1Md6Rf3Hg5Js0Yp"
    assert.strictEqual(hide(`x ${token} y`), "x [redacted: key] y")
    assert.strictEqual(hide(`x ${token} y`, { ...usual, highEntropyTokens: false }), `x ${token} y`)
    assert.strictEqual(hide(`x ${token} y`, { ...usual, sensitivity: 0 }), `x ${token} y`)
    const lesser = "q7Zt2Xw9Lk4Vb8Nc1Mq7Zt2X"
    assert.strictEqual(hide(lesser), lesser)
    assert.strictEqual(hide(lesser, { ...usual, sensitivity: 1 }), "[redacted: key]")
  })

  it("keeps a secret whole however output is cut into reads", () => {
    const body = sample("{pem}", 4).text
    const outputs = [
      ...tokens.map(([, token], at) => sample(`Using «${token}» now`, 90_000 + at)),
      ...tokens.map(([, token], at) => sample(`export SERVICE_TOKEN=«${token}»`, 91_000 + at)),
      sample("DB_PASSWORD=«{words}»", 1),
      sample("\"password\": \"«{words}»\",", 2),
      {
        text: `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`,
        secrets: body.split("\n").filter((line) => line.length === 64)
      }
    ].filter(({ secrets, text }) => !secrets.some((secret) => isLeftIn(hide(text), secret)))
    assert.isAbove(outputs.length, 350)
    const leaked = outputs.filter(({ secrets, text }) => {
      const output = `a line\n${text}\nanother\n`
      for (let cut = 1; cut < output.length; cut += text.length > 300 ? 13 : 3) {
        const end = unfinishedAt(output.slice(0, cut))
        const shown = hide(output.slice(0, end)) + hide(output.slice(end))
        if (secrets.some((secret) => isLeftIn(shown, secret))) return true
      }
      return false
    })
    assert.isAtMost(leaked.length / outputs.length, 0.01, leaked.map(({ text }) => text.slice(0, 60)).join("\n"))
    assert.strictEqual(unfinishedAt("Password:"), 9)
    assert.strictEqual(unfinishedAt("Password: "), 10)
    assert.strictEqual(unfinishedAt("Continue? [y/N] "), 16)
    assert.strictEqual(unfinishedAt("done\nTOKEN=ab"), 5)
    assert.strictEqual(unfinishedAt("a\n-----BEGIN PRIVATE KEY-----\nMIIE"), 2)
  })

  it("is off when it is switched off", () => {
    const text = expand("ghp_{a:36}", random(1))
    assert.deepStrictEqual(whole(text, { ...usual, enabled: false }), { text, found: 0 })
  })

  it("uses every rule of the preset or says why not", () => {
    assert.deepStrictEqual(unknown, [])
    const vercel = expand("vcp_{a:24}", random(2))
    assert.strictEqual(redact(vercel, { ...usual, highEntropyTokens: false }).found, 0)
    assert.strictEqual(hide(vercel, { ...usual, highEntropyTokens: false }), "[redacted: Vercel token]")
    // A comment in a result turns nothing off.
    const disabled = `/* secretlint-disable */ ${vercel}`
    assert.strictEqual(hide(disabled), "/* secretlint-disable */ [redacted: Vercel token]")
  })

  it.prop("text in any order of pieces keeps its lines and whole characters, and is done after one pass", {
    pieces: Arbitrary.array(
      either(
        oneOf(
          "password=",
          "token: \"",
          "-----BEGIN PRIVATE KEY-----\n",
          "://a:",
          "@",
          "\\\"",
          "Cookie: ",
          "ghp_",
          "eyJ",
          "😀"
        ),
        filledLine,
        Arbitrary.map(integer, (seed) => sample(lines[Math.abs(seed) % lines.length]![1], seed).text)
      ),
      { maxLength: 12 }
    )
  }, ({ pieces }) => {
    const text = pieces.join("")
    const shown = hide(text)
    assert.isTrue(shown.isWellFormed())
    assert.strictEqual(shown.split("\n").length, text.split("\n").length)
    assert.strictEqual(hide(shown), shown)
  }, { arbitrary: { runs: 500 } })

  it("takes time that grows with the length of hostile text alone", () => {
    const time = (text: string) => {
      const { user } = process.cpuUsage()
      hide(text)
      return (process.cpuUsage().user - user) / 1000
    }
    const pieces = [
      ...[
        "eyJ",
        "eyJaaaaaaaaa.",
        "sk-",
        "ghp_",
        "ghs_1_",
        "npm_",
        "hvs.",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN "
      ],
      ...[
        "-----BEGIN PRIVATE KEY-----\n",
        "-----END PRIVATE KEY-----",
        "password",
        "password=",
        "password: ",
        "password=\""
      ],
      ...[
        "a_",
        "token:'",
        "postgres://",
        "postgres://a:",
        "://a:b",
        "api_key=",
        "AKIA",
        "A1b",
        "a/",
        "xoxb-",
        "curl -u a:"
      ],
      ...[
        "login a ",
        "cookie: a=b;",
        "basic ",
        "bearer ",
        "1234567890:AA",
        "0123456789abcdef-us1",
        "8Q~",
        "+ASt",
        "*:*:a:"
      ],
      ...[
        "secret: \"\\\"",
        "\\\"password\\\":\\\"",
        "--token ",
        "mysql a ",
        "docker login a ",
        "{\"d\":\"",
        "\"auth\":\"",
        "😀"
      ],
      ...[
        "A".repeat(64) + "\n",
        `-----END RSA PRIVATE KEY-----\n${"A".repeat(60)}\n`,
        "Private-Lines: 1\n",
        "mnemonic: abc "
      ]
    ]
    for (const piece of pieces) {
      const text = piece.repeat(Math.ceil(1_000_000 / piece.length))
      // A square of the length would be 100 s and more.
      assert.isBelow(time(text), 2000, JSON.stringify(piece))
    }
  })

  it("finds next to nothing in the sources of this repository and of its packages", () => {
    const root = join(import.meta.dirname, "../..")
    let files = 0
    const flagged: Array<string> = []
    const visit = (folder: string, limit: number) => {
      for (const name of readdirSync(folder).sort()) {
        const path = join(folder, name)
        const stat = statSync(path)
        if (stat.isDirectory()) visit(path, limit)
        else if (
          files < limit && /\.(?:[cm]?[jt]sx?|json|md|ya?ml|toml|css|html|map)$/.test(name) && stat.size < 1_000_000
        ) {
          files++
          const text = readFileSync(path, "utf8")
          const { found } = whole(text, usual)
          if (found > 0) flagged.push(`${path}: ${found}`)
        }
      }
    }
    // Made-up keys in the tests of this repository are found, as they should be.
    visit(join(root, "src"), Infinity)
    visit(join(root, "docs"), Infinity)
    for (const name of ["@types", "effect", "htmlparser2", "vitest", "zod"]) {
      visit(join(root, "node_modules", name), files + 2500)
    }
    assert.isAbove(files, 3000)
    assert.isAtMost(flagged.length / files, 0.001, flagged.join("\n"))
  })
})
