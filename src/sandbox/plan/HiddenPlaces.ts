/**
 * Which places of a home folder and of the machine hold credentials, and which of a home folder tool chains need
 * (docs/sandbox.md#hidden-paths). Data only; `HiddenPaths` applies it. Paths are relative to the home folder, or to
 * `/`; `*` stands for any text without a slash, `#` for a hexadecimal digit.
 */

/** Entries are separated by commas or line breaks: names may contain spaces. */
const list = (text: string): ReadonlyArray<string> => text.split(/\s*[,\n]\s*/).filter((entry) => entry !== "")

/**
 * Credentials, keys, state of agents and histories by name, by what keeps them there. They are hidden wherever they
 * lie, also inside what tool chains need and inside a session's own folder.
 */
export const credentials: { readonly [kind: string]: ReadonlyArray<string> } = {
  "keys and logins": list(`
    .ssh, .gnupg, .netrc, _netrc, .authinfo, .authinfo.gpg, .pki, .local/share/pki, .putty, .config/putty, .x509, .globus
    .krb5, .k5login, .cert, .certs, .step, .local/share/mkcert, .acme.sh, .config/letsencrypt, .google_authenticator
    .config/Yubico, .yubico, .minisign, .signify, .cosign, .sigstore, .env, .secrets, .tokens, .vault_pass*, .wgetrc
    .curlrc, .config/curlrc, .gitcookies, .Xauthority, .ICEauthority, .config/environment.d, .local/share/kwalletd
    .local/share/keyrings, .kde*/share/apps/kwallet, .cache/keyring-*, .local/share/systemd
  `),
  "password managers and vaults": list(`
    .vault-token, .vault-token-helper, .config/op, .op, .config/Bitwarden*, .config/1Password, .1password, .config/rbw
    .local/share/rbw, .cache/rbw, .password-store, .local/share/password-store, .local/share/gopass, .config/gopass
    .cache/gopass, .config/age, .age, .config/sops, .config/mise/age.txt, .lpass, .local/share/lpass, .config/keepass*
    .cache/keepassxc, .keepass*, .doppler, .infisical*, .config/teller, .teller*, .chamber, .config/teleport, .tsh
    .config/boundary, .config/passff, .config/enpass*, .config/sinew.in, .config/KeeWeb, .dashlane, .config/nordpass
  `),
  "cloud credentials": list(`
    .aws, .boto, .s3cfg, .passwd-s3fs, .mc, .mcli, .config/gcloud, .gsutil, .azure, .Azure, .azd, .IdentityService
    .local/.IdentityService, .oci, .bluemix, .aliyun, .tccli, .config/doctl, .config/hcloud, .config/linode*, .linode*
    .config/scw, .config/exoscale, .config/upcloud*, .config/upctl*, .config/vultr*, .vultr*, .civo.json, .ovh.conf
    .config/openstack, .fly, .config/fly, .netlify, .config/netlify, .local/share/com.vercel.cli
    .config/com.vercel.cli, .vercel, .now, .config/.wrangler, .wrangler, .cloudflared, .cloudflare, .railway, .render
    .supabase, .config/configstore, .config/firebase, .config/heroku, .local/share/heroku, .pscale, .config/planetscale
    .config/neonctl, .config/turso, .turso, .config/stripe, .config/shopify*, .shopify*, .twilio-cli, .sentryclirc
    .databrickscfg, .databricks, .snowflake, .snowsql, .cache/snowflake, .config/snowflake, .dbt, .bigqueryrc
    .modal.toml, .kaggle, .config/kaggle, .huggingface, .cache/huggingface/token, .cache/huggingface/stored_tokens
    .cache/modelscope/credentials, .replicate, .config/replicate, .config/wandb, .wandb, .runpod, .lightning
    .config/vastai, .vast_api_key, .ngrok*, .config/ngrok, .pulumi, .terraform.d/credentials.tfrc.json, .terraformrc
    .config/infracost, .spacelift, .algolia, .config/akamai-cli, .akamai-cli, .edgerc, .config/fastly, .oclif, .expo
    .eas, .appcenter, .datadog*, .newrelic, .config/newrelic, .pagerduty*, .config/rclone, .rclone.conf, .config/s3cmd
    .elasticbeanstalk, .serverlessrc, .serverless, .saml2aws, .aws-vault, .awsvault, .okta, .okta_aws_login_config
    .config/leapp, .Leapp, .steampipe/config, .config/granted, .granted, .ecs, .ibmcloud, .config/yandex-cloud
    .qcloud*, .hwcloud*, .config/clever-cloud, .scalingo*, .config/scalingo, .config/platformsh, .platformsh, .acquia
    .config/pulumi, .config/humctl, .humanitec, .qovery, .config/koyeb*, .koyeb.yaml, .northflank, .zeit, .deta, .surge
  `),
  "logins of package registries": list(`
    .npmrc, .npm/_logs, .config/npm, .config/pnpm, .yarnrc, .yarnrc.yml, .bunfig.toml, .config/.bunfig.toml, .jsr
    .deno/deployctl, .deno/credentials.json, .cache/deno/location_data, .pypirc, .config/pypoetry/auth.toml, .continuum
    .local/share/uv/credentials, .config/binstar, .mamba/auth, .rattler, .config/rattler, .anaconda, .gem/credentials
    .gem/gem-*key.pem, .local/share/gem/credentials, .local/share/gem/gem-*key.pem, .bundle/config, .cargo/credentials
    .cargo/credentials.toml, .m2/settings*, .m2/security*, .gradle/gradle.properties, .gradle/init*.gradle*
    .gradle/init.d, .gradle/enterprise, .gradle/develocity, .sbt/.credentials, .sbt/*credentials*, .sbt/*/*credentials*
    .sbt/*/*.sbt, .ivy2/.credentials*, .ivy2/*credentials*, .config/coursier, .nuget/NuGet, .config/NuGet
    .dotnet/corefx, .aspnet, .microsoft/usersecrets, .composer/auth.json, .composer/config.json, .config/composer/auth.json
    .config/composer/config.json, .hex/hex.config, .config/rebar3, .pub-cache/credentials.json, .config/dart
    .stack/upload, .conan/.conan.db, .conan2/credentials.json, .conan2/.conan.db, .luarocks/upload_config.lua
    .opam/plugins/opam-publish, .opam/log, .config/opam*, .mvn, .config/maven, .m2/*.properties
    .nimble/github_api_token, .pause, .julia/servers, .cocoapods/trunk.json, .swiftpm/configuration, .platformio/appstate.json
    .wasmer/*.toml, .foundry/keystores, .android/adbkey, .turbo/config.json, .config/turborepo, .config/cachix
    .config/nix/*token*, .config/nix/*secret*, .config/nix/netrc, .jfrog, .jfrog-cli-core, .cloudsmith, .config/cloudsmith
    .artifactory*, .nexus*, .gnupg-*, .nvm/versions/*/*/etc/npmrc, .nvm/*/etc/npmrc, .volta/tools/image/node/*/etc/npmrc
    .asdf/installs/*/*/etc/npmrc, .local/share/mise/installs/*/*/etc/npmrc, .nodenv/versions/*/etc/npmrc
    .local/share/fnm/node-versions/*/installation/etc/npmrc, .fnm/node-versions/*/installation/etc/npmrc
    .local/share/nvm/*/etc/npmrc, .local/share/pnpm/nodejs/*/etc/npmrc, .local/etc, .npm-global/etc, .npm-packages/etc
    .n/etc, .proto/tools/node/*/etc/npmrc, .pyenv/versions/*/pip.conf, .local/share/mise/installs/python/*/pip.conf
    .asdf/installs/python/*/pip.conf, .virtualenvs/*/pip.conf, .local/share/virtualenvs/*/pip.conf
    .sdkman/candidates/maven/*/conf/settings.xml, .jdtls, .config/yarn/config, .rye/config.toml
  `),
  "containers and clusters": list(`
    .docker, .dockercfg, .config/containers, .local/share/containers, .local/share/docker, .kube, .minikube, .k3d, .k3s
    .config/k3d, .kind, .config/helm, .helm, .config/argocd, .argocd, .rancher, .talos, .config/omni, .config/k9s, .k9s
    .okteto, .garden, .vagrant.d, .config/lxc, .config/incus, .lima, .colima, .orbstack, .rd, .config/podman, .crc
    .cache/helm/repository, .flux, .config/flux, .linkerd2, .consul*, .nomad*, .config/nomad, .devpod, .daytona
    .config/daytona, .tilt-dev, .skaffold, .telepresence, .config/telepresence, .kubeseal, .oc, .config/ocm, .ocm.json
    .local/share/incus, .multipass, .config/multipass*
  `),
  "forges and build services": list(`
    .git-credentials, .config/git/credentials, .cache/git, .git-credential-cache, .config/gh, .config/hub, .config/glab-cli
    .config/tea, .config/jj, .jjconfig.toml, .config/bb, .hgrc, .config/hg, .subversion, .p4tickets, .p4enviro, .bazaar
    .config/github-copilot, .config/gitlab-runner, .gitlab-runner, .circleci, .travis, .buildkite-agent, .config/buildkite
    .jenkins*, .actrc, .config/act, .phabricator, .arcrc, .config/hut, .jira.d, .config/.jira, .config/jira*, .config/linear*
    .linear*, actions-runner/.credentials*, actions-runner/.runner, actions-runner/.env, actions-runner/_diag
    myagent/.credentials*, myagent/.agent, myagent/_diag, .config/gitea, .gitea, .config/forgejo*, .config/berg-cli
    .review-board*, .reviewboardrc, .config/sourcehut, .config/gitbutler, .local/share/gitbutler*, .config/GitKraken
    .gitkraken, .config/GitHub Desktop, .config/git-credential-manager, .gcm, .local/share/git-credential-*
    .config/git-credential-*, .cache/git-credential-*, .codeberg*, .drone*, .woodpecker*, .config/woodpecker, .act*
    buildAgent/conf, .TeamCity, .concourse, .flyrc, .semaphore*, .sem.yaml, .appveyor*, .codecov*, .snyk*
    .config/snyk
  `),
  databases: list(`
    .pgpass, .pg_service.conf, .postgresql, .my.cnf, .mylogin.cnf, .mysql, .mongorc.js, .mongoshrc.js, .mongodb
    .config/mongocli, .config/atlascli, .redisclirc, .clickhouse-client, .config/usql, .usqlpass, .dbeaver*
    .local/share/DBeaverData, .config/dbvis, .dbvis, .datagrip*, .influxdbv2, .cassandra, .cqlshrc, .odbc.ini, .freetds.conf
    .sqlcmdrc, .sqlcmd, .neo4j, .config/litecli, .config/pgcli, .config/mycli, .myclirc, .tnsnames, .cockroach-certs
    .config/beekeeper-studio, .config/sqlcl, .sqlcl, .dbtools, .config/sqlectron, .sqltools*, .config/TablePlus*, .fauna*
    .config/pgadmin*, .pgadmin, .local/share/pgadmin, .config/heidisql, .config/MongoDB Compass, .surrealdb, .dgraph
  `),
  "state of coding agents": list(`
    .postern, .config/postern, .local/share/postern, .claude*, .config/claude*, .config/Claude*, .local/share/claude
    .local/state/claude, .cache/claude*, .codex, .config/codex, .gemini, .qwen, .config/opencode, .local/share/opencode
    .local/state/opencode, .cache/opencode, .opencode, .openclaw, .clawdbot, .moltbot, .zeroclaw, .config/goose
    .local/share/goose, .local/state/goose, .aider*, .continue, .cline, .cursor*, .config/Cursor, .config/cursor
    .codeium, .windsurf, .config/Windsurf, .config/Codeium, .copilot, .config/amp, .local/share/amp, .cache/amp
    .factory, .kiro, .config/kiro, .local/share/amazon-q, .local/share/kiro-cli, .amazonq, .grok, .crush, .config/crush
    .local/share/crush, .config/io.datasette.llm, .config/llm, .config/aichat, .config/mods, .config/shell_gpt
    .config/fabric, .ollama, .lmstudio, .openai, .config/openai, .anthropic, .config/anthropic, .mcp-auth, .tabnine
    .config/TabNine, .sourcegraph, .config/sourcegraph, .augment, .roo, .plandex*, .kimi*, .config/kimi*, .iflow, .pi
    .trae*, .config/Trae, .zencoder, .junie, .droid, .config/gptme, .local/share/gptme, .hermes, .nanobot, .picoclaw
    .deepseek*, .mistral*, .vibe, .config/tgpt, .interpreter, .config/open-interpreter, .forge, .warp, .local/state/warp*
    .config/warp-terminal, .local/share/warp-terminal
  `),
  editors: list(`
    .vscode, .vscode-*, .config/Code*, .config/VSCodium, .vscodium*, .vscode-oss, .config/JetBrains
    .local/share/JetBrains, .cache/JetBrains, .config/zed, .local/share/zed, .config/sublime*, .emacs.d/.authinfo*
    .emacs.d/auth*, .config/emacs/auth*, .local/share/nvim/copilot, .config/nvim/*secret*, .config/Postman, .postman
    .local/share/Postman, .config/Insomnia, .insomnia, .config/hoppscotch, .config/bruno, .httpie, .config/httpie
    .config/xh, .jupyter, .local/share/jupyter/runtime, .local/share/jupyter/*secret*, .ipython, .local/share/rstudio
    .config/rstudio, .Renviron, .arduinoIDE, .viminfo, .local/state/*vim, .Rapp.history, .config/Yaak, .yaak
    .eclipse, .eclipse_keyring, .netbeans, .lldb/*history, .wakatime*, .config/wakatime, .theia
  `),
  browsers: list(`
    .mozilla, .config/mozilla, .cache/mozilla, .config/google-chrome*, .cache/google-chrome*, .config/chromium*
    .cache/chromium*, .config/BraveSoftware, .cache/BraveSoftware, .config/microsoft-edge*, .cache/microsoft-edge*
    .config/vivaldi*, .cache/vivaldi*, .config/opera*, .cache/opera*, .opera, .librewolf, .config/librewolf
    .cache/librewolf, .waterfox, .cache/waterfox, .zen, .config/zen, .cache/zen, .tor-browser, .local/share/torbrowser
    .local/share/qutebrowser, .config/qutebrowser, .local/share/epiphany, .config/falkon, .config/arc, .w3m
    .lynx_cookies, .lynxrc, .elinks, .links, .links2, .var, snap, .config/min, .floorp, .palemoon, .moonchild productions
    .wget-hsts
  `),
  "mail and calendars": list(`
    .thunderbird, .cache/thunderbird, .config/thunderbird, .local/share/evolution, .config/evolution, .cache/evolution
    .mutt, .muttrc, .config/mutt, .config/neomutt, .neomutt*, .mbsyncrc, .isyncrc, .config/isyncrc, .offlineimap*
    .config/offlineimap, .msmtprc, .config/msmtp, .msmtp*, .esmtprc, .fetchmailrc, .getmail, .config/getmail, .config/aerc
    .config/himalaya, .config/meli, .alpine*, .pine*, .mailrc, .mailcap, .notmuch-config, .config/notmuch, .vdirsyncer
    .config/vdirsyncer, .local/share/vdirsyncer, .config/khal, .local/share/contacts, .davfs2, .smbcredentials*, .maildir
    .mail, .config/geary, .local/share/geary, .claws-mail, .sylpheed*, .config/Mailspring, .config/mailspring
    .local/share/local-mail, .local/share/akonadi*, .config/akonadi*, .config/protonmail, .procmailrc, .forward, .signature
    Mail, Maildir, mail, mbox, dead.letter, .config/gcalcli, .gcalcli*, .local/share/gcalcli
  `),
  chat: list(`
    .config/Slack, .config/slack, .slack, .config/discord*, .config/vesktop, .config/Vencord, .config/Signal*
    .local/share/signal-cli, .local/share/TelegramDesktop, .config/Element*, .config/weechat, .weechat
    .local/share/weechat, .irssi, .config/hexchat, .xchat*, .purple, .config/Microsoft, .config/teams*
    .config/Microsoft Teams*, .config/zoomus.conf, .config/zoom*, .zoom, .Skype, .config/skype*, .config/matterhorn
    .config/Mattermost, .config/gomuks, .local/share/gomuks, .local/share/iamb, .config/iamb, .config/Rocket.Chat
    .config/Caprine, .config/Wire, .config/session, .config/WhatsApp*, .local/share/nheko, .config/nheko, .config/senpai
    .config/Zulip, .zuliprc, .config/Beeper, .config/Jitsi*, .config/Keybase, .config/keybase, .local/share/keybase
  `),
  "networks, transfers and sync": list(`
    .cisco, .config/openvpn, .openvpn*, .config/wireguard, .wireguard, .config/protonvpn, .config/Proton*
    .cache/Proton*, .config/mullvad, .config/Mullvad*, .config/tailscale, .local/share/tailscale, .config/nordvpn
    .config/zerotier, .config/borg, .config/borgmatic, .borgmatic, .cache/borg, .cache/borgmatic, .config/restic
    .cache/restic, .config/kopia, .duplicity, .duply, .config/duplicati, .config/Nextcloud, .local/share/Nextcloud
    .config/ownCloud, .config/syncthing, .local/state/syncthing, .local/share/syncthing, .dropbox, .config/Dropbox*
    .config/onedrive, .config/google-drive*, .gdrive*, .config/insync, .Insync, .config/transmission*, .config/qBittorrent
    .config/deluge, .config/remmina, .local/share/remmina, .vnc, .config/tigervnc, .rdesktop, .config/freerdp, .anydesk*
    .config/rustdesk, .config/TeamViewer, .teamviewer, .config/AnyDesk, .nx, .config/filezilla, .filezilla, .lftp
    .config/lftp, .local/share/lftp, .ncftp, .cups, .config/spotify, .cache/spotify*, .config/obs-studio
    .local/share/Steam, .steam, .cache/rclone, .config/kdeconnect, .config/goa-1.0, .config/libaccounts-glib
    .config/pulse/cookie, .pulse-cookie, .config/xpra, .xpra, .config/mosquitto*, .config/mqtt*, .config/nextdns
    .local/share/networkmanagement, .ansible*, .chef, .cinc, .puppetlabs, .saltrc, .salt, .bolt, .fdfs
  `),
  "wallets and money": list(`
    .bitcoin*, .litecoin, .dogecoin, .dash, .zcash, .monero, .ethereum, .electrum*, .config/solana, .near-credentials
    .near-config, .brownie, .ape, .eth*, .starkli*, .starknet_accounts, .aptos, .sui, .substrate, .polkadot*, .cosmos*
    .gaia, .config/Exodus, .config/atomic, .config/Ledger Live, .config/Sparrow, .sparrow, .lnd, .lightning*, .avalanche*
    .config/sui, .foundry/.env, .hledger*, .gnucash, .local/share/gnucash, Monero
  `),
  histories: list(`
    .*history, .*_history*, .*_hist, .histfile, .zhistory, .history*, .dbshell, .erlang-history, .erlang.cookie, .lesshst
    .ghc/*history*, .local/share/fish, .local/share/nushell, .config/nushell/history*, .local/share/xonsh
    .local/share/powershell, .local/share/atuin, .local/share/mcfly, .local/share/irb, .local/state/*history*
    .local/share/*history*, .cache/*history*, .local/state/bash, .local/state/zsh, .julia/logs, .local/share/zsh/*history*
    .local/share/bash/*history*, .zsh_sessions, .bash_sessions, .local/share/recently-used.xbel, .cache/lesshst
    .recently-used*, .local/share/RecentDocuments, .local/state/lesshst, .config/copyq, .local/share/clipman*, .cache/clip*
    .cache/greenclip*, .cache/cliphist, .gdb_history, .config/gdb/*history*, .node_repl*, .local/share/zoxide
  `),
  "start files of shells, which often hold tokens": list(`
    .bashrc*, .bash_profile*, .bash_login, .bash_logout, .bash_aliases, .profile, .zshrc*, .zshenv*, .zprofile*, .zlogin*
    .zlogout, .kshrc, .mkshrc, .cshrc, .tcshrc, .login, .inputrc, .xprofile, .xinitrc, .xsessionrc, .pam_environment
    .config/fish, .config/nushell, .config/xonsh, .xonshrc, .config/powershell, .config/elvish, .elvish, .envrc, .direnvrc
    .config/direnv, .config/zsh, .zsh, .zshrc.d, .bashrc.d, .profile.d, .config/bash, .Rprofile, .config/sh
    .julia/config, .ghci, .config/ghci, .irbrc, .pryrc, .pythonrc*
  `),
  "private folders": list("Private, .Private, .ecryptfs, Vaults, .local/share/plasma-vault, .encfs*")
}

