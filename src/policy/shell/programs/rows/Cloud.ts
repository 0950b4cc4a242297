/** The last word of a command that only looks. */
const looks = "list,ls,show,status,describe,info"

/** Cloud providers, hosting and deployment. `../Table.ts` says how a row is read. */
export const cloud = String.raw`
anaconda = publish-deploy upload,remove
ansible = values -i -m --module-name -a --args -u --user -e --extra-vars -l --limit -f -b?
  script -a --args of ** unless -m --module-name | -a --args of ** with -m=shell,-m=command,-m=raw,-m=script,
    --module-name=shell,--module-name=command,--module-name=raw,--module-name=script
  publish-deploy operand * unless --list-hosts localhost -m=ping -m=setup -m=debug -m=ansible.builtin.ping -m=ansible.builtin.setup; option-exec with --vault-password-file=/tmp*
ansible-playbook = values -i -e --extra-vars -l --limit -t --tags -u --user --skip-tags
  publish-deploy unless --check -C --syntax-check --list-hosts --list-tasks --list-tags
  option-exec with --vault-password-file=/tmp*
argocd = network unless version config completion
  publish-deploy app delete,sync,set,create,rollback,patch,terminate-op | cluster,repo,proj rm,add,delete,create
  commands ** ${looks},get,diff,history
aws = globals --profile --region --endpoint-url --output --query
  values --profile --region --endpoint-url --output --query --cli-input-json --exclude --include --acl --bucket --key
    --instance-ids --secret-id --name --names --stack-name --role-arn --role-session-name --table-name --function-name
    --payload --body --ca-bundle --color --cli-read-timeout; network unless version config completion
  downloads s3 last - | s3api
  publish-deploy * delete-*,terminate-*,remove-*,deregister-*,destroy-*,stop-*,reboot-*,purge-*,disable-*,detach-*,
    revoke-*,put-*,create-*,update-*,modify-*,run-*,start-*,attach-*,authorize-*,add-*,set-*,reset-*,restore-*,cancel-*,
    release-*,import-*,register-*,associate-*,disassociate-*,tag-*,untag-*,publish*,send-*,invoke*,execute-*,schedule-*,
    deploy,delete,enable-*,replace-*,reject-*,accept-*,rotate-*,upload-*,copy-*,batch-write*,batch-delete*,empty*,close-*,close,leave-*,purge,
    change-*,admin-*,assign-*,unassign-*,promote-*,failover-*,rebuild-*,unsubscribe,subscribe,request-* unless --dry-run
    --dryrun --generate-cli-skeleton | s3 rm,rb,mv,sync,mb,website unless --dryrun | s3 cp last s3://* unless --dryrun |
    s3 presign
  credentials configure get operand *secret* *key* *token* | configure export-credentials,set | secretsmanager
    get-secret-value,batch-get-secret-value | ssm get-parameter,get-parameters,get-parameters-by-path with
    --with-decryption | sts get-session-token,assume-role*,get-federation-token | ecr,ecr-public,codeartifact
    get-login-password,get-authorization-token,get-login | eks get-token | iam create-access-key,create-login-profile |
    kms decrypt | lambda get-function-configuration; is names-words
  commands 2 | * wait 3
az = globals --subscription --output -o --query
  values -g --resource-group -n --name --subscription -o --output --query --ids -l --location
  network unless version config completion
  publish-deploy ** delete,create,update,start,stop,restart,deallocate,purge,remove,deploy,up,upload,upload-batch,
    delete-batch,import,scale,regenerate*,reset*,swap,set-policy,assign,cancel,detach,attach,invoke,add,set,run-command,
    redeploy,reimage,failover,renew,sync,copy unless account configure config cloud
  credentials account get-access-token | keyvault secret,key,certificate show,download,backup | ** list-keys,
    list-credentials,list-publishing-profiles,list-connection-strings | acr credential,login show | storage account keys
    list | storage account keys; script-word --command --exec-command; is names-words
  commands ** ${looks},list-*,show-*,exists,check-*,version
bq = statements sql operand 1; publish-deploy rm,mk,load,update,cp,insert
buildah = publish-deploy push
cap mina capistrano dep shipit kamal fab deployer =
  @cap,mina,capistrano,dep,shipit,kamal publish-deploy * deploy*,rollback,setup,remove,app,destroy
  @kamal script operands 2 of app exec
  @cap,mina,kamal,fab,deployer publish-deploy deploy*,rollback,remove,setup,redeploy
  @cap,dep is ordinary
  @fab may-start dashes remote values -H -i -u -p
cdk cdktf sst sam serverless sls copilot chalice zappa up architect arc =
  publish-deploy deploy,destroy,remove,delete,bootstrap,undeploy,rollback unless --dry-run --noop
  @sst,sam,copilot,up,architect is ordinary
cdk8s ansible-pull salt salt-call salt-ssh chef-client knife kafka-delete-records kafka-delete-records.sh
    kafka-leader-election ngrok localtunnel lt bore serveo zrok frpc playit pagekite telebit slackcat ntfy pushover
    twilio sendgrid mailgun = publish-deploy
  @lt is ordinary
changeset jsr = publish-deploy publish unless --dry-run -n --dryRun
cloudflared = publish-deploy tunnel,access,service
colima limactl multipass orb = @limactl may-start shell skip 1 remote; @colima may-start ssh dashes remote
  @multipass may-start exec skip 1 remote; @orb may-start remote values -m -u -w except list start stop delete create info
    config logs; publish-deploy delete,purge
consul = publish-deploy kv,acl,services,config,leave,operator delete,put,deregister,write,bootstrap
  commands members,version 1 | ** ${looks},get,read
  is ordinary
  may-start lock skip 1
cosign = publish-deploy sign,attest,attach
crane = publish-deploy push,delete,copy,tag
dart flutter = tests test,analyze; publish-deploy pub publish unless --dry-run -n
  commands 1 | pub 2 | config,emulators,channel 2
  unoffered run,upgrade,install | pub get,add,upgrade,global
  @dart is ordinary
eksctl k3d kind minikube kops kubeadm = @eksctl network unless version config completion
  @minikube hook ^(docker|podman)-env
  publish-deploy delete,create,upgrade,reset,join,init,drain,scale,cluster unless get
  @k3d,kind publish-deploy delete,create cluster,clusters; @minikube publish-deploy delete,purge
  @eksctl commands ** ${looks},get; @minikube commands status,version,ip 1 | ** ${looks}
  @k3d,kind commands get,version 2 | ** ${looks}
  @minikube script operands 1 of ssh
  @kind is ordinary
etcdctl = publish-deploy del,put,auth,user,role,member,snapshot unless get list save status
expo eas = publish-deploy submit,publish,update
  @expo is ordinary
fastlane = publish-deploy release,deliver,pilot,beta,deploy,supply,upload_*
flit = publish-deploy publish unless --dry-run
flux = network unless version config completion
  publish-deploy delete,suspend,uninstall,bootstrap,reconcile,create,resume
  commands ** ${looks},check
  is ordinary
gcloud = globals --project --account --configuration --region --zone
  values --project --zone --region --account --configuration --format --filter --impersonate-service-account --verbosity
  script-word --command; network unless version config completion; downloads storage cat
  publish-deploy ** delete,create,update,deploy,stop,start,reset,remove-*,add-*,set-*,ssh,scp,submit,resize,rollback,
    disable,enable,promote,import,export,restart,failover,replace,undelete,suspend,resume,patch,move,clear,abandon,
    destroy,recreate*,invoke,call,execute,publish,purge,detach-*,attach-* unless --dry-run --validate-only
    configurations | storage cp,mv,rm,rsync
  credentials auth print-access-token,print-identity-token,print-refresh-token | auth application-default
    print-access-token | auth application-default,login,activate-service-account print-* | secrets versions access | iam
    service-accounts keys create | config config-helper; is names-words
  commands ** ${looks},list-*,get-value,get-iam-policy,read
gh-pages = publish-deploy unless --help --version
goreleaser = publish-deploy release unless --snapshot --skip=publish
gsutil = network unless version config completion; downloads
  publish-deploy rm,mv,rsync,rb,setmeta,acl,iam,defacl,lifecycle,web,cors unless get | cp last gs://*
heroku fly flyctl vercel netlify wrangler firebase railway render surge now amplify eb dokku caprover cf
    ibmcloud doctl hcloud linode-cli scw vultr-cli oci openstack civo exo upctl =
  @fly,flyctl values -C --command -a --app -r --region -c --config; @fly,flyctl script -C --command of ssh
  @wrangler values --command --file --env -c --config; @heroku starts local:run
  @railway starts run
  @heroku,fly,flyctl,vercel,netlify,wrangler,firebase,doctl network unless version config completion
  @wrangler statements sql --command
  publish-deploy ** *destroy*,*delete*,*:remove,*:unset,*:clear,deploy,deploy:*,undeploy,*publish,*rollback*,*terminate*,promote,releases:*,
    scale,scale:*,ps:*,config:set,config:unset,secrets,secret,env,down,remove,rm,restart*,run,run:*,pg:reset,pg:push,
    pg:pull,maintenance:*,domains*,apps:create,apps:destroy,apps:rename,apps:join,apps:leave,apps:lock,apps:transfer,apps:favorites*,addons:*,create,push,up,update,purge,container:release,reset,transfer,stop,
    set,unset,import,upload,hosting:disable,put,kill,resize,reboot,rebuild,shutdown,power-off,unbind-service,
    bind-service unless --dry-run --dryRun list ls
  @vercel,netlify,now publish-deploy with --prod --production -p; @railway,surge publish-deploy bare
  @eb publish-deploy deploy,terminate,abort,swap,scale,restore,setenv
  @dokku publish-deploy * deploy*,rollback,setup,remove,app,destroy
  @wrangler database d1,kv,kv:key,kv:namespace,kv:bulk,r2 delete | kv,r2 ** delete,bulk
  @railway database ** delete,destroy,reset,rm
  @heroku credentials auth:token | config,authorizations,config:get; @fly,flyctl credentials auth token | tokens create
  @doctl credentials auth,kubernetes token,cluster kubeconfig; @vercel credentials env pull
  @netlify credentials env:list,env:get
  @wrangler commands kv:* 2
  commands *:* 1 | ** ${looks},logs,whoami,version,inspect,get,plan
  unoffered *:psql,run,run:*,local,local:*,*:run,ssh,*:exec,console,dev,start,open
  @render,surge,now,amplify,cf is ordinary
  @fly alike fly=flyctl; @vercel alike vercel=now
istioctl linkerd cilium = publish-deploy install,uninstall,uninject,upgrade
jenkins-cli buildkite-agent = publish-deploy trigger,build,run,delete
kafka-topics kafka-configs kafka-acls kafka-consumer-groups = @kafka-topics publish-deploy with --delete
  publish-deploy with --delete --alter --reset-offsets
lerna = starts exec dashes; next-runs exec; publish-deploy publish unless --dry-run -n --dryRun
  is names-words
  script operands 1 of exec; tasks run
luarocks = hook ^path; publish-deploy upload
maturin = publish-deploy publish unless --dry-run | upload
nomad =
  publish-deploy job,node,system,namespace,var,volume,alloc run,stop,drain,purge,gc,delete,deregister,restart,
    eligibility | run,stop
  commands ** ${looks},inspect
  may-start alloc exec skip 1 contained kept values -task -job -i -t
oras regctl imgpkg = publish-deploy push,delete
packer = publish-deploy build
pod = publish-deploy trunk push,delete,deprecate
pulumi = values -s --stack -C --cwd -c --config -m --message; network unless version config completion
  publish-deploy up,update,destroy,refresh,import,cancel | stack,state,config rm,delete,unprotect,set
  commands preview,about,whoami,logs,version 1 | ** ls,list,get,history,output
puppet = publish-deploy; option-exec apply with -e --execute
  is ordinary
qm pct = publish-deploy destroy,stop,reset,shutdown,rollback
rabbitmqctl = publish-deploy reset,force_reset,stop,stop_app,delete_*,purge_queue,forget_cluster_node,clear_*
semantic-release np release-it auto = publish-deploy unless --dry-run -d --no-publish
  @np,auto is ordinary
skopeo = publish-deploy copy,delete,sync
stripe = publish-deploy trigger,post,delete,refunds,payouts,charges,customers
terraform tofu terragrunt = @terraform globals -chdir
  values -chdir -var -var-file -target -out -state -backup -lock-timeout -parallelism -replace -backend-config
  @terraform,tofu network init,apply,destroy,refresh,import; @terraform tests validate | fmt with -check
  @terraform version short verb
  publish-deploy apply,destroy,import,taint,untaint,force-unlock,apply-all,destroy-all unless -help | state rm,mv,push,
    replace-provider | workspace delete; @terragrunt publish-deploy run-all apply,destroy
  @terraform,tofu is names-words; is single-dash
  commands 1 | state,workspace,providers,metadata,stacks,modules 2; unoffered init,console,test,get,run-all
twine = network upload; publish-deploy upload,register
VBoxManage vboxmanage = publish-deploy unregistervm,controlvm,closemedium,modifyvm
virsh =
  publish-deploy destroy,undefine,shutdown,reboot,reset,snapshot-delete,snapshot-revert,vol-delete,pool-delete,
    pool-destroy,net-destroy,net-undefine,detach-disk
vmrun prlctl = publish-deploy stop,deleteVM,delete,reset,revertToSnapshot
vsce ovsx = publish-deploy publish,unpublish
waypoint = publish-deploy up,deploy,release,destroy
  is ordinary
xcrun = publish-deploy simctl erase,delete | altool,notarytool with --upload-app | altool,notarytool submit
zkCli.sh kafka-topics.sh = publish-deploy with --delete | deleteall,delete,rmr
doppler = starts run dashes; publish-deploy secrets,projects,configs,environments set,delete,upload,unset
  credentials secrets,configure download,get,debug
snapcraft = publish-deploy upload,push,release,close
convex = database data clear | import with --replace --replace-all; publish-deploy deploy | env remove,set unless --preview
`
