import { rules } from "../Rules.ts"

/** Containers, clusters and databases through their own clients (policy §3.1). */
export const container = [
  ...rules(
    "container",
    `
    docker,podman,nerdctl system,volume,container prune
    docker,podman,nerdctl image,builder,buildx prune with -a --all
    docker,podman,nerdctl system reset
    docker,podman,nerdctl volume rm,remove
    docker,podman,nerdctl exec with --privileged
    docker,podman,nerdctl compose down with -v --volumes --rmi
    docker,podman,nerdctl compose rm with -v
    docker-compose,podman-compose down with -v --volumes --rmi
    docker-compose      rm with -v
    docker              swarm leave,init,join,update
    docker              stack,service,node,secret,config rm,remove,deploy,update,scale,demote,promote,create,
      rollback
    docker              plugin install,enable,upgrade
    docker,podman       with -H=tcp:* -H=ssh:* --host=tcp:* --host=ssh:*
    podman              machine,pod,system rm,reset,stop,prune
    crictl              rm,rmi,rmp,stop,stopp,exec
    ctr,nerdctl         run,tasks,task,containers,images,snapshots,content rm,delete,kill,exec,del
    ctr                 run
    lxc-destroy,lxc-stop,lxc-execute
    kubectl,oc,k        delete,drain,exec,apply,scale,patch,replace,edit,cordon,uncordon,taint,set,rollout,label,
      annotate,attach,debug,create,run,expose,autoscale,cp,certificate,evict,adm,new-app,start-build,rsh,import,
      policy,process unless --dry-run=client --dry-run=server --dry-run status history token
    kubectl,oc          config delete-*,set-credentials,unset
    kubectl             proxy with --address=0.0.0.0 --accept-hosts
    kubectl,oc          create with token
    kubectx             with -d -u
    kustomize           edit
    `
  ),
  ...rules(
    "database",
    `
    dropdb,dropuser,pg_dropcluster,pg_resetwal,pg_resetxlog,pg_rewind
    mysqladmin,mariadb-admin drop,shutdown,kill,flush-*,password,refresh,stop-slave,stop-replica
    mysqladmin          ** drop,shutdown
    mongorestore        with --drop
    pg_restore          with -c --clean
    pg_ctl              stop,restart,kill,promote
    redis-cli           with --eval
    prisma              migrate reset
    prisma              db push with --force-reset --accept-data-loss
    rails,rake,bin/rails,bin/rake *db:drop*,*db:reset*,*db:schema:load*,*db:truncate_all*,*db:purge*,
      *db:migrate:reset*,*db:structure:load*,*db:seed:replant*
    sequelize,sequelize-cli db:drop,db:migrate:undo:all,db:migrate:undo
    knex                migrate:rollback,migrate:down
    typeorm             schema:drop,migration:revert
    mikro-orm           schema:drop,schema:fresh,migration:down
    drizzle-kit         drop,push
    alembic             downgrade
    flask               db downgrade
    python              *manage.py flush,reset_db,reset_schema,drop_test_database
    manage.py,django-admin flush,reset_db
    python              *manage.py migrate * zero
    django-admin        migrate * zero
    php,artisan         ** migrate:fresh,migrate:reset,migrate:refresh,db:wipe,migrate:rollback,
      doctrine:database:drop,doctrine:schema:drop,cache:clear-db
    artisan,sail        ** migrate:fresh,migrate:reset,migrate:refresh,db:wipe
    symfony,console     ** doctrine:database:drop,doctrine:schema:drop
    flyway              clean,undo,repair
    liquibase           dropAll,drop-all,rollback*
    mix                 ecto.drop,ecto.reset,ecto.rollback
    diesel              database,migration reset,revert
    diesel              setup with --force
    sqlx                database,db drop,reset
    goose               ** reset,down-to,down
    migrate             ** drop,down,force
    dbmate              drop,down,rollback
    supabase            db reset
    hasura              metadata,migrate clear,delete
    wrangler            d1,kv,kv:key,kv:namespace,kv:bulk,r2 delete
    wrangler            kv,r2 ** delete,bulk
    influx              delete
    influx              bucket,org delete
    rethinkdb,couchbase-cli bucket-delete,bucket-flush
    nodetool            drain,decommission,removenode,assassinate,clearsnapshot
    cypher-shell        operand *DELETE* *delete* *DROP*
    es,elasticdump,curator delete
    atlas               ** delete,terminate,pause
    pscale,planetscale,neonctl,neon,turso,railway ** delete,destroy,reset,rm
    drush               sql-drop,sql:drop,site-install,si
    wp                  db drop,reset,clean
    wp                  site empty,delete
    memcflush,memcached-tool flush_all
    `
  ),
  ...rules(
    "credentials",
    `
    gh auth             token
    gh auth             status with -t --show-token
    glab auth           token
    glab auth           status with -t --show-token
    gcloud auth         print-access-token,print-identity-token,print-refresh-token
    gcloud auth         application-default print-access-token
    gcloud auth         application-default,login,activate-service-account print-*
    gcloud secrets      versions access
    gcloud iam          service-accounts keys create
    gcloud config       config-helper
    aws configure       get operand *secret* *key* *token*
    aws configure       export-credentials,set
    aws secretsmanager  get-secret-value,batch-get-secret-value
    aws ssm             get-parameter,get-parameters,get-parameters-by-path with --with-decryption
    aws sts             get-session-token,assume-role*,get-federation-token
    aws ecr,ecr-public,codeartifact get-login-password,get-authorization-token,get-login
    aws eks             get-token
    aws iam             create-access-key,create-login-profile
    aws kms             decrypt
    aws lambda          get-function-configuration
    az account          get-access-token
    az keyvault         secret,key,certificate show,download,backup
    az                  ** list-keys,list-credentials,list-publishing-profiles,list-connection-strings
    az acr              credential,login show
    az storage          account keys list
    az storage          account keys
    kubectl,oc          get,describe secret,secrets,secret/*,secrets/*
    kubectl             config view with --raw --flatten
    kubectl             create token
    oc                  whoami with -t --show-token
    vault               read,login,print
    vault               kv get
    vault               token create,lookup
    op                  read,item,get,document,inject
    pass,gopass,passage unless ls list version git init find grep
    pass,gopass         show,otp,grep,-c
    bw,rbw,lpass        get,show,export,list
    keepassxc-cli       show,export,clip,ls
    security            find-generic-password,find-internet-password,dump-keychain,export,find-key,find-identity,
      find-certificate,login-keychain,show-keychain-info
    secret-tool         lookup,search
    keyring             get
    kwallet-query,gnome-keyring,seahorse
    gpg,gpg2            with --export-secret-keys --export-secret-key --export-secret-subkeys --export-ownertrust
    git                 credential fill,approve
    git-credential-store,git-credential-cache,git-credential-osxkeychain,git-credential-manager,
      docker-credential-desktop,docker-credential-osxkeychain,docker-credential-pass,
      docker-credential-secretservice,docker-credential-ecr-login
    npm                 token list,create
    npm,pnpm            config,c get operand *_auth* *Token* *password*
    heroku              auth:token
    heroku              config,authorizations,config:get
    fly,flyctl          auth token
    fly,flyctl          tokens create
    doctl               auth,kubernetes token,cluster kubeconfig
    vercel              env pull
    doppler             secrets,configure download,get,debug
    infisical           secrets,export
    netlify             env:list,env:get
    sops                with -d --decrypt
    sops                decrypt
    age                 with -d --decrypt
    ansible-vault       view,decrypt,edit
    chamber             read,export
    ssh-keygen          with -y
    ssh-add             with -D -d
    mimikatz,lazagne,laZagne.py,hashcat,john,unshadow,secretsdump.py,crackmapexec,responder,hydra,gitleaks-steal,
      pypykatz,procdump,gcore,firefox_decrypt
    klist,kinit         with -k
    strings             operand /dev/mem /dev/kmem /proc/kcore
    getent              shadow,gshadow
    networksetup        with -getairportpassword
    nmcli               with -s --show-secrets
    docker              secret inspect
    systemd-creds       decrypt,cat
    chezmoi             secret
    circleci            context
    snyk                config get
    locate,mlocate,plocate operand *id_rsa* *id_ed25519* *.pem *.kdbx *credentials* *.env *shadow* *wallet* *.key
      *.p12
    `
  )
]