/**
 * Names that files with credentials usually have, in upper or lower case, with what a browser or a copy adds to them.
 * Folders are not meant.
 */
export const credentialNames: ReadonlyArray<string> = list(`
  id_rsa*, id_dsa*, id_ecdsa*, id_ed25519*, *_rsa, *_ed25519, *.pem, *.pem (*), *.key, *.pkey, *.ppk, *.p8, *.p12, *.pfx
  *.pkcs12, *.jks, *.keystore, *.keytab, *.kdbx, *.kdb, *.ovpn, *.wgconf, wg#.conf, *.opvault, *.1pif, *.1pux, *.agilekeychain
  *.keychain, *.keychain-db, *.gpg, *.pgp, *.asc, *.age, *.agekey, *.snk, *.bek, *.tfstate*, *.rdp, *.htpasswd, *.netrc
  AuthKey_*, SubscriptionKey_*, kubeconfig*, *.kubeconfig, *accessKeys*.csv, *rootkey*.csv, *credentials*.csv
  *credentials*.json, *credential*.json, client_secret*.json, *client-secret*.json, *service?account*.json
  *serviceaccount*.json, *service?account*key*, *firebase?adminsdk*.json, *-############.json, *-############ (*).json
  *api?key*.txt, *apikey*.txt, *access?token*, *.token, *tokens.*, *secrets.*, *.secret, *.secrets, *passwords*
  *password*.txt, *password*.csv, *password*.xlsx, *recovery?code*, *backup?code*, *recovery?key*, *recovery?phrase*
  *2fa*code*, *mfa*code*, *seed?phrase*, *mnemonic*, bitwarden_export*, 1password*.csv, lastpass*.csv, wallet.dat, *.wallet
  UTC--*--*, *.publishsettings, *.mobileprovision, *private?key*
`)

