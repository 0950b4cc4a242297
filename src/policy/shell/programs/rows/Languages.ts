/** Interpreters and compilers. `../Table.ts` says how a row is read. */
export const languages = String.raw`
deno = values -c --config --import-map --lock -L --cert; tests test,check,lint unless --fix; language node no-input
  code-operand eval; remote-code run,eval,install,test; version; publish-deploy publish,deploy unless --dry-run
  check own-script; tasks task; is open
  exact test,check,lint,fmt
  may-start run fetches
elixir iex = values -e --eval -r -S; language elixir -e --eval no-input
erl = values -eval -s -run; language elixir -eval no-input
  is single-dash
expect = values -c -f; language tcl -c; is open
gcc cc g++ clang clang++ c89 c99 =
  @gcc,cc,g++,clang,clang++ values -o -x -include -isystem -idirafter -T -u -z -I -L -D -U -l -arch -framework -wrapper?
    -B?; @gcc,cc,g++,clang files none; @gcc,cc,g++,clang outputs -o --outdir --outfile; @gcc,clang version short
  @gcc,cc,g++,clang,c89,c99 option-exec with -wrapper -fplugin=* -B=/tmp* -specs=/tmp*; @gcc,clang is versioned
go = globals -C
  values -C -o -tags -run -count -timeout -ldflags -gcflags -mod -p -bench -coverprofile -exec -toolexec -overlay
  files none; outputs -o --outdir --outfile; network get | mod,install operand *@* download tidy
  tests test,vet,build unless -o -exec -toolexec -cpuprofile -memprofile -coverprofile; version short verb
  project repository; next-runs run generate env tool
  option-exec build,test,run,vet,install with -toolexec -exec -vettool; commands 1 | mod,work,telemetry 2
  unoffered install,get | mod download,tidy
  reads list -m -f= -json? -deps -e -test -find unlike *@* | env -json -changed unlike *=* | doc -all -c -cmd -short -src -u
    unlike *@*
  is names-words relied single-dash
guile = values -c -s -L -l; language lisp -c
java = version short; reads -version -showversion operands 0
  option-exec with -agentpath:* -agentlib:* -javaagent:* -XX:OnOutOfMemoryError=* -XX:OnError=*
  is open runs-file single-dash
javac = version short; is single-dash
jshell = language groovy
julia = values -e -E --eval --print -L --load; language julia -e -E --eval --print
ld = values -o -T -L -l -e -m; files none; outputs -o --outdir --outfile
lua luajit = values -e -l; language lua -e data -v; is open; @lua is versioned
mono wine installer msiexec = is runs-file
  @wine,installer is ordinary
node nodejs tsx ts-node =
  values -e --eval -p --print -pe -r --require --import --loader --experimental-loader -C --conditions --env-file
    --input-type; @node,nodejs tests with --test
  language node -e --eval -p --print -pe data --test -v --version --check -c; @node,nodejs version short
  @node,nodejs,tsx option-exec with --require=/tmp* -r=/tmp* --import=/tmp* --import=http* --loader=http*
    --import=data:* --require=data:* --loader=data:*; check own-script
  @node,nodejs is fetches-in-code reader relied versioned; @node,nodejs is open
  alike node=nodejs
nuget dotnet = network restore,push,add; @dotnet tests test,build unless -o --output; @dotnet version short; @dotnet reads --list-sdks --list-runtimes --info operands 0
  @dotnet project global.json; @dotnet next-runs exec run script; publish-deploy nuget,push,delete push,delete
  @nuget publish-deploy push,delete; @dotnet is runs-file
  @dotnet commands 1 | add,remove,list,nuget,tool,workload,sln,solution,new,dev-certs,user-secrets,package,reference,
    store 2 | ef 3 | sln * 3
  @dotnet unoffered restore,watch,tool,workload,add,new,nuget,package,fsi,msbuild,ef
osascript = values -e -l; language osascript -e; persistence operand *login*item*; is open
perl raku = @perl values -e -E -M -m -I -F? -i? -l? -0? -x? -D? -C? -V?; @raku values -e -M -I; @perl files filter
  @perl in-place -i; @perl language perl -e -E data -v --version -n -p; @raku language other -e; @perl hook -Mlocal::lib; @perl version short
  @perl option-exec with -d -V:*; @perl check edits-in-place
  @perl is fed-shell fetches-in-code open reader searcher socket-shell teller versioned
php artisan sail = @php values -r -B -R -E -d -c -f -F -z -S -t --execute; @php language php -r -B -R -E --execute data -v -S -l -m -i
  @php version short
  @php,artisan database ** migrate:fresh,migrate:reset,migrate:refresh,db:wipe,migrate:rollback,doctrine:database:drop,
    doctrine:schema:drop,cache:clear-db
  @artisan,sail database ** migrate:fresh,migrate:reset,migrate:refresh,db:wipe
  @php is fetches-in-code open reader versioned
  @artisan,sail values --execute; @artisan,sail code php --execute; code-input tinker
  @sail is ordinary
python ipython pypy = @python values -c -m -W -X --check-hash-based-pycs; @pypy values -c -m -W -X
  @ipython values -c -m; @ipython language other -c; @python network install,download with -m=pip
  @python tests with -m=pytest -m=unittest -m=mypy -m=ruff -m=doctest -m=tox -m=nox -m=compileall
  @python,pypy language python -c data -m -V --version; @python version
  @python publish-deploy setup.py ** upload,register | upload with -m=twine
  @python database *manage.py flush,reset_db,reset_schema,drop_test_database | *manage.py migrate * zero
  @python option-exec with -i=/tmp*
  @python is fed-shell fetches-in-code reader relied socket-shell teller; is open; @python,pypy is versioned
  @python code-input shell shell_plus
  @python alike python=python3; @python,pypy runs-as -m
R = values -e -f --file -g --gui; language r -e data --version
Rscript = values -e; language r -e no-input; is open
ruby jruby irb = @ruby values -e -r -I -E -C -F? -i? -0? -x? -T? -W? -K?; @ruby files filter; @ruby in-place -i
  language ruby -e data -v --version -n -p; @ruby version short
  @ruby is fetches-in-code reader socket-shell teller versioned; @ruby,irb is open
rustc = values -o --out-dir --crate-name --crate-type --edition -C -L -l --emit --target; files none
  outputs -o --outdir --outfile; version short; project rust-toolchain.toml rust-toolchain
sbcl = values --eval --load; language lisp --eval
scala groovy = values -e; language groovy -e no-input
swift = values -e --scratch-path --build-path --package-path -c
  empties --scratch-path --build-path of package clean,reset; tests test,build; language swift -e no-input; version
  publish-deploy del,delete,deletefile,rm,rb,sync,purge,mv,move,put,copy,copyto,moveto,mirror,rmdir,rmdirs,cleanup,
    remove,upload,setacl,dedupe,bisync,modify,fixbucket,delete-*,upload-*,post unless --dry-run -n
  commands 1 | package 2; unoffered run,repl | package plugin
  is ordinary
tclsh = values -encoding; language tcl; is open versioned
emacsclient = values -e --eval; language lisp -e --eval no-input
racket ghc bb scala-cli ecl octave-cli nim crystal matlab swipl gprolog = values -e --eval -eval -batch -r -g
  language other -e --eval -eval -batch -r -g no-input; @crystal code-operand eval; @matlab,ecl is single-dash
`
