import { rules } from "../Rules.ts"

/** What others see at once: registries, clusters, clouds (policy §3.1). */
export const deploy = [
  ...rules(
    "publish-deploy",
    `
    npm,pnpm,yarn,bun,lerna,changeset,jsr,nx publish unless --dry-run -n --dryRun
    npm,pnpm,yarn       unpublish,deprecate,owner,access,token,team,hook,org unless ls list get
    npm,pnpm            dist-tag add,rm,remove,set
    yarn                npm,tag publish,add,remove,logout,tag unless --dry-run -n
    npx                 operand *semantic-release,np,release-it,*changeset-publish unless --dry-run
    semantic-release,np,release-it,auto unless --dry-run -d --no-publish
    cargo               publish,yank,owner unless --dry-run -n --list
    cargo               release,workspaces with -x --execute
    gem                 push,yank,owner
    rake                release
    twine               upload,register
    poetry,flit,hatch,uv,pdm,maturin,rye publish unless --dry-run
    maturin             upload
    python              setup.py ** upload,register
    python              upload with -m=twine
    mvn,mvnw            deploy,release:perform,release:prepare,nexus-staging:*,*:deploy unless -DdryRun=true
    gradle,gradlew      publish,publish*,uploadArchives,closeAndRelease* unless --dry-run -m publishToMavenLocal
    sbt                 publish,publishSigned,sonatype*
    dotnet,nuget        nuget,push,delete push,delete
    nuget               push,delete
    pod                 trunk push,delete,deprecate
    vsce,ovsx           publish,unpublish
    dart,flutter        pub publish unless --dry-run -n
    mix                 hex.publish,hex.retire
    cabal,stack         upload
    luarocks            upload
    anaconda,conda      upload,remove
    deno                publish,deploy unless --dry-run
    lein                deploy
    goreleaser          release unless --snapshot --skip=publish
    docker,podman,nerdctl,buildah push
    docker,podman       image,manifest,compose push
    docker,podman       build,buildx,bake with --push
    docker              buildx build,bake with --push
    skopeo              copy,delete,sync
    crane               push,delete,copy,tag
    helm,oras,regctl,imgpkg push,delete
    cosign              sign,attest,attach
    composer            publish
    fastlane            release,deliver,pilot,beta,deploy,supply,upload_*
    xcrun               altool,notarytool with --upload-app
    xcrun               altool,notarytool submit
    eas,expo            submit,publish,update
    terraform,tofu,terragrunt apply,destroy,import,taint,untaint,force-unlock,apply-all,destroy-all unless -help
    terraform,tofu,terragrunt state rm,mv,push,replace-provider
    terraform,tofu,terragrunt workspace delete
    terragrunt          run-all apply,destroy
    pulumi              up,update,destroy,refresh,import,cancel
    pulumi              stack,state,config rm,delete,unprotect,set
    cdk,cdktf,sst,sam,serverless,sls,copilot,chalice,zappa,up,architect,arc deploy,destroy,remove,delete,bootstrap,
      undeploy,rollback unless --dry-run --noop
    cdk8s,ansible-pull
    ansible-playbook    unless --check -C --syntax-check --list-hosts --list-tasks --list-tags
    ansible             operand * unless --list-hosts localhost
    salt,salt-call,salt-ssh,puppet,chef-client,knife
    helm,helmfile       install,upgrade,uninstall,delete,del,un,rollback,apply,sync,destroy unless --dry-run
      --dry-run=*
    argocd              app delete,sync,set,create,rollback,patch,terminate-op
    argocd              cluster,repo,proj rm,add,delete,create
    flux                delete,suspend,uninstall,bootstrap,reconcile,create,resume
    istioctl,linkerd,cilium install,uninstall,uninject,upgrade
    eksctl,kops,kubeadm,k3d,kind,minikube delete,create,upgrade,reset,join,init,drain,scale,cluster unless get
    k3d,kind            delete,create cluster,clusters
    minikube,colima,limactl,multipass,orb delete,purge
    nomad               job,node,system,namespace,var,volume,alloc run,stop,drain,purge,gc,delete,deregister,
      restart,eligibility
    nomad               run,stop
    consul              kv,acl,services,config,leave,operator delete,put,deregister,write,bootstrap
    vault               delete,write,unwrap,revoke,seal,rekey,operator
    vault               kv,secrets,auth,policy,token,lease,namespace delete,destroy,put,patch,metadata,disable,
      enable,write,revoke,undelete,move
    etcdctl             del,put,auth,user,role,member,snapshot unless get list save status
    zkCli.sh,kafka-topics.sh,kafka-topics with --delete
    kafka-topics,kafka-configs,kafka-acls,kafka-consumer-groups with --delete --alter --reset-offsets
    kafka-delete-records,kafka-delete-records.sh,kafka-leader-election
    rabbitmqctl         reset,force_reset,stop,stop_app,delete_*,purge_queue,forget_cluster_node,clear_*
    heroku,fly,flyctl,vercel,netlify,wrangler,firebase,railway,render,surge,now,amplify,eb,dokku,caprover,doppler,
      cf,ibmcloud,doctl,hcloud,linode-cli,scw,vultr-cli,oci,openstack,civo,exo,upctl ** *destroy*,*delete*,deploy,
      deploy:*,undeploy,*publish,*rollback*,*terminate*,promote,releases:*,scale,scale:*,ps:*,config:set,
      config:unset,secrets,secret,env,down,remove,rm,restart*,run,run:*,pg:reset,pg:push,pg:pull,maintenance:*,
      domains*,apps:*,addons:*,create,push,up,update,purge,container:release,reset,transfer,stop,set,unset,import,
      upload,hosting:disable,put,kill,resize,reboot,rebuild,shutdown,power-off,unbind-service,bind-service unless
      --dry-run --dryRun list ls
    vercel,now,netlify  with --prod --production -p
    surge,gh-pages,railway bare
    eb                  deploy,terminate,abort,swap,scale,restore,setenv
    supabase            db,functions,secrets,projects,branches,storage reset,push,deploy,delete,unset,set,rm unless
      --local --dry-run
    cap,capistrano,mina,dep,kamal,dokku,shipit * deploy*,rollback,setup,remove,app,destroy
    fab,kamal,cap,mina,deployer deploy*,rollback,remove,setup,redeploy
    packer              build
    waypoint            up,deploy,release,destroy
    vagrant             destroy,halt,reload,provision unless --help
    virsh               destroy,undefine,shutdown,reboot,reset,snapshot-delete,snapshot-revert,vol-delete,
      pool-delete,pool-destroy,net-destroy,net-undefine,detach-disk
    VBoxManage,vboxmanage unregistervm,controlvm,closemedium,modifyvm
    vmrun,prlctl        stop,deleteVM,delete,reset,revertToSnapshot
    lxc,incus           delete,stop,exec,restart,move,rebuild
    qm,pct              destroy,stop,reset,shutdown,rollback
    gcloud              ** delete,create,update,deploy,stop,start,reset,remove-*,add-*,set-*,ssh,scp,submit,resize,
      rollback,disable,enable,promote,import,export,restart,failover,replace,undelete,suspend,resume,patch,move,
      clear,abandon,destroy,recreate*,invoke,call,execute,publish,purge,detach-*,attach-* unless --dry-run
      --validate-only configurations
    gcloud              storage cp,mv,rm,rsync
    gsutil              rm,mv,rsync,rb,setmeta,acl,iam,defacl,lifecycle,web,cors unless get
    gsutil              cp last gs://*
    bq                  rm,mk,load,update,cp,insert
    az                  ** delete,create,update,start,stop,restart,deallocate,purge,remove,deploy,up,upload,
      upload-batch,delete-batch,import,scale,regenerate*,reset*,swap,set-policy,assign,cancel,detach,attach,invoke,
      add,set,run-command,redeploy,reimage,failover,renew,sync,copy unless account configure config cloud
    aws                 * delete-*,terminate-*,remove-*,deregister-*,destroy-*,stop-*,reboot-*,purge-*,disable-*,
      detach-*,revoke-*,put-*,create-*,update-*,modify-*,run-*,start-*,attach-*,authorize-*,add-*,set-*,reset-*,
      restore-*,cancel-*,release-*,import-*,register-*,associate-*,disassociate-*,tag-*,untag-*,publish*,send-*,
      invoke*,execute-*,schedule-*,deploy,delete,enable-*,replace-*,reject-*,accept-*,rotate-*,upload-*,copy-*,
      batch-write*,batch-delete*,empty*,change-*,admin-*,assign-*,unassign-*,promote-*,failover-*,rebuild-*,
      unsubscribe,subscribe,request-* unless --dry-run --dryrun --generate-cli-skeleton
    aws                 s3 rm,rb,mv,sync,mb,website unless --dryrun
    aws                 s3 cp last s3://* unless --dryrun
    aws                 s3 presign
    s3cmd,s4cmd,s5cmd,mc,rclone,b2,azcopy,swift del,delete,deletefile,rm,rb,sync,purge,mv,move,put,copy,copyto,
      moveto,mirror,rmdir,rmdirs,cleanup,remove,upload,setacl,dedupe,bisync,modify,fixbucket,delete-*,upload-*,post
      unless --dry-run -n
    s3cmd,s4cmd,s5cmd,mc,azcopy cp,copy last s3://* */* https://*
    cloudflared         tunnel,access,service
    ngrok,localtunnel,lt,bore,serveo,zrok,frpc,playit,pagekite,telebit
    ssh                 with -R -w
    slackcat,ntfy,pushover
    circleci,jenkins-cli,buildkite-agent trigger,build,run,delete
    stripe              trigger,post,delete,refunds,payouts,charges,customers
    twilio,sendgrid,mailgun
    `
  )
]