/** They are hidden directly in the home folder and where downloads go. */
export const credentialFiles: ReadonlyArray<string> = ["", "Downloads/", "Desktop/", "Documents/"].flatMap((folder) =>
  credentialNames.map((name) => `${folder}${name}`)
)

/** Folders of many files that hold nothing of the user's own. */
export const generatedFolders: ReadonlySet<string> = new Set(list(`
  node_modules, site-packages, dist-packages, __pycache__, vendor, target, dist, build, out, venv, env, coverage, Pods
  bower_components, snap, Library, go
`))

/** What of a home folder's dot entries tool chains need; the other ones are hidden, whoever makes them and when. */
export const needed: ReadonlyArray<string> = list(`
  .gitignore, .gitignore_global, .gitignore-*, .gitattributes, .gitattributes_global, .gitmessage*, .git-template*
  .git_template*, .config/git, .config/delta, .config/gitui, .mailmap

  .rustup, .cargo, .local/share/rustup, .local/share/cargo, .config/rustfmt, .rustfmt.toml, .config/nextest
  .cargo-*, .wasm-pack, .wasmtime, .wasmer/bin, .wasmer/lib, .wasmer/cache

  .npm, .nvm, .local/share/nvm, .nodenv, .fnm, .local/share/fnm, .n, .volta, .node-gyp, .node_modules, .node_libraries
  .npm-global, .npm-packages, .yarn, .yarn-cache, .config/yarn/global, .local/share/yarn, .pnpm, .pnpm-store
  .local/share/pnpm, .local/share/pnpm-store, .local/state/pnpm, .bun, .deno, .electron, .electron-gyp, .proto, .moon
  .turbo/cache, .nvmrc, .node-version, .config/puppeteer, .corepack

  .pyenv, .local/share/virtualenvs, .virtualenvs, .venv, .venvs, .local/share/uv, .local/share/pipx, .local/pipx, .rye
  .local/share/hatch, .local/share/pdm, .local/share/pypoetry, .poetry, .pixi, .conda/envs, .conda/pkgs
  .conda/environments.txt, .mamba, .micromamba, .local/share/mamba, .local/share/jupyter/kernels, .python-version
  .python-eggs, .config/ruff, .config/black, .config/pycodestyle, .config/flake8, .flake8, .pylintrc, .config/pylintrc
  .config/mypy, .mypy.ini, .config/pyright, .config/matplotlib, .matplotlib, .keras/keras.json, .pytest.ini
  .local/share/nltk_data, .config/isort.cfg, .isort.cfg, .style.yapf, .pydistutils.cfg, .theano, .EasyOCR

  .rbenv, .rvm, .gem, .local/share/gem, .bundle/cache, .bundle/plugin, .ruby-version, .rubocop.yml, .config/rubocop
  .chruby, .rubies

  .m2/repository, .m2/wrapper, .m2/toolchains.xml, .m2/extensions.xml, .gradle/caches, .gradle/wrapper, .gradle/jdks
  .gradle/native, .gradle/notifications, .gradle/daemon, .gradle/.tmp, .sdkman, .jenv, .jabba, .jdks, .java
  .java-version, .sdkmanrc, .ivy2/cache, .ivy2/local, .ivy2/jars, .sbt/boot, .sbt/launchers, .sbt/*/plugins
  .sbt/*/zinc, .local/share/coursier, .coursier, .bsp, .mill, .kotlin, .konan, .lein, .deps.clj, .clojure
  .android/cache, .android/build-cache, .android/debug.keystore, .android/repositories.cfg, .android/avd

  .nuget/packages, .nuget/plugins, .local/share/NuGet, .dotnet, .templateengine

  .composer/vendor, .composer/cache, .config/composer/vendor, .local/share/composer, .phpenv, .phpbrew, .symfony*/bin
  .phive

  .opam, .local/share/dune, .ghcup, .stack, .cabal/bin, .cabal/packages, .cabal/store, .local/share/cabal
  .local/state/cabal, .elan, .elm, .idris2, .roswell, .hex/packages, .hex/cache.ets, .hex/cache, .mix, .local/share/mix
  .kiex, .kerl, .asdf, .local/share/asdf, .tool-versions, .asdfrc, .default-*-packages, .gvm, .goenv, .g, .local/share/go
  .local/share/gopls, .config/go/telemetry, .nimble/pkgs, .nimble/pkgs2, .nimble/bin, .choosenim, .dub, .shards
  .local/share/crystal, .zvm, .zig, .zigup, .luaenv, .luarocks/lib, .luarocks/share, .luarocks/bin, .plenv, .perlbrew
  .cpanm, .raku, .zef, .swiftly, .local/share/swiftly, .swiftpm/cache, .swiftpm/pods, .cocoapods/repos, .swiftenv
  .pub-cache, .dvm, .fvm, .flutter, .dartServer, .juliaup, .julia/packages, .julia/artifacts, .julia/compiled
  .julia/registries, .julia/juliaup, .julia/environments, .julia/bin, .julia/clones, .julia/scratchspaces, .julia/dev
  .R, .local/share/R, .local/share/renv, .racket, .local/share/racket, .quicklisp, .foundry/bin, .foundry/versions
  .foundry/cache, .foundry/share, .svm, .local/share/svm, .huff/bin, .avm, .platformio/packages, .platformio/platforms
  .platformio/penv, .platformio/lib, .platformio/.cache, .espressif, .arduino15/packages, .arduino15/staging
  .arduino15/*.json, .emscripten*, .conan/data, .conan/profiles, .conan2/p, .conan2/profiles, .conan2/settings.yml
  .vcpkg, .ccache, .xmake, .bazelisk, .local/share/meson, .cmake, .terraform.d/plugins, .terraform.d/plugin-cache, .tfenv
  .tgenv, .tofuenv, .local/share/mise, .local/state/mise, .local/share/rtx, .local/share/aquaproj-aqua, .arkade/bin
  .linuxbrew, .nix-profile, .nix-defexpr, .nix-channels, .local/state/nix, .config/nixpkgs, .guix-profile
  .config/guix/current, .local/share/devbox, .pkgx, .local/share/ponyup, .local/share/typst, .local/share/vale

  .local/bin, .local/lib, .local/lib64, .local/libexec, .local/include, .local/opt, .local/man, .local/share/man
  .local/share/fonts, .fonts, .local/share/icons, .icons, .local/share/themes, .local/share/mime
  .local/share/bash-completion, .terminfo, .fonts.conf, .config/fontconfig, .config/user-dirs.*, .local/share/tree-sitter
  .config/tree-sitter, .config/ripgrep, .ripgreprc, .config/fd, .config/bat, .config/clangd, .clang-format, .clang-tidy
  .clangd, .config/shellcheckrc, .shellcheckrc, .config/yamllint, .yamllint, .config/stylua, .editorconfig, .prettierrc*
  .prettierignore, .eslintrc*, .stylelintrc*, .markdownlint*, .hlint.yaml, .ignore, .rgignore, .fdignore, .agignore
  .dockerignore, .ackrc, .ctags*, .config/texstudio, .texlive*, .texmf*, .TinyTeX, .config/latexmk, .latexmkrc
  .tflint.d/plugins, .config/checkstyle, .pre-commit, .config/biome

  .cache/pip*, .cache/uv, .cache/pypoetry, .cache/pdm, .cache/hatch, .cache/rye, .cache/pre-commit, .cache/prek
  .cache/ruff, .cache/black, .cache/mypy, .cache/pylint, .cache/pyright*, .cache/basedpyright*, .cache/pytest*
  .cache/matplotlib, .cache/numba, .cache/torch*, .cache/huggingface, .cache/modelscope, .cache/keras, .cache/whisper
  .cache/clip, .cache/conda*, .cache/mamba, .cache/rattler, .cache/pixi, .cache/virtualenv, .cache/nltk*, .cache/npm
  .cache/node, .cache/node-gyp, .cache/corepack, .cache/yarn, .cache/pnpm, .cache/bun, .cache/.bun, .cache/deno
  .cache/typescript, .cache/prettier, .cache/eslint, .cache/esbuild, .cache/vite, .cache/parcel, .cache/turbo
  .cache/electron*, .cache/puppeteer, .cache/ms-playwright*, .cache/Cypress, .cache/selenium, .cache/webdriver*
  .cache/go-build, .cache/gopls, .cache/goimports, .cache/golangci-lint, .cache/staticcheck, .cache/cargo, .cache/sccache
  .cache/Mozilla.sccache, .cache/bindgen, .cache/ccache, .cache/clangd, .cache/clang*, .cache/zig, .cache/zls
  .cache/bazel*, .cache/buck*, .cache/vcpkg, .cache/conan*, .cache/meson, .cache/coursier, .cache/mill, .cache/sbt
  .cache/scala*, .cache/maven*, .cache/gradle*, .cache/JNA, .cache/kotlin*, .cache/dart*, .cache/flutter*
  .cache/composer, .cache/rubocop_cache, .cache/ruby-build, .cache/bundle, .cache/gem, .cache/cabal, .cache/ghcup
  .cache/stack, .cache/dune, .cache/opam, .cache/elm, .cache/rebar3, .cache/mix, .cache/hex, .cache/crystal, .cache/nim*
  .cache/luarocks, .cache/swiftpm, .cache/org.swift.swiftpm, .cache/nix, .cache/guix, .cache/mise, .cache/asdf, .cache/fnm
  .cache/devbox, .cache/tree-sitter, .cache/act, .cache/actcache, .cache/trivy, .cache/tflint, .cache/terraform*
  .cache/fontconfig, .cache/mesa_shader_cache*, .cache/gstreamer*, .cache/tectonic, .cache/typst, .cache/texmf*
  .cache/julia*, .cache/R, .cache/arduino, .cache/espressif, .cache/foundry, .cache/solc*, .cache/buf, .cache/protoc*
  .cache/Homebrew, .cache/shellcheck, .cache/actionlint, .cache/vale, .cache/tinygo, .cache/wasmtime, .cache/wasmer

  Library/Caches/pip, Library/Caches/uv, Library/Caches/pypoetry, Library/Caches/pre-commit, Library/Caches/Yarn
  Library/Caches/pnpm, Library/Caches/deno, Library/Caches/bun, Library/Caches/node-gyp, Library/Caches/ms-playwright*
  Library/Caches/Cypress, Library/Caches/electron*, Library/Caches/puppeteer, Library/Caches/go-build
  Library/Caches/golangci-lint, Library/Caches/Homebrew, Library/Caches/CocoaPods, Library/Caches/org.swift.swiftpm
  Library/Caches/Coursier, Library/Caches/JNA, Library/Caches/ccache, Library/Caches/Mozilla.sccache, Library/Caches/bazel*
  Library/Caches/virtualenv, Library/Caches/mise, Library/Caches/typescript, Library/Caches/turbo, Library/Developer
  Library/Frameworks, Library/Python, Library/pnpm, Library/Java, Library/Android/sdk, Library/Fonts, Library/R
  Library/Application Support/fnm, Library/Application Support/pypoetry/venv, Library/Application Support/virtualenv
  Library/Application Support/uv/tools, Library/Application Support/uv/python, Library/Application Support/hatch/env
  Library/Application Support/Coursier, Library/Application Support/rtx, Library/Application Support/go
  Library/Application Support/mise
`)

