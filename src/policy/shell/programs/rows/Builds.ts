/** Builds, tests and linters. `../Table.ts` says how a row is read. */
export const builds = String.raw`
bazel bazelisk = tests test,build
  commands 1 | query,cquery,aquery 1; unoffered run
biome = tests check,lint,ci,format unless --write --apply --fix --apply-unsafe
  commands 1
black isort = tests with --check --check-only --diff; @black is well-named
  @black is ordinary
cmake = tests with --build; version short; is as-given
ctest = tests unless --output-junit; is as-given
cypress = network install; tests run; is names-words
  commands 1 | cache 2; unoffered install
eslint stylelint xo standard oxlint = tests unless --fix --fix-dry-run --init -o --output-file; @eslint is well-named
gofmt = tests with -l -d unless -w
golangci-lint = tests run unless --fix
  commands 1 | cache,config 2
gradle gradlew = tests test,check,build,assemble,compileJava,compileKotlin,lint; @gradle version
  @gradle project gradle.properties
  publish-deploy publish,publish*,uploadArchives,closeAndRelease* unless --dry-run -m publishToMavenLocal
  @gradle is open
  exact
hadolint markdownlint actionlint tflint = tests unless --fix
just task = tests test,check,lint,build,typecheck; @just hook ^--completions; is names-words
  @just may-start begins --command -c; tasks all
  is ordinary
lein = tests test; publish-deploy deploy
make gmake = globals -C --directory -f --file
  values -C --directory -f --file -I -j? -l? -o -W --eval; input-script -f --file Makefile makefile
  tests test,tests,check,lint,build,all,typecheck,compile,test-*; version short
  tamper operand SHELL=* .SHELLFLAGS=*
  system-write install operand PREFIX=/usr* prefix=/usr* PREFIX=/opt* prefix=/opt* DESTDIR=/; option-exec with --eval -E
  is names-words open relied
  exact
  tasks all
  @make is ordinary
  alike make=gmake
meson = empties operands 1 of setup with --wipe; tests test,compile
mix = network deps.get,deps.update,hex.publish
  tests test,compile,credo,dialyzer | format with --check-formatted; publish-deploy hex.publish,hex.retire
  database ecto.drop,ecto.reset,ecto.rollback
  commands 1; unoffered do,run,archive.install,escript.install,deps.get,deps.update,deps.compile,cmd
  values -e --eval; code elixir -e --eval; code-operand eval; may-start cmd
  is ordinary
mvn mvnw = tests test,verify,compile,package,test-compile
  publish-deploy deploy,release:perform,release:prepare,nexus-staging:*,*:deploy unless -DdryRun=true
mypy flake8 = tests unless --snapshot-update --basetemp; is well-named
ninja = values -C -f -j -k -l -t -d; tests test,all
nx turbo = tests test,lint,build,typecheck | run test,lint,build,typecheck; @nx next-runs exec
  @nx publish-deploy publish unless --dry-run -n --dryRun; is names-words
  @nx may-start exec dashes; @turbo may-start exec; tasks run bare
pest phpstan psalm phpcs minitest = tests unless --update-snapshots
phpunit rspec = tests unless --update-snapshots; is well-named
playwright = values --output --project -g --grep --config -c --reporter --workers -j; empties --output of test
  network install; tests test unless -u --update-snapshots --ui; is names-words
  commands 1; unoffered install,codegen,open
prettier = tests with --check -c --list-different -l unless --write -w; is well-named
py.test pyright pylint bandit = tests unless --snapshot-update --basetemp; @py.test values --basetemp
  @py.test empties --basetemp; @py.test options-from PYTEST_ADDOPTS
pytest = values --basetemp -k -m -p -c -o -n -r --rootdir --junitxml --cov --cov-report --tb --maxfail --durations
  empties --basetemp; options-from PYTEST_ADDOPTS
  tests unless --snapshot-update --basetemp; is names-words well-named
rake rails = tests test,spec,lint; @rake publish-deploy release
  database *db:drop*,*db:reset*,*db:schema:load*,*db:truncate_all*,*db:purge*,*db:migrate:reset*,*db:structure:load*,
    *db:seed:replant*; @rake option-exec with -p -e -E; is names-words
  @rake tasks all; @rails code ruby; @rails code-operand runner r; @rails code-input console c
rubocop = tests unless -a -A --autocorrect --auto-correct --autocorrect-all
ruff = tests check unless --fix --fix-only --unsafe-fixes; is well-named
sbt = tests test,compile; publish-deploy publish,publishSigned,sonatype*
shellcheck = version; tests unless --fix; is well-named
stack cabal = tests test,build; publish-deploy upload
  starts exec
  @stack is ordinary
staticcheck govulncheck = tests
tox nox = tests unless --snapshot-update --basetemp; is names-words
  @tox may-start exec dashes
tsc = files none; outputs -o --outdir --outfile; tests unless --outDir --init; version short; is well-named
vitest jest mocha ava tap c8 nyc jasmine karma =
  @vitest values --coverage.reportsDirectory -t --testNamePattern -c --config -r --root --dir --project --reporter
  @vitest empties --coverage.reportsDirectory
  @jest values --cacheDirectory -t --testNamePattern -c --config --rootDir --coverageDirectory --testPathPattern
  @jest empties --cacheDirectory of with --clearCache
  @c8,nyc values -t --temp-dir --temp-directory -r --reporter --report-dir -o --reports-dir --cwd -n --include -x --exclude
  @c8,nyc empties -t --temp-dir --temp-directory
  @c8,nyc starts values -t --temp-dir --temp-directory -r --reporter --report-dir -o --reports-dir --cwd -n --include -x
    --exclude
  tests unless -u --update --updateSnapshot --update-snapshots --ui --coverage.reportsDirectory
  @vitest,jest,mocha is names-words well-named
vue-tsc svelte-check tsgo = tests unless --outDir --init
vite astro nuxt nuxi vitepress vuepress = values --outDir --out-dir -d --dest --base --config -c --mode -m --root
  empties --outDir --out-dir of build unless --emptyOutDir=false | -d --dest of build unless --emptyOutDir=false
tsup = values -d --out-dir --format --target; empties -d --out-dir of with --clean
hugo = values -d --destination -s --source; empties -d --destination of with --cleanDestinationDir
jekyll = values -d --destination -s --source; empties -d --destination
mkdocs = values -d --site-dir -f --config-file; empties -d --site-dir of build unless --dirty
typedoc = values --out --options --json
  empties --out of unless --cleanOutputDir=false --out=docs* --out=./docs* --out=doc --out=api*
storybook build-storybook sb = values -o --output-dir -c --config-dir; @storybook,sb empties -o --output-dir of build
  @build-storybook empties -o --output-dir
docusaurus = values --out-dir; empties --out-dir of build
babel = values -d --out-dir -o --out-file -s -x; empties -d --out-dir of with --delete-dir-on-start
sphinx-build = values -M -b -d -c -D -A; empties operands 1 of with -M=clean
buf = values -o --output --template --path; empties -o --output of generate with --clean
robocopy = fs-wipe operand /MIR /mir /PURGE /purge /MOVE /MOV
venv virtualenv = empties operands 0 of with --clear
xkbcomp esbuild = files none; outputs -o --outdir --outfile
yamllint = files read; outputs -o --output; tests unless --fix
zig = tests build,test
gulp grunt nps mage inv poe earthly doit fab2 = tasks all
rush rushx = @rushx tasks bare; may-start exec; is names-words
`
