/** Containers and clusters. `../Table.ts` says how a row is read. */
export const containers = String.raw`
crictl = container rm,rmi,rmp,stop,stopp,exec
ctr = container run,tasks,task,containers,images,snapshots,content rm,delete,kill,exec,del | run
docker podman nerdctl = @docker globals -H --host --context -c --config -l --log-level
  @podman globals --url --connection --root --log-level
  @docker globals compose -f --file -p --project-name --profile --env-file --project-directory
  values -H --host --context -c --config -l --log-level | run -v --volume --mount -e --env --env-file -p --publish -u
    --user -w --workdir --name -h --hostname --network --net --pid --ipc --uts --userns --cap-add --cap-drop --device
    --security-opt --entrypoint -l --label -m --memory --cpus --gpus --restart --add-host --dns --platform --ulimit
    --tmpfs --link --log-driver --log-opt --runtime --pull --shm-size --volumes-from --group-add --sysctl --stop-signal
    --health-cmd --cgroupns --cgroup-parent | create -v --volume --mount -e --env --env-file -p --publish -u --user -w
    --workdir --name --network --net --pid --ipc --uts --userns --cap-add --device --security-opt --entrypoint | exec -e
    --env -u --user -w --workdir --env-file --detach-keys | compose -f --file -p --project-name --profile --env-file
    --project-directory -e --env -u --user -w --workdir -t --timeout --rmi --scale --index --name | build -t --tag -f
    --file --build-arg --target --platform --secret --ssh -o --output --network --cache-from --cache-to --label | buildx
    -t --tag -f --file --build-arg --target --platform --builder -o --output
  @docker same run -v=--volume -p=--publish -e=--env -d=--detach -i=--interactive -t=--tty -u=--user -w=--workdir | exec
    -d=--detach -i=--interactive -t=--tty -u=--user | rm -f=--force -v=--volumes
  @docker,nerdctl starts exec skip 1 contained kept values -e --env -u --user -w --workdir --env-file --detach-keys
  starts run skip 1 contained
  @docker,nerdctl starts compose exec skip 1 contained kept values -e --env -u --user -w --workdir --index | compose run skip
    1 contained kept values -e --env -u --user -w --workdir --name --entrypoint -v --volume -p
  @podman starts exec skip 1 contained kept values -e --env -u --user -w --workdir; network pull,push,login,search
  @docker,podman network compose pull,push; @docker version short
  @docker tamper trust,plugin revoke,install,disable,rm; publish-deploy push
  @docker,podman publish-deploy image,manifest,compose push | build,buildx,bake with --push
  @docker publish-deploy buildx build,bake with --push
  container system,volume,container prune | image,builder,buildx prune with -a --all | system reset | volume rm,remove |
    exec with --privileged | compose down with -v --volumes --rmi | compose rm with -v -f=sv -f=v -f=vs
  @docker container swarm leave,init,join,update | stack,service,node,secret,config rm,remove,deploy,update,scale,
    demote,promote,create,rollback | plugin install,enable,upgrade
  @docker,podman container with -H=tcp:* -H=ssh:* --host=tcp:* --host=ssh:*
  @podman container machine,pod,system rm,reset,stop,prune
  @nerdctl container run,tasks,task,containers,images,snapshots,content rm,delete,kill,exec,del
  @docker credentials secret inspect; @docker,podman option-exec with --entrypoint=/host*; check containers
  @docker,podman is names-words; is open; @docker is relied
  exact compose ps,logs,ls,images,top,version
  verbs run=container+run | exec=container+exec | rm=container+rm=container+remove | stop=container+stop |
    kill=container+kill | start=container+start | rmi=image+rm=image+remove | pull=image+pull | push=image+push |
    build=image+build
docker-compose podman-compose =
  @docker-compose globals -f --file -p --project-name --profile --env-file --project-directory
  @docker-compose values -f --file -p --project-name --profile --env-file -e -u -w -t --rmi --scale
  @docker-compose starts exec skip 1 contained kept values -e --env -u --user -w --workdir --index | run skip 1 contained kept
    values -e --env -u --user -w --workdir --name --entrypoint -v --volume -p; container down with -v --volumes --rmi
  @docker-compose container rm with -v; @docker-compose is names-words
  @docker-compose commands 1; @docker-compose unoffered up,run,exec,create,start,restart,build,watch,alpha
  @docker-compose means docker compose
helm helmfile = @helm globals -n --namespace --kube-context --kubeconfig
  @helm values -n --namespace --kube-context --kubeconfig -f --values --set --set-string --version --repo --timeout
  @helm network repo,pull,push,search update,add,hub,repo; @helm publish-deploy push,delete
  publish-deploy install,upgrade,uninstall,delete,del,un,rollback,apply,sync,destroy unless --dry-run --dry-run=*
  @helm is names-words open
  exact list,ls,status,history,get,version,env
  @helm verbs uninstall=delete=del=un | list=ls
kubectl oc k = @kubectl globals -n --namespace --context --cluster --kubeconfig --user -s --server --token --as
  values -n --namespace --context --cluster --kubeconfig --user --server -s --token --as --as-group
    --certificate-authority --client-key --client-certificate --request-timeout -v -f --filename -k --kustomize -l
    --selector -o --output -c --container --field-selector --type -p --patch --replicas --timeout --grace-period --since
    --tail --image --from-literal --from-file --sort-by
  @kubectl same -f=--filename -n=--namespace -A=--all-namespaces -l=--selector
  starts exec dashes contained | run dashes contained; @kubectl,oc network unless version config completion
  container delete,drain,exec,apply,scale,patch,replace,edit,cordon,uncordon,taint,set,rollout,label,annotate,attach,
    debug,create,run,expose,autoscale,cp,certificate,evict,adm,new-app,start-build,rsh,import,policy,process unless
    --dry-run=client --dry-run=server --dry-run status history token
  @kubectl,oc container config delete-*,set-credentials,unset
  @kubectl container proxy with --address=0.0.0.0 --accept-hosts; @kubectl,oc container create with token
  @kubectl,oc credentials get,describe secret,secrets,secret/*,secrets/*
  @kubectl credentials config view with --raw --flatten | create token; @oc credentials whoami with -t --show-token
  @kubectl,oc is names-words; @kubectl is open relied
  exact get,describe,logs,top,explain,api-resources,api-versions,version,cluster-info | rollout status,history | config
    current-context,get-contexts
  @k is ordinary
  @kubectl,k alike kubectl=k
kubectx = container with -d -u
kustomize = container edit
lxc incus = publish-deploy delete,stop,exec,restart,move,rebuild
lxc-destroy lxc-stop lxc-execute = container
vagrant = starts ssh dashes remote; script-word -c; publish-deploy destroy,halt,reload,provision unless --help
adb = values -s -t -H -P; may-start shell remote; publish-deploy uninstall,reboot | shell pm clear,uninstall
`