/** Needed as well, and hidden while something in the file looks like a secret. */
export const neededWithoutSecrets: ReadonlyArray<string> = list(`
  .gitconfig*, .config/git/config*, .cargo/config, .cargo/config.toml, .cabal/config, .config/cabal/config, .condarc
  .gemrc, .pip/pip.conf, .config/pip/pip.conf, .config/uv/uv.toml, .config/pypoetry/config.toml, .config/pdm/config.toml
  .config/hatch/config.toml, .config/mise/config.toml, .mise.toml, .config/nix/nix.conf, .config/go/env
  .ccache/ccache.conf, .config/ccache/ccache.conf, .npm/.npmrc, .stack/config.yaml, .pydevrc, .bazelrc
  .opam/config, .opam/repo/repos-config, .opam/opam-init/*.sh, .conan2/global.conf, .conan2/remotes.json, .luarocks/config*.lua, .yarn/*.yml, .wgetrc.d, .rustup/settings.toml
`)

/** Closed like a dot entry, although its name has no dot. */
export const closedFolders: ReadonlyArray<string> = ["Library"]

/** Credentials outside of home folders, by what keeps them there. A host that runs as root could read all of them. */
export const ofMachine: { readonly [kind: string]: ReadonlyArray<string> } = {
  "sockets and run-time state of services": list("/run, /var/run"),
  accounts: list(`
    /etc/shadow*, /etc/gshadow*, /etc/security/opasswd, /etc/sudo-ldap.conf, /etc/ldap.secret, /etc/*ldap.secret
    /etc/nslcd.conf, /etc/sssd, /var/lib/sss, /etc/krb5.keytab, /etc/*.keytab, /var/lib/krb5kdc, /var/kerberos
    /var/backups, /etc/openldap/slapd.d, /etc/ldap/slapd.d, /var/lib/ldap, /etc/freeradius, /etc/raddb, /var/lib/fprint
    /etc/ipa, /var/lib/ipa, /var/lib/samba/private, /etc/samba/*passwd*, /etc/*smbcredentials*, /etc/smb-credentials*
    /var/lib/extrausers/shadow*, /etc/users.oath, /var/lib/gdm*, /var/lib/sddm, /var/lib/lightdm*
  `),
  "keys of the machine": list(`
    /etc/ssh/ssh_host_*_key, /etc/ssl/private, /etc/pki/tls/private, /etc/pki/*/private, /etc/letsencrypt
    /etc/credstore*, /var/lib/systemd/credential.secret, /etc/keys, /etc/cryptsetup-keys.d, /etc/luks*, /etc/pki/entitlement
    /etc/pki/consumer, /etc/rhsm, /var/lib/acme, /etc/acme*, /etc/step-ca, /etc/dropbear, /etc/ntp.keys
    /etc/chrony.keys, /etc/chrony/chrony.keys, /etc/rndc.key, /etc/bind/*.key, /etc/named*.key, /var/lib/tpm*
    /var/lib/snapd/device, /var/lib/snapd/cookie, /var/lib/snapd/state.json, /var/lib/bluetooth
  `),
  "networks and VPNs": list(`
    /etc/wireguard, /etc/openvpn, /etc/ipsec.secrets, /etc/ipsec.d/private, /etc/swanctl, /etc/strongswan*, /etc/ppp
    /etc/NetworkManager/system-connections, /var/lib/NetworkManager, /etc/wpa_supplicant, /var/lib/iwd, /var/lib/connman
    /etc/netplan, /etc/tinc, /etc/nebula, /var/lib/tailscale, /var/lib/zerotier-one, /etc/cloudflared, /etc/snmp
    /var/lib/snmp, /etc/ceph, /var/lib/ceph, /etc/iscsi, /etc/davfs2/secrets, /etc/passwd-s3fs, /etc/rclone*
    /etc/mullvad-vpn, /etc/vpnc, /etc/xl2tpd, /etc/amnezia, /etc/headscale, /var/lib/headscale, /etc/netbird
    /var/lib/netbird
  `),
  "containers and clusters": list(`
    /etc/docker/key.json, /etc/kubernetes, /etc/rancher, /var/lib/rancher, /var/lib/docker, /var/lib/containerd
    /var/lib/containers, /var/lib/kubelet, /var/lib/etcd, /var/lib/k0s, /etc/k0s, /var/lib/lxd, /var/lib/incus
    /var/lib/libvirt, /etc/libvirt/secrets, /etc/pve, /var/snap, /var/lib/nomad, /var/lib/buildkit, /var/lib/microk8s
    /etc/containers/auth.json, /kaniko/.docker, /var/lib/k3s, /etc/crio, /var/lib/crio, /secrets, /vault, /mnt/secrets*
    /etc/origin, /var/lib/origin, /etc/cni/net.d/*kubeconfig*, /var/lib/cni
  `),
  "services and agents": list(`
    /var/lib/cloud, /etc/puppet/ssl, /etc/puppetlabs/puppet/ssl, /var/lib/puppet, /etc/chef, /etc/cinc, /etc/salt/pki
    /etc/ansible/*vault*, /etc/vault.d, /etc/consul.d, /etc/nomad.d, /etc/boundary.d, /etc/gitlab, /var/opt/gitlab
    /etc/gitlab-runner, /etc/buildkite-agent, /var/lib/buildkite-agent, /var/lib/jenkins, /etc/teleport*, /var/lib/teleport
    /etc/datadog-agent, /etc/newrelic*, /var/lib/amazon, /etc/amazon, /etc/boto.cfg, /etc/grafana, /var/lib/grafana
    /etc/alertmanager, /etc/borgmatic, /etc/restic*, /etc/duplicity, /etc/tarsnap.key, /etc/turnserver.conf
    /etc/matrix-synapse, /etc/mosquitto/*pass*, /var/lib/tor, /etc/asterisk, /opt/actions-runner/.credentials*
    /opt/actions-runner/.runner, /opt/splunk*/etc/passwd, /opt/splunk*/etc/auth, /opt/tomcat*/conf/tomcat-users.xml
    /etc/tomcat*/tomcat-users.xml, /opt/vault, /opt/consul, /opt/nomad, /opt/buildagent/conf, /opt/teamcity*/conf
    /opt/*/.env, /etc/forgejo, /etc/gitea, /var/lib/gitea, /var/lib/forgejo, /var/lib/private, /etc/postern/secrets*
  `),
  databases: list(`
    /etc/mysql/debian.cnf, /var/lib/mysql*, /var/lib/pgsql, /var/lib/postgresql, /var/lib/mongo*, /var/lib/redis*
    /etc/redis, /etc/redis.conf, /etc/redis/*.conf, /etc/valkey, /var/lib/valkey, /etc/rabbitmq, /var/lib/rabbitmq
    /var/lib/cassandra, /var/lib/influxdb*, /var/lib/clickhouse, /etc/clickhouse-server/users*, /var/lib/elasticsearch
    /etc/elasticsearch, /var/lib/couchdb, /etc/couchdb, /opt/couchdb/etc, /etc/odbc.ini, /var/lib/neo4j, /etc/pgbouncer
    /etc/postgresql/*/*/*.key, /etc/phpmyadmin, /etc/dbconfig-common, /var/cache/debconf/passwords.dat
  `),
  "mail and jobs": list(`
    /var/mail, /var/spool/mail, /var/spool/cron, /var/spool/at, /var/spool/cups, /var/spool/postfix, /var/spool/exim*
    /etc/postfix/sasl*, /etc/postfix/*passw*, /etc/exim4/passwd.client, /etc/dovecot/private, /etc/dovecot/*passw*
    /etc/dovecot/users, /etc/msmtprc, /etc/ssmtp, /etc/esmtprc, /etc/fetchmailrc, /etc/mail/authinfo*, /etc/mutt*
    /etc/cups/printers.conf*, /etc/cups/ssl, /var/crash, /var/lib/systemd/coredump, /var/lib/dovecot, /var/vmail
  `),
  "logins of package registries": list(`
    /etc/apt/auth.conf, /etc/apt/auth.conf.d, /etc/zypp/credentials.d, /etc/npmrc, /usr/etc/npmrc, /usr/local/etc/npmrc
    /opt/homebrew/etc/npmrc, /opt/conda/.condarc, /etc/pypirc, /etc/netrc, /etc/ssl-keys
  `)
}

