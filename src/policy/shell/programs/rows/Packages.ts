const installing = "install,update,upgrade,add,fetch,search,refresh,full-upgrade,dist-upgrade,tap,-S,-Sy,-Syu"

/** Subcommands of npm and its kin that only begin a name. */
const npmGroups = "audit,cache,config,c,dist-tag,owner,org,team,token,profile,pkg,access,hook,trust"

/** They run scripts of what they install. */
const npmInstalling =
  "install,i,in,ins,inst,insta,instal,isnt,isntall,add,ci,clean-install,ic,install-clean,update,up," +
  "upgrade,udpate,it,install-test,cit,sit,rebuild,rb,link,ln,dedupe,import,approve-builds,fetch,create,init,dlx"

const scripts = "test,tests,test:*,test-*,lint,lint:*,typecheck,type-check,types,tsc,check,check:*," +
  "check-*,build,build:*,compile,format:check,fmt:check,prettier:check,coverage,unit,e2e,verify,vitest,jest,ci:test"

/** Package managers and version managers. `../Table.ts` says how a row is read. */
export const packages = String.raw`
apk = network ${installing}; packages del unless -s --simulate
  commands 1; unoffered ${installing}
apt apt-get aptitude = network ${installing}
  packages remove,purge,autoremove,autopurge unless -s --simulate --dry-run --just-print --no-act --recon
  @apt,apt-get option-exec with -o=*Invoke* -o=*::Post* -o=*Pager* -o=*Dpkg::Options* --option=*Invoke*
  @apt,apt-get is installs names-words; @apt is relied
  @apt,apt-get commands 1; @apt,apt-get unoffered ${installing},source,build-dep
asdf rbenv pyenv =
  starts exec; @asdf network install; @rbenv,pyenv hook ^(init|virtualenv-init); @asdf hook ^exec; next-runs exec
  @asdf chooses .tool-versions
brew = network ${installing}; hook ^shellenv; power-service services stop,restart,start,run,kill
  packages uninstall,remove,rm,autoremove,untap unless -n --dry-run; is installs names-words relied
  commands 1 | services,analytics,bundle,tap-info,formulae 2
  unoffered ${installing},reinstall,bundle,sh,irb,ruby,test,postinstall,exec
bundle = starts exec; network install,update,add,outdated unless --local; runs-tests exec; next-runs exec
  is names-words
  commands 1 | config,plugin,cache 2; unoffered install,update,add,exec,console,open,plugin
cargo = empties --target-dir of clean; globals --manifest-path -C --config -Z --color
  values --manifest-path --target-dir -p --package --features --target --bin --example --test --bench -j --jobs -C
    --config -Z --color --vers --version --index --registry --token | watch -x --exec -s --shell -w --watch -i -d
  medium {add,remove,install,clean,publish} *
  network install,fetch,update,publish,search,add,yank,login,owner unless --offline
  tests test,check,clippy,build,nextest,doc unless --fix --config --target-dir | fmt with --check; version short verb
  project .cargo/config.toml .cargo/config rust-toolchain.toml rust-toolchain; next-runs install run
  publish-deploy publish,yank,owner unless --dry-run -n --list | release,workspaces with -x --execute
  option-exec with --config=*runner* --config=*wrapper* --config=*linker*
  commands 1 | nextest,llvm-cov,miri,hack,make,component,workspaces,fuzz,leptos,tauri,sqlx 2
  unoffered install,binstall,watch,make; script -s --shell of watch
  reads metadata,tree -qv -e= -i= -d -p= -F= --offline --locked --frozen --format-version= --no-deps --all-features
    --no-default-features --features= --edges= --invert= --depth=number --duplicates --package= --workspace --prefix=
    --charset= --target= needs --offline --frozen | locate-project -q --message-format= --workspace
  is names-words relied
  verbs build=b | check=c | test=t | run=r | doc=d | remove=rm; aliases --config CARGO_ALIAS_*
choco scoop winget = packages uninstall; @choco publish-deploy push
composer = network install,update,require,create-project; publish-deploy publish; is installs
  commands 1 | run,run-script,config 2; unoffered install,update,require,remove,create-project,global,exec,reinstall
  starts exec; tasks run run-script
conda mamba micromamba = starts run values -n --name -p --prefix; @conda,mamba network install,create,update,search
  @conda hook ^shell\.; @mamba,micromamba hook ^shell; @conda next-runs run
  @conda,mamba packages env remove | remove with --all; @conda,mamba is names-words
  @conda commands 1 | env,config,doctor 2
  @conda unoffered install,create,update,upgrade,remove,uninstall | env create,update
  @conda publish-deploy upload
corepack = starts; next-runs npm pnpm yarn
dircolors lesspipe lesspipe.sh resize getopt register-python-argcomplete = hook ^
  @resize is ordinary
dnf yum microdnf tdnf zypper = @dnf,yum,zypper network ${installing}
  packages remove,erase,autoremove,rm,swap,downgrade unless --assumeno -D --dry-run
  @dnf,yum option-exec with --setopt=*plugin* -c --config; @dnf,yum is installs names-words
  @dnf,yum commands 1 | history,module,config-manager,group,groups,repository-packages 2
  @dnf,yum unoffered ${installing},reinstall,localinstall,builddep
docker-machine = hook ^env
dpkg = packages with -r -P --remove --purge --force-all --force-remove-essential --force-depends
  option-exec with --pre-invoke --post-invoke --status-logger | with -i --install -U -F --upgrade; is runs-file
dpkg-divert update-alternatives = packages with --remove --remove-all --rename --set --install
emerge = packages with -C --unmerge -c --depclean --prune unless -p --pretend
flatpak = network ${installing}; packages uninstall,remove
fnm = starts exec values --using; network install; hook ^env; next-runs exec
fzf = hook ^--(bash|zsh)
gem = reads list,query -adlqi -v=text --local --all --details --quiet --no-verbose --no-versions --versions --exact | which -a --all |
    contents -l --lib-only --prefix --no-prefix -v=text --version=text | environment,env operands 1
  network install,update,push,search; version short; tamper sources with -a --add -r --remove
  publish-deploy push,yank,owner; is installs names-words
  commands 1 | sources,cert,signin 2; unoffered ${installing},exec,pristine,build
guix opkg = packages remove
  @guix may-start shell dashes | environment dashes
keychain = hook ^--eval
  is ordinary
mise = starts exec dashes | x dashes; network install; hook ^(activate|env|hook-env); next-runs exec x
  chooses mise.toml .mise.toml mise.local.toml .mise.local.toml .config/mise.toml .config/mise/config.toml
    mise/config.toml .mise/config.toml
nix =
  starts develop dashes begins --args -c --command | shell dashes begins --args -c --command | run dashes begins --args
    -c --command; hook ^print-dev-env; next-runs run shell develop; packages profile remove,wipe-history
nix-collect-garbage = packages with -d --delete-old --delete-older-than
nix-env = packages with -e --uninstall
nodenv goenv jenv tfenv plenv phpenv swiftenv starship zoxide atuin mcfly = hook ^(init|virtualenv-init)
npm pnpm yarn bun =
  @npm globals --prefix -w --workspace --registry --userconfig --loglevel; @pnpm globals -C --dir --filter -F --prefix
  @yarn globals --cwd; @bun values -e --eval -p --print -r --preload --cwd --env-file
  @npm values --prefix -w --workspace --registry --script-shell --userconfig --loglevel --tag --otp --access --cache
    --omit --include | exec -c --call -p --package
  @pnpm values -C --dir --filter -F --prefix --registry -w? --reporter | dlx --package; @yarn values --cwd --registry
  @npm same -g=--global -f=--force -D=--save-dev -w=--workspace; @pnpm,yarn starts exec
  @pnpm starts dlx values --package; @yarn starts workspace * exec | dlx values -p --package
  @npm starts exec values -p --package -w --workspace --prefix | x values -p --package -w --workspace --prefix
  @npm script -c --call of exec,x; @npm,pnpm,yarn medium {install,add,remove,uninstall,update,publish} *
  network
    install,i,ci,add,update,up,upgrade,publish,view,info,audit,outdated,login,search,dlx,create,exec-remote,unpublish,whoami,dedupe
    unless --offline
  @yarn network bare
  tests test,t,tst unless -u --update --updateSnapshot --fix | run,run-script ${scripts} unless --fix --write -u
    --update --updateSnapshot
  @pnpm,yarn,bun tests ${scripts} unless --fix --write -u --update --updateSnapshot; @npm,pnpm,yarn runs-tests exec
  @bun language node -e --eval -p --print; @npm version short verb; @bun version short
  @npm next-runs exec x init create pkg config set explore; @pnpm next-runs exec dlx create config
  @yarn next-runs exec dlx create node workspace workspaces config; @bun next-runs x exec create
  @npm,pnpm,yarn tamper config,c set operand script-shell* registry* ignore-scripts* strict-ssl* cafile* proxy*
    https-proxy* node-options* shell* _auth* //* init-module* git* editor* viewer* npmRegistryServer* enableStrictSsl*
  @npm,pnpm tamper set operand script-shell* registry* ignore-scripts* strict-ssl* cafile* proxy* https-proxy*
    node-options* //*
  tamper with --script-shell; publish-deploy publish unless --dry-run -n --dryRun
  @npm,pnpm,yarn publish-deploy unpublish,deprecate,owner,access,token,team,hook,org unless ls list get
  @npm,pnpm publish-deploy dist-tag add,rm,remove,set
  @yarn publish-deploy npm,tag publish,add,remove,logout,tag unless --dry-run -n; @npm credentials token list,create
  @npm,pnpm credentials config,c get operand *_auth* *Token* *password*
  @bun option-exec with --require=/tmp* -r=/tmp* --import=/tmp* --import=http* --loader=http* --import=data:*
    --require=data:* --loader=data:*
  @npm,pnpm,yarn option-exec with --script-shell --node-options --unsafe-perm; @bun check own-script
  @npm commands 1 | run,run-script,rum,urn 2 | ${npmGroups} 2
  @pnpm commands 1 | run,run-script 2 | ${npmGroups},store,env,server,patch 2
  @yarn commands 1 | run 2 | ${npmGroups},workspaces,npm,plugin,set,policies,global,licenses 2 | workspaces foreach 3
  @bun commands 1 | run,pm 2; unoffered ${npmInstalling}; @yarn unoffered workspaces,global,plugin,set
  @bun unoffered repl,build
  @pnpm may-start run values -C --dir --filter -F --prefix | values -C --dir --filter -F --prefix --registry except
    add install i update up upgrade remove rm uninstall un link ln unlink import rebuild rb prune fetch patch audit
    outdated list ls ll why licenses run run-script start test t exec dlx create init publish pack store root bin
    config c env setup deploy self-update server doctor approve-builds view info login logout help completion
  @yarn may-start run | workspaces foreach exec values --from --include --exclude -j --jobs | workspaces foreach run
    values --from --include --exclude -j --jobs | workspace * run | workspace * except exec | values --cwd --registry
    except add install init run remove up upgrade upgrade-interactive why workspace workspaces dlx exec pack npm
    publish cache config constraints dedupe explain info link unlink plugin rebuild search set stage unplug version
    versions patch patch-commit create global audit outdated list login logout owner tag team policies import licenses
    check autoclean bin help
  @bun may-start x | run | except add a install i remove rm update link unlink pm build init create c test publish
    patch outdated audit repl upgrade info why
  @npm may-start explore *; @npm tasks run run-script; @pnpm,yarn,bun tasks run bare
  @npm reads ls,list,ll,la -agl -p --all --depth=number --json --long --prod --production --dev
    --omit=dev,optional,peer --parseable --global --workspaces --link | root,prefix -g --global | explain,why --json |
    pkg get --json | query --global --workspaces --json | config,c get,list,ls -g --json --long unlike *auth* *oken* *assword*
    *secret*
  @npm project .npmrc; is installs names-words; @npm is relied
  @npm alike npm=npm-cli.js; @yarn alike yarn=yarnpkg=yarn.js; @pnpm alike pnpm=pnpm.cjs
  @npm verbs install=i=in=ins=inst=insta=instal=isnt=add | uninstall=remove=rm=un=unlink=r | test=t=tst |
    run=run-script=rum=urn | exec=x | ci=clean-install=ic | update=up=upgrade=udpate; is negates
npx bunx pnpx = @npx,bunx values -c --call -p --package -w --workspace --prefix
  @npx starts values -p --package -w --workspace --prefix fetches; @bunx,pnpx starts fetches; @npx script -c --call
  @bunx,pnpx network; runs-tests
  @npx publish-deploy operand *semantic-release,np,release-it,*changeset-publish unless --dry-run
  @npx is names-words relied; @npx,bunx is open
  option-exec operand http://* https://*
  @npx alike npx=npx-cli.js; @bunx means bun x; @pnpx means pnpm dlx
nvm = starts exec skip 1 | run skip 1; network install; next-runs exec run
opam = starts exec dashes; hook ^(config )?env
pacman yay paru pamac = @pacman network ${installing}; packages with -R --remove unless -p --print
  @pacman packages with -Rns -Rs -Rsc -Rdd -Rn
pip pipx =
  values -r --requirement -c --constraint -e --editable -i --index-url --extra-index-url -f --find-links --trusted-host
    -t --target --prefix --root --python --proxy; network install,download,search,index unless --no-index
  @pip version short; @pip reads list -elqv --local --user --editable --exclude-editable --include-editable --format=columns,freeze,json
    --not-required --exclude=text --pre --quiet --verbose --no-color --disable-pip-version-check --path=file | show -fqv --files
    --verbose --quiet --no-color --disable-pip-version-check
  @pip tamper config set | install,download with --trusted-host --index-url=http:* -i=http:* --extra-index-url=*
  @pip option-exec install,download with --index-url=http:* -i=http:* --trusted-host --config-settings
  is installs names-words; @pip is relied versioned; @pipx is open
  @pip commands 1 | config,cache,index 2; @pip unoffered install,download,wheel,lock
  @pip alike pip=pip3
pkg = packages delete,remove,autoremove
poetry pdm rye hatch pipenv = @poetry values -C --directory -P --project; starts run
  @poetry,pdm,rye,hatch network install,add,update,lock,publish,self; @pipenv network install,sync,update,lock
  @poetry,pdm,hatch,pipenv runs-tests run; @poetry hook ^env activate; @poetry,pdm,rye next-runs run
  @pipenv next-runs run shell; @hatch next-runs run env
  @poetry,pdm,rye,hatch publish-deploy publish unless --dry-run; @poetry is installs names-words
  commands 1 | env,cache,config,self,source,python,cache,version,dep 2
  unoffered install,add,update,lock,build,sync,self,remove,run,upgrade,venv,shell,plugin,python
port = network ${installing}; packages uninstall
  is ordinary
rpm = packages with -e --erase; option-exec with -i --install -U -F --upgrade | with -E --eval; is installs runs-file
rtx vfox proto = hook ^activate
  @proto is ordinary
rustup = starts run skip 1; network update,install,toolchain,target; packages self uninstall
  commands 2 | show,check,which,doc 1; unoffered run,update,install,override | toolchain install,link
sheldon = hook ^source
snap = network ${installing}; packages remove,revert,disable
  is ordinary
thefuck = hook ^--alias
tset = hook ^-s
uv = empties operands 1 of venv with --clear
  values --directory --project --python -p --with -r --requirement --index-url --extra-index-url --default-index --index
  starts run values --with --python -p --project --directory --env-file --extra --group --package | tool run values
    --from --with --python -p
  network sync,add,lock,publish,tool unless --offline | pip install,sync; runs-tests run; next-runs run tool
  publish-deploy publish unless --dry-run; is installs names-words
  commands 1 | pip,tool,python,cache,self,auth 2
  unoffered sync,add,remove,lock,build,init,venv | pip install,sync,compile | tool install,run,upgrade | python install |
    self update
uvx = starts values --from --with --python -p fetches; is open
volta = starts run values --node --npm --yarn --pnpm; network install; next-runs run
xbps-remove pkgrm slackpkg removepkg swupd do-release-upgrade apt-key add-apt-repository apt-add-repository = packages
`
