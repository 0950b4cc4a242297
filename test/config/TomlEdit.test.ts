import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { edit, rename, set, unset } from "../../src/config/toml/TomlEdit.ts"
import type { Table } from "../../src/config/schema/KeyPath.ts"

const list = (change: (old: ReadonlyArray<unknown>) => ReadonlyArray<unknown>) => (root: Table) => {
  root["r"] = change(root["r"] as ReadonlyArray<unknown> ?? [])
}
const add = (...values: ReadonlyArray<unknown>) => list((old) => [...old, ...values])
const without = (value: unknown) => list((old) => old.filter((one) => one !== value))

describe("TomlEdit.edit", () => {
  const cases: ReadonlyArray<readonly [string, string, (root: Table) => void, string, string?]> = [
    [
      "keeps blanks before comments",
      "a = 1     # one\nr = [\"x\"]  # list\nlonger = 2 # two\n",
      add("y"),
      "a = 1     # one\nr = [\"x\", \"y\"]  # list\nlonger = 2 # two\n"
    ],
    [
      "keeps spellings of values",
      "h = 0xFF\nn = 1_000\nd = 1979-05-27T07:32:00Z\ns = 'lit'\nr = []\n",
      add("y"),
      "h = 0xFF\nn = 1_000\nd = 1979-05-27T07:32:00Z\ns = 'lit'\nr = [\"y\"]\n"
    ],
    ["keeps lists over several lines", "r = [\n  \"x\", # x\n]\n", add("y"), "r = [\n  \"x\", # x\n  \"y\",\n]\n"],
    [
      "keeps Windows line ends",
      "# c\r\nr = [\r\n  \"x\", # x\r\n]\r\n",
      add("y"),
      "# c\r\nr = [\r\n  \"x\", # x\r\n  \"y\",\r\n]\r\n"
    ],
    ["starts an empty file", "", add("y"), "r = [ \"y\" ]\n"],
    [
      "leaves out one value and what is said about it",
      "r = [\n  # about x\n  \"x\", # x\n  # about y\n  \"y\", # y\n]\n",
      without("x"),
      "r = [\n  # about y\n  \"y\", # y\n]\n",
      "x"
    ]
  ]
  for (const [name, before, change, after, removed] of cases) {
    it.effect(name, () => Effect.map(edit(before, change, removed), (edited) => assert.strictEqual(edited, after)))
  }

  it.effect("refuses to lose a comment about another key", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(edit("p = { q = 1, z = [\"x\"] } # all of it\n", (root) => {
        root["p"] = { q: 1, z: [] }
      }, "x"))
      assert.strictEqual(error.message, "line 1: the comment there would be lost; please change it by hand")
    }))

  it.effect("refuses a text that is not TOML", () =>
    Effect.map(Effect.flip(edit("r = [", add("y"))), ({ message }) => assert.match(message, /^not valid TOML: /)))
})

const file = `# Postern
log_level = "info" # lvl

# about main
[agents.main]            # the main one
model   = "offline/echo"   # trailing
# about risk
risk_profile = "default"

# ---- providers ----

# about local
[providers.local]
kind = "openai-compatible"
headers = { A = "b" } # hdr

[providers.local.prices]
input = 1

[acp] # protocol
max_sessions = 3
`