/** Read by programs, and hidden while something in the file looks like a secret. */
export const ofMachineWithoutSecrets: ReadonlyArray<string> = list(`
  /opt/maven/conf/settings.xml, /opt/apache-maven*/conf/settings.xml, /usr/share/maven/conf/settings.xml
  /usr/share/maven*/conf/settings.xml, /etc/pip.conf, /etc/gitconfig, /etc/gemrc, /etc/my.cnf, /etc/mysql/my.cnf, /etc/maven/settings.xml, /etc/conda/.condarc
  /etc/nix/nix.conf, /etc/environment, /etc/curlrc, /etc/wgetrc, /etc/docker/daemon.json
`)

/** Below a hidden folder of the machine, and needed all the same. */
export const visibleOfMachine: ReadonlyArray<string> = [
  "/run/current-system",
  "/run/opengl-driver",
  "/run/wrappers"
]

/** The same for calls with a network: how names are resolved. */
export const visibleWithNetwork: ReadonlyArray<string> = [
  "/run/systemd/resolve/resolv.conf",
  "/run/systemd/resolve/stub-resolv.conf",
  "/run/NetworkManager/resolv.conf"
]

/** Variables that move a folder of the home to another place; the same holds for it there. */
export const movedFolders: { readonly [variable: string]: string } = {
  XDG_CONFIG_HOME: ".config",
  XDG_DATA_HOME: ".local/share",
  XDG_STATE_HOME: ".local/state",
  XDG_CACHE_HOME: ".cache",
  CARGO_HOME: ".cargo",
  GRADLE_USER_HOME: ".gradle",
  NVM_DIR: ".nvm",
  VOLTA_HOME: ".volta",
  PYENV_ROOT: ".pyenv",
  ASDF_DATA_DIR: ".asdf",
  MISE_DATA_DIR: ".local/share/mise",
  FNM_DIR: ".local/share/fnm",
  DENO_DIR: ".cache/deno",
  HF_HOME: ".cache/huggingface",
  MODELSCOPE_CACHE: ".cache/modelscope",
  PUB_CACHE: ".pub-cache",
  STACK_ROOT: ".stack",
  CABAL_DIR: ".cabal",
  HEX_HOME: ".hex",
  COMPOSER_HOME: ".composer",
  JULIA_DEPOT_PATH: ".julia",
  CONAN_HOME: ".conan2",
  NIMBLE_DIR: ".nimble",
  WASMER_DIR: ".wasmer",
  FOUNDRY_DIR: ".foundry",
  PLATFORMIO_CORE_DIR: ".platformio",
  ANDROID_USER_HOME: ".android",
  BUNDLE_USER_HOME: ".bundle",
  UV_CREDENTIALS_DIR: ".local/share/uv/credentials",
  npm_config_cache: ".npm",
  OPAMROOT: ".opam",
  MAVEN_USER_HOME: ".m2",
  SDKMAN_DIR: ".sdkman",
  N_PREFIX: ".n",
  RBENV_ROOT: ".rbenv",
  RUSTUP_HOME: ".rustup"
}

