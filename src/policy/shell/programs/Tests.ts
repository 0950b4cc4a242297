import type { Command } from "../Command.ts"
import type { Rule } from "../danger/Rules.ts"
import { indexed, matches, rules } from "../danger/Rules.ts"

/** Commands whose purpose is to build or test, and which write only what they produce (policy §4.2). */
const scripts =
  "test,tests,test:*,test-*,lint,lint:*,typecheck,type-check,types,tsc,check,check:*,check-*,build,build:*,compile," +
  "format:check,fmt:check,prettier:check,coverage,unit,e2e,verify,vitest,jest,ci:test"

const table: ReadonlyMap<string, ReadonlyArray<Rule>> = indexed(
  rules(
    "",
    `
  npm,pnpm,yarn,bun test,t,tst unless -u --update --updateSnapshot --fix
  npm,pnpm,yarn,bun run,run-script ${scripts} unless --fix --write -u --update --updateSnapshot
  pnpm,yarn,bun ${scripts} unless --fix --write -u --update --updateSnapshot
  vitest,jest,mocha,ava,tap,c8,nyc,jasmine,karma unless -u --update --updateSnapshot --update-snapshots --ui
    --coverage.reportsDirectory
  tsc,vue-tsc,svelte-check,tsgo unless --outDir --init
  eslint,stylelint,xo,standard,oxlint unless --fix --fix-dry-run --init -o --output-file
  prettier    with --check -c --list-different -l unless --write -w
  biome       check,lint,ci,format unless --write --apply --fix --apply-unsafe
  playwright  test unless -u --update-snapshots --ui
  cypress     run
  node        with --test
  deno        test,check,lint unless --fix
  python      with -m=pytest -m=unittest -m=mypy -m=ruff -m=doctest -m=tox -m=nox -m=compileall
  pytest,py.test,tox,nox,mypy,pyright,flake8,pylint,bandit unless --snapshot-update --basetemp
  ruff        check unless --fix --fix-only --unsafe-fixes
  black,isort with --check --check-only --diff
  go          test,vet,build unless -o -exec -toolexec -cpuprofile -memprofile -coverprofile
  golangci-lint run unless --fix
  staticcheck,govulncheck
  gofmt       with -l -d unless -w
  cargo       test,check,clippy,build,nextest,doc unless --fix --config --target-dir
  cargo       fmt with --check
  mvn,mvnw    test,verify,compile,package,test-compile
  gradle,gradlew test,check,build,assemble,compileJava,compileKotlin,lint
  make,gmake  test,tests,check,lint,build,all,typecheck,compile,test-*
  just,task   test,check,lint,build,typecheck
  ninja       test,all
  cmake       with --build
  ctest unless --output-junit
  meson       test,compile
  dotnet      test,build unless -o --output
  swift       test,build
  bazel,bazelisk test,build
  phpunit,pest,phpstan,psalm,phpcs,rspec,minitest unless --update-snapshots
  rubocop     unless -a -A --autocorrect --auto-correct --autocorrect-all
  rake,rails  test,spec,lint
  mix         test,compile,credo,dialyzer
  mix         format with --check-formatted
  zig         build,test
  shellcheck,hadolint,yamllint,markdownlint,actionlint,tflint unless --fix
  terraform   validate
  terraform   fmt with -check
  nx,turbo    test,lint,build,typecheck
  nx,turbo    run test,lint,build,typecheck
  dart,flutter test,analyze
  sbt         test,compile
  lein        test
  stack,cabal test,build
  `
  )
)

export const isTest = (command: Command): boolean => {
  const name = command.fields.name?.guess ?? ""
  if (name.includes("/") && !/^(\.\/)?(node_modules\/\.bin\/[\w-]+|gradlew|mvnw)$/.test(name)) return false
  return (table.get(command.program) ?? []).some((rule) => matches(rule, command))
}

/** A package runner is what it runs, which follows in the list; its own options must not fetch or evaluate anything. */
export const runsTest = (command: Command, all: ReadonlyArray<Command>): boolean => {
  const { line, program } = command
  const runs = /^(npx|bunx|pnpx)$/.test(program) ||
    (/^(pnpm|yarn|npm|bundle)$/.test(program) && line.verb() === "exec") ||
    (/^(uv|poetry|pipenv|pdm|hatch)$/.test(program) && line.verb() === "run")
  const next = all[all.indexOf(command) + 1]
  return (
    runs && next !== undefined && isTest(next) && !command.args.some((arg) => /^[\w-]+@/.test(arg.guess)) &&
    !line.has("-p", "--package", "-c", "--call", "--with", "-y", "--yes")
  )
}
