import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { rename, set, unset } from "../../src/config/toml/TomlEdit.ts"

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

describe("Setting a key of a TOML file", () => {
  for (const [name, before, path, value, after] of sets) {
    it.effect(
      name,
      () => Effect.map(set(before, [{ path: path.split("."), value }]), (edited) => assert.strictEqual(edited, after))
    )
  }

  it.effect("takes many at once, the last one winning", () =>
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

describe("Deleting a key of a TOML file", () => {
  for (const [name, before, path, after] of unsets) {
    it.effect(name, () => Effect.map(unset(before, path.split(".")), (edited) => assert.strictEqual(edited, after)))
  }
})

describe("Renaming a table of a TOML file", () => {
  it.effect("keeps what is in it and said about it, and changes what refers to it", () =>
    Effect.map(
      rename(file, ["providers", "local"], "near", [{ path: ["agents", "main", "model"], value: "near/echo" }]),
      (edited) =>
        assert.strictEqual(
          edited,
          file.replaceAll("[providers.local", "[providers.near").replace("offline/echo\"   ", "near/echo\"    ")
        )
    ))
})