/** Variables whose value names files or folders, separated by `:`, that are hidden as a whole. */
export const namedByVariables: ReadonlySet<string> = new Set(list(`
  AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE, AWS_WEB_IDENTITY_TOKEN_FILE, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE
  BOTO_CONFIG, S3CMD_CONFIG, AZURE_CONFIG_DIR, AZURE_FEDERATED_TOKEN_FILE, AZURE_CLIENT_CERTIFICATE_PATH, AZD_CONFIG_DIR
  CLOUDSDK_CONFIG, GOOGLE_APPLICATION_CREDENTIALS, GOOGLE_CLOUD_KEYFILE_JSON, OCI_CLI_CONFIG_FILE, OCI_CONFIG_FILE
  OCI_CLI_RC_FILE, LINODE_CLI_CONFIG, OS_CLIENT_CONFIG_FILE, SCW_CONFIG_PATH, HCLOUD_CONFIG, FLY_CONFIG_DIR
  DATABRICKS_CONFIG_FILE, SNOWFLAKE_HOME, DBT_PROFILES_DIR, KAGGLE_CONFIG_DIR, HF_TOKEN_PATH, HF_STORED_TOKENS_PATH
  PULUMI_HOME, PULUMI_CREDENTIALS_PATH, TF_CLI_CONFIG_FILE, TERRAFORM_CONFIG, NGROK_CONFIG, TUNNEL_ORIGIN_CERT
  TUNNEL_CRED_FILE, WRANGLER_HOME, RCLONE_CONFIG, RESTIC_PASSWORD_FILE, BORG_KEYS_DIR, BORG_KEY_FILE, BORG_BASE_DIR

  GNUPGHOME, PASSWORD_STORE_DIR, NETRC, CURL_HOME, WGETRC, XAUTHORITY, ICEAUTHORITY, KRB5CCNAME, KRB5_KTNAME
  KRB5_CLIENT_KTNAME, SSLKEYLOGFILE, CAROOT, STEPPATH, SOPS_AGE_KEY_FILE, MISE_AGE_KEY_FILE, BITWARDENCLI_APPDATA_DIR
  OP_CONFIG_DIR, VAULT_CONFIG_PATH, VAULT_CLIENT_KEY, VAULT_TOKEN_FILE, CONSUL_HTTP_TOKEN_FILE, CONSUL_CLIENT_KEY
  NOMAD_CLIENT_KEY, DOPPLER_CONFIG_DIR, ANSIBLE_VAULT_PASSWORD_FILE, ANSIBLE_HOME

  NPM_CONFIG_USERCONFIG, npm_config_userconfig, NPM_CONFIG_GLOBALCONFIG, npm_config_globalconfig, YARN_RC_FILENAME
  PIP_CONFIG_FILE, POETRY_CONFIG_DIR, UV_CONFIG_FILE, CONDARC, BUNDLE_USER_CONFIG, BUNDLE_APP_CONFIG
  REGISTRY_AUTH_FILE, DOCKER_CONFIG, DOCKER_CERT_PATH, DOCKER_AUTH_CONFIG, KUBECONFIG, HELM_REGISTRY_CONFIG
  HELM_REPOSITORY_CONFIG, HELM_CONFIG_HOME, TALOSCONFIG, OMNICONFIG, MINIKUBE_HOME, VAGRANT_HOME, ARGOCD_CONFIG_DIR
  GH_CONFIG_DIR, GLAB_CONFIG_DIR, HGRCPATH, P4TICKETS, P4ENVIRO, GIT_SSL_KEY, GIT_ASKPASS_TOKEN_FILE

  PGPASSFILE, PGSERVICEFILE, PGSSLKEY, MYSQL_TEST_LOGIN_FILE, MYSQL_HISTFILE, PSQL_HISTORY, SQLITE_HISTORY
  REDISCLI_RCFILE, REDISCLI_HISTFILE, INFLUX_CONFIGS_PATH, TNS_ADMIN, COCKROACH_CERTS_DIR, NEO4J_CONF
  CQLSHRC, JUPYTER_CONFIG_DIR, JUPYTER_RUNTIME_DIR, IPYTHONDIR, R_ENVIRON_USER

  CLAUDE_CONFIG_DIR, CODEX_HOME, GEMINI_CLI_HOME, QWEN_HOME, OPENCODE_CONFIG, OPENCODE_CONFIG_DIR, OPENCLAW_HOME
  OPENCLAW_STATE_DIR, OPENCLAW_CONFIG_PATH, COPILOT_HOME, CLINE_DIR, CRUSH_GLOBAL_CONFIG, GOOSE_PATH_ROOT, KIMI_HOME

  HISTFILE, LESSHISTFILE, PYTHON_HISTORY, NODE_REPL_HISTORY, IRBRC_HISTORY, R_HISTFILE, MAIL, MAILDIR, MAILRC
  NOTMUCH_CONFIG, WEECHAT_HOME, ZDOTDIR, ENV, BASH_ENV, XDG_RUNTIME_DIR, CREDENTIALS_DIRECTORY
`))

