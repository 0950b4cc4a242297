/** Version control. `../Table.ts` says how a row is read. */
export const versionControl = String.raw`
fossil = git-destructive purge,revert
gh = globals -R --repo --hostname
  values -R --repo --hostname -X --method -f --raw-field -F --field -H --header --input -q --jq -t --template --json -L
    --limit -b --body -B --base --title -a -l -m --body-file --notes-file -N | pr,issue
    -F --body-file | release -F --notes-file; network unless version config completion; downloads api,gist,release
  version short; next-runs api extension alias
  publish-deploy release create,delete,upload,edit,delete-asset | repo delete,archive,unarchive,rename,edit,transfer,
    create,deploy-key,sync | secret,variable set,delete,remove | pr merge,close,ready | issue delete,close,transfer,lock
    | workflow run,enable,disable | run cancel,delete,rerun | cache delete | ssh-key,gpg-key add,delete | gist create,
    delete,edit | codespace,cs delete,stop,ssh | label,ruleset,project delete,item-delete,close | auth logout,refresh,
    setup-git | extension,ext install,upgrade | api with -X=DELETE -X=POST -X=PUT -X=PATCH --method=DELETE --method=POST
    --method=PUT --method=PATCH -X=delete -X=post -X=put -X=patch | api with -f -F --field --raw-field --input unless
    -X=GET --method=GET graphql | api graphql with -f=query=mutation* -F=query=mutation* --raw-field=query=mutation*
    -f=query=*mutation*; credentials auth token | auth status with -t --show-token; is names-words
  commands 2 | status,browse 1 | repo deploy-key,autolink,gitignore,license 3 | codespace,cs ports 3
  unoffered ext,copilot,codespace,cs
  verbs pr+list=pr+ls | issue+list=issue+ls; alias-verb alias set
git = globals -C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --list-cmds
  values -C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source | commit -m --message -F
    --file -c -C --author --date -t --template --fixup --squash --trailer | push -o --push-option --repo
    --receive-pack --exec | clone -b --branch -o --origin -u --upload-pack -c --config --depth --template --reference
    --separate-git-dir -j --filter | fetch --depth -j --upload-pack --shallow-since -o --filter | pull -s --strategy
    -X --depth --upload-pack | ls-remote --upload-pack | checkout -b -B --orphan --conflict | switch -c -C --create
    --force-create --orphan | branch -u --set-upstream-to --contains --no-contains --merged? --no-merged? --points-at
    --sort --format | log -n -S -G -L --grep --author --committer --since --until --after --before --format --pretty
    --max-count --output -O --skip | shortlog -n? --since --until | diff --output -O -S -G --diff-filter -U | show
    --output --format --pretty | rebase -x --exec --onto -s -X -C --strategy | merge -m -s -X -F --strategy | tag -m
    -F -u --sort --format --contains --points-at | stash -m --message | clean -e --exclude | restore -s --source
    --conflict | config -f --file --blob --type --default --get-color --get-regexp? | grep -e -f -A -B -C -m -O?
    --open-files-in-pager? --max-depth | difftool -x --extcmd -t --tool | archive -o --output --format --prefix
    --remote --exec | format-patch -o --output-directory -n? -v --subject-prefix | blame -L -S --since --date |
    worktree -b -B --reason | cherry-pick -m -s -X -S? | revert -m -s -X -S? | apply --directory --exclude --include
    -p -C | remote -t -m | submodule -b --branch --reference --depth --name
  same push -f=--force -u=--set-upstream -d=--delete -n=--dry-run -o=--push-option -q=--quiet -v=--verbose | commit
    -m=--message -a=--all -n=--no-verify -F=--file -s=--signoff -S=--gpg-sign -p=--patch | branch -d=--delete
    -f=--force -m=--move -c=--copy -a=--all -r=--remotes | clean -f=--force -n=--dry-run -i=--interactive -q=--quiet
    -e=--exclude | checkout -f=--force -q=--quiet -t=--track -m=--merge | switch -f=--force=--discard-changes
    -c=--create -C=--force-create -d=--detach | add -f=--force -A=--all -n=--dry-run -u=--update -p=--patch | rm
    -f=--force -n=--dry-run | tag -d=--delete -f=--force -a=--annotate -s=--sign -m=--message | fetch -f=--force
    -p=--prune -a=--append -t=--tags | rebase -i=--interactive -x=--exec | worktree -f=--force
  starts bisect run | submodule foreach script; script -x --exec of rebase; files worktree
  medium {commit,push,reset,clean,rebase,merge,cherry-pick,revert,branch,checkout,switch,tag} *
  reads-below grep,archive; writes-below mv | rm with -r
  spreads-below checkout unless -b -B --orphan -t --track | restore unless -S --staged | clean unless -n --dry-run |
    stash bare | stash push,pop,apply,save,-u | apply,am unless --check --stat --cached
  network fetch,pull,push,clone,ls-remote,send-email unless --dry-run | submodule update,add | remote
    update,show,prune | lfs pull,push,fetch
  downloads archive with --remote~; version short verb; tamper config operand http.sslVerify=false
  git-destructive push with -f --force --force-with-lease --force-with-lease=* --mirror --delete -d --prune unless -n
    --dry-run | push operand +* :* *:refs/heads/+* unless -n --dry-run | reset with --hard --merge --keep | clean with
    -f --force unless -n --dry-run | checkout with -f --force | checkout operand . ./ :/ :/* unless -b -B --orphan -t
    --track -p --patch | switch with -f --force --discard-changes | branch with -D | stash drop,clear | reflog
    expire,delete unless -n --dry-run | gc with --prune=now --prune=all --prune=0 | prune unless -n --dry-run |
    filter-branch,filter-repo | update-ref with -d --stdin | symbolic-ref with -d --delete | worktree remove with -f
    --force | submodule deinit with -f --force --all | read-tree with --reset -u | checkout-index with -f --force |
    replace with -d --delete | notes remove,prune | lfs prune unless -n --dry-run | svn dcommit,reset | p4 submit | rm
    with -f --force operand . ./ :/ unless -n --dry-run --cached | stash store | restore with -W --worktree unless -p
    --patch | restore unless -S --staged -p --patch | push with --force~ --mirror~ --delete~ --prune~ unless -n --dry-run |
    remote add with --mirror --mirror=* --mirror~ | pull operand +*:* unless *:refs/remotes/* | pull with -f --force
    operand *:* |
    checkout with -B | switch with -C --force-create | branch with -f --force | replace unless -l --list | fast-import
    | update-ref operand * | symbolic-ref * * | read-tree with --empty | update-index with --force-remove --remove |
    lfs migrate unless info | annex drop,dropunused with --force | send-pack with -f --force | for-each-repo operand
    clean,reset,prune,rm,push,checkout
  option-exec with --exec-path=* --config-env | clone,fetch,pull,ls-remote with --upload-pack -u | push,send-pack with
    --receive-pack --exec | archive with --exec | difftool with -x --extcmd | grep with -O --open-files-in-pager |
    clone,fetch,pull,ls-remote,remote,submodule operand ext::* fd::* | clone,init with --template |
    instaweb,daemon,shell,cvsserver | config edit | config with -e --edit
  publish-deploy send-email; credentials credential fill,approve; persistence maintenance start,register
  lists-files ls-files,ls-tree | status | diff,show,log,diff-tree with --name-only; check settings pathspecs
  reads status -sbvz -u? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignored?
    --ignore-submodules? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?
    | diff,show,log,diff-tree,diff-index,diff-files <diff> <log> | range-diff <diff> <log> --creation-factor=number
    --no-dual-color | stash list <diff> <log> | stash show <diff> <log> -u --include-untracked --only-untracked |
    reflog <diff> <log> operands 0 | reflog show <diff> <log> | reflog exists | reflog list | branch -arvlq <refs>
    --list --show-current --all --remotes --verbose --quiet --abbrev? --no-abbrev operands 0 | branch -arvlq <refs>
    --list --show-current --all --remotes --verbose --quiet --abbrev? --no-abbrev needs --list -l --show-current
    --merged --no-merged --contains --no-contains --points-at | tag -l -n? <refs> --list --omit-empty operands 0 | tag
    -l -n? <refs> --list --omit-empty needs -l --list --merged --no-merged --contains --no-contains --points-at |
    for-each-ref <refs> --count=number --omit-empty --exclude= --shell --perl --python --tcl --stdin
    --include-root-refs | remote -v --verbose operands 0 | remote get-url --all --push | rev-parse -q --verify --quiet
    --short? --abbrev-ref? --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup
    --show-superproject-working-tree --git-dir --absolute-git-dir --git-common-dir --git-path= --is-inside-work-tree
    --is-inside-git-dir --is-bare-repository --is-shallow-repository --all --branches? --tags? --remotes? --revs-only
    --no-revs --flags --no-flags --default= --sq --not --since= --until= --path-format= --show-object-format?
    --show-ref-format --local-env-vars --end-of-options | rev-list <diff> <log> --count --objects --objects-edge
    --no-object-names --disk-usage? --header --use-bitmap-index --filter= --bisect | ls-files -cdmoisuktvfz -x= -X=
    --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --no-empty-directory
    --eol --deduplicate --exclude= --exclude-from= --exclude-per-directory= --exclude-standard --error-unmatch
    --with-tree= --full-name --abbrev? --debug --format= --sparse --resolve-undo | ls-tree -drtlz --name-only
    --name-status --object-only --abbrev? --full-name --full-tree --long --format= | cat-file -tsepZ --batch?
    --batch-check? --batch-command? --batch-all-objects --buffer --unordered --follow-symlinks --allow-unknown-type
    --filter= --use-mailmap | blame,annotate -bceflnpstwkh -C? -M? -L=any -S= --root --show-stats --progress
    --no-progress --reverse --porcelain --line-porcelain --incremental --encoding= --date= --first-parent --since=
    --ignore-rev= --ignore-revs-file= --color-lines --color-by-age --minimal --show-name --show-number --show-email
    --score-debug --abbrev=number | describe --all --tags --contains --abbrev? --always --long --first-parent --match=
    --exclude= --candidates=number --exact-match --dirty? --broken? --debug | shortlog <log> -nsec -# -w? --numbered
    --summary --email --group= | config get --all --regexp --value= --fixed-value --url= --show-origin --show-scope
    --name-only --show-names -z --null --type= --bool --int --path --global --system --local --worktree -f= --file=
    --default= --includes | config list --show-origin --show-scope --name-only -z --null --type= --global --system
    --local --worktree -f= --file= --includes | config --show-origin --show-scope --null --type= --bool --int --path --global
    --system --local --worktree --default= operands 1 like *.* | config --get --get-all --get-regexp --get-urlmatch --get-color
    --get-colorbool --list -lz --show-origin --show-scope --name-only --null --type= --bool --int --path --bool-or-int
    --expiry-date --global --system --local --worktree -f= --file= --blob= --includes --no-includes --default= needs
    --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --list -l | worktree list -vz --verbose
    --porcelain | grep -aIiwvhHEGFPnlLcorWpqz -# -e=any -f= -m=number -A=number -B=number -C=number --and --or --not
    --cached --untracked --no-index --exclude-standard --no-exclude-standard --text --ignore-case --word-regexp
    --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column
    --files-with-matches --name-only --files-without-match --null --only-matching --count --color? --no-color --break
    --heading --show-function --context=number --after-context=number --before-context=number --function-context
    --max-count=number --max-depth=number --threads=number --recursive --no-recursive --all-match --quiet
    --no-textconv | merge-base -a --all --octopus --independent --is-ancestor --fork-point | name-rev --tags --refs=
    --exclude= --all --name-only --no-undefined --always --annotate-stdin --stdin | show-ref -dq -s? --head --heads
    --branches --tags --dereference --hash? --verify --abbrev? --quiet --exists | count-objects -vH --verbose
    --human-readable | check-ignore -qvnz --quiet --verbose --stdin --non-matching --no-index | check-attr -az --all
    --cached --stdin --source= | check-mailmap --stdin | check-ref-format --branch --normalize --allow-onelevel |
    cherry -v --abbrev? | var -l | symbolic-ref -q --quiet --short --no-recurse operands 1 | notes operands 0 | notes
    list,show | show-branch -ar -g? --all --remotes --topo-order --date-order --sparse --more=number --list
    --merge-base --independent --no-name --sha1-name --topics --reflog? --current --color? --no-color | hash-object
    -t= --stdin --no-filters --path=
  reads-as repository
  reads-globals -P -C= --no-pager --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs
    --icase-pathspecs --no-replace-objects
  reads-list diff -puszRabwWrtcmDvq -# -U=number -M? -C? -B? -l=number -S=any -G=any -I=any --patch --no-patch
    --unified=number --raw --patch-with-raw --patch-with-stat --stat? --stat-width=number --stat-name-width=number
    --stat-graph-width=number --stat-count=number --no-stat --numstat --shortstat --dirstat? --cumulative --summary
    --compact-summary --name-only --name-status --submodule=short --color? --no-color --color-moved? --no-color-moved
    --color-moved-ws= --word-diff? --word-diff-regex=any --color-words? --no-renames --rename-empty --no-rename-empty
    --check --ws-error-highlight= --full-index --binary --abbrev? --no-abbrev --break-rewrites? --find-renames?
    --find-copies? --find-copies-harder --irreversible-delete --diff-filter= --find-object= --pickaxe-all
    --pickaxe-regex --relative? --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change
    --ignore-all-space --ignore-blank-lines --ignore-matching-lines=any --inter-hunk-context=number --function-context
    --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules? --src-prefix= --dst-prefix= --no-prefix
    --default-prefix --line-prefix= --ita-invisible-in-index --minimal --patience --histogram --anchored=
    --diff-algorithm= --indent-heuristic --no-indent-heuristic
    --diff-merges=off,none,on,first-parent,1,separate,m,combined,c,dense-combined,cc --no-diff-merges
    --combined-all-paths --cc --merge-base --cached --staged --no-index --base --ours --theirs --end-of-options | log
    -n=number -L=any -gEFPi --oneline --format=any --pretty? --abbrev-commit --no-abbrev-commit --date= --decorate?
    --no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations --source --graph --no-graph --all
    --branches? --tags? --remotes? --glob= --exclude= --exclude-hidden= --reflog --stdin --max-count=number
    --skip=number --since= --since-as-filter= --after= --until= --before= --author=any --committer=any --grep=any
    --grep-reflog=any --all-match --invert-grep --regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings
    --perl-regexp --merges --no-merges --min-parents= --max-parents= --no-min-parents --no-max-parents --first-parent
    --exclude-first-parent-only --not --cherry --cherry-pick --cherry-mark --left-right --left-only --right-only
    --walk-reflogs --merge --boundary --simplify-by-decoration --full-history --dense --sparse --simplify-merges
    --ancestry-path? --topo-order --date-order --author-date-order --reverse --no-walk? --do-walk --follow --no-follow
    --mailmap --use-mailmap --no-mailmap --full-diff --log-size --notes? --no-notes --encoding= --expand-tabs?
    --no-expand-tabs --parents --children --timestamp --relative-date --show-pulls --remove-empty --root
    --no-commit-id | refs -i --sort= --format= --column? --no-column --color? --no-color --ignore-case --merged?
    --no-merged? --contains? --no-contains? --points-at=
  is abbreviates fetcher lists names-words open reader relied
  git-destructive fetch operand +*:* unless *:refs/remotes/* | fetch with -f --force operand *:* | http-push
  credentials credential reject
  verbs push=send-pack | fetch=fetch-pack | add=stage | blame=annotate | log=whatchanged
  implied push +*>--force --mirror>--force :*>--delete; aliases -c GIT_CONFIG_; alias-verb config; is dashed negates
git-filter-repo bfg = git-destructive
glab = values -R --repo -X --method -f --raw-field -F --field; network unless version config completion
  publish-deploy mr merge,close,delete | release,repo,variable,issue,ci,project,label,ssh-key,snippet create,delete,
    upload,set,update,archive,transfer,run,trigger,cancel,retry,add | api with -X --method -f -F --field --raw-field
  credentials auth token | auth status with -t --show-token; is names-words
  commands 2 | repo mirror,members,contributors 3 | cluster agent 3; unoffered api,alias,duo
hg svn = network clone,pull,push,checkout,update,commit,co,up
  @hg git-destructive strip,purge,rollback,histedit | update,up,co,checkout,revert with -C --clean --all --no-backup |
    push with -f --force
  @svn git-destructive revert with -R --recursive | delete,rm,remove operand http*://* svn*://* --force
  is fetcher names-words open
  @hg values --config -R --cwd -r
  @hg aliases --config
  @svn git-destructive cleanup with --remove-unversioned --remove-ignored
hub = means git; hook ^alias; publish-deploy delete,release,merge | api with -X --method -f -F
jj = git-destructive abandon,restore | op,operation restore,undo,abandon | git push with --deleted; is names-words
p4 = git-destructive obliterate,revert,delete
repo = git-destructive forall,prune,abandon
  is ordinary
svnadmin = git-destructive rmtxns,setrevprop
bzr brz = git-destructive revert,uncommit,purge,clean-tree
`
