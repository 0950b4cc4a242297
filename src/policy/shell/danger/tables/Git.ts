import { rules } from "../Rules.ts"

/** Version control: work, history and shared branches that do not come back (policy §3.1). */
export const versionControl = [
  ...rules(
    "git-destructive",
    `
    git push            with -f --force --force-with-lease --force-with-lease=* --mirror --delete -d --prune unless
      -n --dry-run
    git push            operand +* :* *:refs/heads/+* unless -n --dry-run
    git reset           with --hard --merge --keep
    git clean           with -f --force unless -n --dry-run
    git checkout        with -f --force
    git checkout        operand . ./ :/ :/* unless -b -B --orphan -t --track -p --patch
    git switch          with -f --force --discard-changes
    git branch          with -D
    git stash           drop,clear
    git reflog          expire,delete unless -n --dry-run
    git gc              with --prune=now --prune=all --prune=0
    git prune           unless -n --dry-run
    git filter-branch,filter-repo
    git-filter-repo,bfg
    git update-ref      with -d --stdin
    git symbolic-ref    with -d --delete
    git worktree        remove with -f --force
    git submodule       deinit with -f --force --all
    git read-tree       with --reset -u
    git checkout-index  with -f --force
    git replace         with -d --delete
    git notes           remove,prune
    git lfs             prune unless -n --dry-run
    git svn             dcommit,reset
    git p4              submit
    git rm              with -f --force operand . ./ :/ unless -n --dry-run --cached
    git stash           store
    git restore         with -W --worktree unless -p --patch
    git restore         unless -S --staged -p --patch
    hg                  strip,purge,rollback,histedit
    hg                  update,up,co,checkout,revert with -C --clean --all --no-backup
    hg                  push with -f --force
    svn                 revert with -R --recursive
    svn                 delete,rm,remove operand http*://* svn*://* --force
    svnadmin            rmtxns,setrevprop
    jj                  abandon,restore
    jj                  op,operation restore,undo,abandon
    jj                  git push with --deleted
    fossil              purge,revert
    repo                forall,prune,abandon
    p4                  obliterate,revert,delete
    `
  ),
  ...rules(
    "option-exec",
    `
    git                 with --exec-path=* --config-env
    git clone,fetch,pull,ls-remote with --upload-pack -u
    git push,send-pack  with --receive-pack --exec
    git archive         with --exec
    git difftool        with -x --extcmd
    git grep            with -O --open-files-in-pager
    git clone,fetch,pull,ls-remote,remote,submodule operand ext::* fd::*
    git clone,init      with --template
    git instaweb,daemon,shell,cvsserver
    git config          edit
    `
  ),
  ...rules(
    "publish-deploy",
    `
    gh release          create,delete,upload,edit,delete-asset
    gh repo             delete,archive,unarchive,rename,edit,transfer,create,deploy-key,sync
    gh secret,variable  set,delete,remove
    gh pr               merge,close,ready
    gh issue            delete,close,transfer,lock
    gh workflow         run,enable,disable
    gh run              cancel,delete,rerun
    gh cache            delete
    gh ssh-key,gpg-key  add,delete
    gh gist             create,delete,edit
    gh codespace,cs     delete,stop,ssh
    gh label,ruleset,project delete,item-delete,close
    gh auth             logout,refresh,setup-git
    gh extension,ext    install,upgrade
    gh api              with -X=DELETE -X=POST -X=PUT -X=PATCH --method=DELETE --method=POST --method=PUT
      --method=PATCH -X=delete -X=post -X=put -X=patch
    gh api              with -f -F --field --raw-field --input unless -X=GET --method=GET graphql
    gh api              graphql with -f=query=mutation* -F=query=mutation* --raw-field=query=mutation*
      -f=query=*mutation*
    glab mr             merge,close,delete
    glab release,repo,variable,issue,ci,project,label,ssh-key,snippet create,delete,upload,set,update,archive,
      transfer,run,trigger,cancel,retry,add
    glab api            with -X --method -f -F --field --raw-field
    hub                 delete,release,merge
    hub api             with -X --method -f -F
    git send-email
    `
  )
]