/** The same for variables that no list knows. */
export const namedByVariable =
  /(CREDENTIALS?|TOKEN|PASSWORD|PASSWD|PASSPHRASE|SECRETS?|API_?KEY|PRIVATE_?KEY|KEY|KEYSTORE|KEYRING|NETRC|AUTH)_?(FILE|PATH|DIR)$/i

/**
 * The same for variables that relocate what a program keeps for its user: `FOO_CONFIG_DIR`, `FOO_CREDENTIALS`,
 * `FOO_HOME`. Not where the session's folders are, nor for a tool chain.
 */
export const relocatedByVariable =
  /_(CONFIG|CONF|CONFDIR|CONFIG_?(DIR|HOME|PATH|FILE|FOLDER|ROOT)|CREDENTIALS?|CREDS|(CREDENTIALS?|CREDS|AUTH|SECRETS?|TOKENS?|KEYS?|PROFILES?|ACCOUNTS?|VAULT|WALLET|KEYSTORE|KEYRING|SESSIONS?)_?(DIR|HOME|PATH|FILE|FOLDER|ROOT)|SECRETS?|HOME|USERCONFIG|RC)$/i

/** What these name tells of no user. */
export const tellingNothing =
  /^(PKG_CONFIG|XDG_|GIT_|LC_|TERM|RUSTUP|JAVA|JDK|JRE|ANDROID|COREPACK|PIPX|POETRY|PYTHON|TORCH|KERAS|OPENSSL|FONTCONFIG|NODE_CONFIG)/