const sets: ReadonlyArray<readonly [string, string, string, unknown, string]> = [
  ["changes one value and nothing else", file, "acp.max_sessions", 10, file.replace("sessions = 3", "sessions = 10")],
  [
    "keeps the comment behind a value",
    file,
    "agents.main.model",
    "offline/x",
    file.replace("\"offline/echo\" ", "\"offline/x\"  ")
  ],
  ["adds a key to its table", file, "acp.unstable", true, `${file}unstable = true\n`],
  [
    "adds a table as a section of its own",
    file,
    "agents.two.model",
    "offline/x",
    `${file}\n[agents.two]\nmodel = "offline/x"\n`
  ],
  ["adds a table in a table", file, "agents.main.extra.a", 1, `${file}\n[agents.main.extra]\na = 1\n`],
  [
    "adds to a table in braces",
    file,
    "providers.local.headers.B",
    "c",
    file.replace("{ A = \"b\" }", "{ A = \"b\", B = \"c\" }")
  ],
  [
    "adds next to tables in braces",
    "agents = { a = { model = \"o/x\" } } # all\n",
    "agents.b.model",
    "o/y",
    "agents = { a = { model = \"o/x\" }, b = { model = \"o/y\" } } # all\n"
  ],
  ["starts an empty file", "", "agents.main", {}, "[agents.main]\n"],
  [
    "starts a file without a final line end",
    "log_level = \"info\"",
    "acp.max_sessions",
    3,
    "log_level = \"info\"\n\n[acp]\nmax_sessions = 3\n"
  ],
  [
    "writes nested values",
    "",
    "mcp.servers.x",
    { command: "c", args: ["a", "b"], env: { K: "v" } },
    "[mcp.servers.x]\ncommand = \"c\"\nargs = [ \"a\", \"b\" ]\n\n[mcp.servers.x.env]\nK = \"v\"\n"
  ],
  [
    "quotes what has to be quoted",
    "",
    "headers",
    { "a b": "say \"hi\"\n" },
    "[headers]\n\"a b\" = \"say \\\"hi\\\"\\n\"\n"
  ],
  ["replaces a list with what is said about its items", "a = [\n  \"x\", # about x\n  \"y\", # about y\n]\n", "a", [
    "y",
    "z"
  ], "a = [\n  \"y\", # about y\n  \"z\",\n]\n"]
]

describe("TomlEdit.set", () => {
  for (const [name, before, path, value, after] of sets) {
    it.effect(
      name,
      () => Effect.map(set(before, [{ path: path.split("."), value }]), (edited) => assert.strictEqual(edited, after))
    )
  }

  it.effect("sets several keys at once; the last value of a key wins", () =>
    Effect.map(
      set(file, [{ path: ["acp", "max_sessions"], value: 4 }, { path: ["agents", "b", "model"], value: "o/1" }, {
        path: ["acp", "max_sessions"],
        value: 5
      }, { path: ["agents", "b", "model"], value: "o/2" }]),
      (edited) =>
        assert.strictEqual(edited, `${file.replace("sessions = 3", "sessions = 5")}\n[agents.b]\nmodel = "o/2"\n`)
    ))
})

const main = file.slice(file.indexOf("# about main"), file.indexOf("# ---- providers"))
const local = file.slice(file.indexOf("# about local"), file.indexOf("[acp]"))

const unsets: ReadonlyArray<readonly [string, string, string, string | undefined]> = [
  ["takes one line out", file, "agents.main.model", file.replace(/model.*\n/, "")],
  [
    "takes the comments directly above with it",
    file,
    "agents.main.risk_profile",
    file.replace("# about risk\nrisk_profile = \"default\"\n", "")
  ],
  ["takes a table with what belongs to it, and no heading of others", file, "agents.main", file.replace(main, "")],
  ["takes the tables in a table", file, "providers.local", file.replace(local, "")],
  ["takes a key out of braces", file, "providers.local.headers.A", file.replace("{ A = \"b\" }", "{}         ")],
  [
    "leaves the header around the last key",
    "[acp] # protocol\nmax_sessions = 3\n",
    "acp.max_sessions",
    "[acp] # protocol\n"
  ],
  [
    "takes a value of several lines",
    "a = [\n  \"b = 1\",\n\n  \"c\" # x\n]\nd = \"\"\"\ne = 1\n\"\"\"\nf = 1\n",
    "a",
    "d = \"\"\"\ne = 1\n\"\"\"\nf = 1\n"
  ],
  ["knows what is not there", file, "agents.two", undefined]
]

describe("TomlEdit.unset", () => {
  for (const [name, before, path, after] of unsets) {
    it.effect(name, () => Effect.map(unset(before, path.split(".")), (edited) => assert.strictEqual(edited, after)))
  }
})

describe("TomlEdit.rename", () => {
  it.effect("keeps the values and comments of the table, and changes references to it", () =>
    Effect.map(
      rename(file, ["providers", "local"], "near", [{ path: ["agents", "main", "model"], value: "near/echo" }]),
      (edited) =>
        assert.strictEqual(
          edited,
          file.replaceAll("[providers.local", "[providers.near").replace("offline/echo\"   ", "near/echo\"    ")
        )
    ))
})
