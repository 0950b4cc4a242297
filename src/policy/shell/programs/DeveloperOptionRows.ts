/** The same for version control, package managers, containers and clouds. */
export const developerOptionRows = `
  wrangler: --command --file --env -c --config
  make: -C --directory -f --file -I -j? -l? -o -W --eval
  ninja: -C -f -j -k -l -t -d
  docker: -H --host --context -c --config -l --log-level
  docker run: -v --volume --mount -e --env --env-file -p --publish -u --user -w --workdir --name -h --hostname
    --network --net --pid --ipc --uts --userns --cap-add --cap-drop --device --security-opt --entrypoint -l --label
    -m --memory --cpus --gpus --restart --add-host --dns --platform --ulimit --tmpfs --link --log-driver --log-opt
    --runtime --pull --shm-size --volumes-from --group-add --sysctl --stop-signal --health-cmd --cgroupns
    --cgroup-parent
  docker create: -v --volume --mount -e --env --env-file -p --publish -u --user -w --workdir --name --network --net
    --pid --ipc --uts --userns --cap-add --device --security-opt --entrypoint
  docker exec: -e --env -u --user -w --workdir --env-file --detach-keys
  docker compose: -f --file -p --project-name --profile --env-file --project-directory -e --env -u --user -w
    --workdir -t --timeout --rmi --scale --index --name
  docker-compose: -f --file -p --project-name --profile --env-file -e -u -w -t --rmi --scale
  docker build: -t --tag -f --file --build-arg --target --platform --secret --ssh -o --output --network --cache-from
    --cache-to --label
  docker buildx: -t --tag -f --file --build-arg --target --platform --builder -o --output
  kubectl: -n --namespace --context --cluster --kubeconfig --user --server -s --token --as --as-group
    --certificate-authority --client-key --client-certificate --request-timeout -v -f --filename -k --kustomize -l
    --selector -o --output -c --container --field-selector --type -p --patch --replicas --timeout --grace-period
    --since --tail --image --from-literal --from-file --sort-by
  helm: -n --namespace --kube-context --kubeconfig -f --values --set --set-string --version --repo --timeout
  git: -C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source
  git commit: -m --message -F --file -c -C --author --date -t --template --fixup --squash --trailer
  git push: -o --push-option --repo --receive-pack --exec
  git clone: -b --branch -o --origin -u --upload-pack -c --config --depth --template --reference --separate-git-dir
    -j --filter
  git fetch: --depth -j --upload-pack --shallow-since -o --filter
  git pull: -s --strategy -X --depth --upload-pack
  git ls-remote: --upload-pack
  git checkout: -b -B --orphan --conflict
  git switch: -c -C --create --force-create --orphan
  git branch: -u --set-upstream-to --contains --no-contains --merged? --no-merged? --points-at --sort --format
  git log: -n -S -G -L --grep --author --committer --since --until --after --before --format --pretty --max-count
    --output -O --skip
  git shortlog: -n? --since --until
  git diff: --output -O -S -G --diff-filter -U
  git show: --output --format --pretty
  git rebase: -x --exec --onto -s -X -C --strategy
  git merge: -m -s -X -F --strategy
  git tag: -m -F -u --sort --format --contains --points-at
  git stash: -m --message
  git clean: -e --exclude
  git restore: -s --source --conflict
  git config: -f --file --blob --type --default --get-color --get-regexp?
  git grep: -e -f -A -B -C -m -O? --open-files-in-pager? --max-depth
  git difftool: -x --extcmd -t --tool
  git archive: -o --output --format --prefix --remote --exec
  git format-patch: -o --output-directory -n? -v --subject-prefix
  git blame: -L -S --since --date
  git worktree: -b -B --reason
  git cherry-pick: -m -s -X -S?
  git revert: -m -s -X -S?
  git apply: --directory --exclude --include -p -C
  git remote: -t -m
  git submodule: -b --branch --reference --depth --name
  npm: --prefix -w --workspace --registry --script-shell --userconfig --loglevel --tag --otp --access --cache --omit
    --include
  poetry: -C --directory -P --project
  npm exec: -c --call -p --package
  npx: -c --call -p --package -w --workspace --prefix
  pnpm: -C --dir --filter -F --prefix --registry -w? --reporter
  pnpm dlx: --package
  yarn: --cwd --registry
  cargo: --manifest-path --target-dir -p --package --features --target --bin --example --test --bench -j --jobs -C
    --config -Z --color --vers --version --index --registry --token
  go: -C -o -tags -run -count -timeout -ldflags -gcflags -mod -p -bench -coverprofile -exec -toolexec -overlay
  pip: -r --requirement -c --constraint -e --editable -i --index-url --extra-index-url -f --find-links
    --trusted-host -t --target --prefix --root --python --proxy
  uv: --directory --project --python -p --with -r --requirement --index-url --extra-index-url --default-index
    --index
  gh: -R --repo --hostname -X --method -f --raw-field -F --field -H --header --input -q --jq -t --template --json -L
    --limit -b --body -B --base --title -a -l -m
  glab: -R --repo -X --method -f --raw-field -F --field
  terraform: -chdir -var -var-file -target -out -state -backup -lock-timeout -parallelism -replace -backend-config
  tofu: -chdir -var -var-file -target -out
  pulumi: -s --stack -C --cwd -c --config -m --message
  aws: --profile --region --endpoint-url --output --query --cli-input-json --exclude --include --acl --bucket --key
    --instance-ids --secret-id --name --names --stack-name --role-arn --role-session-name --table-name
    --function-name --payload --body --ca-bundle --color --cli-read-timeout
  gcloud: --project --zone --region --account --configuration --format --filter --impersonate-service-account
    --verbosity
  az: -g --resource-group -n --name --subscription -o --output --query --ids -l --location
  ansible: -i -m --module-name -a --args -u --user -e --extra-vars -l --limit -f -b?
  ansible-playbook: -i -e --extra-vars -l --limit -t --tags -u --user --skip-tags
`