/** A folder with one of these is a tool chain. */
export const toolChainFolders: ReadonlyArray<string> = [
  "bin",
  "lib",
  "lib64",
  "libexec",
  "sdk",
  "toolchains",
  "platform-tools",
  "packages",
  "include"
]

/** Programs and their own settings lie here; what a variable names here is hidden only by what it is. */
export const systemFolders: ReadonlyArray<string> = [
  "/usr",
  "/etc",
  "/bin",
  "/sbin",
  "/lib",
  "/lib64",
  "/nix",
  "/opt",
  "/System",
  "/Library",
  "/Applications"
]

/** What shows a secret in a file that programs need. */
export const looksSecret = new RegExp(
  [
    // A setting, an attribute or a header with a telling name and a value.
    "(?:token|passw(?:or)?d|passphrase|smtppass|secret|api[-_]?key|access[-_]?key|private[-_]?key|extraheader" +
    "|authorization|_auth(?:token)?|bearer|auth[-_]?(?:token|key)|credentials?[-_]?(?:id|key)|access-tokens)" +
    "[\"']?[ \\t]*(?:[=:]|value)[ \\t]*[\"']?[^\\s\"']",
    "(?:authorization|private-token|x-api-key|proxy-authorization):",
    // An address with a password, or with a user name that is too long to be one.
    "https?://[^\\s/\"'@]*:[^\\s/\"'@]+@",
    "https?://[^\\s/\"'@:]{20,}@",
    "-----BEGIN [A-Z ]*PRIVATE KEY",
    "\\b(?:gh[pousr]_|github_pat_|glpat-|npm_|pypi-|xox[abprs]-|sk-|AKIA|ASIA)[A-Za-z0-9_-]{12,}"
  ].join("|"),
  "i"
)
