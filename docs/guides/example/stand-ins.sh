# What the hidden blocks of a guide may call: bash that stands for controllers, kubelets and time. Sourced by walk.
# shellcheck shell=bash disable=SC2154 # work, etc, ports and stock are walk's

# await COMMAND...: until it succeeds.
await() {
    local end=$((SECONDS + 180))
    until "$@" >>"$work/await.log" 2>&1; do
        [ "$SECONDS" -lt "$end" ] || { echo "not so after 180 s: $*" && tail -5 "$work/await.log" && return 1; }
        sleep 0.1
    done
}

is() { local value=$1 && shift && [ "$("$@")" = "$value" ]; }
has() { local text=$1 && shift && "$@" | grep -qF -e "$text"; }

# until_is VALUE COMMAND...: until it prints VALUE and nothing else; until_has TEXT COMMAND...: until it prints TEXT among others.
until_is() { await is "$@"; }
until_has() { await has "$@"; }

# pod NAMESPACE NAME CPU [SCHEDULER]: makes a pod, as a controller does.
pod() {
    kubectl create -f - <<END
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "$2", "namespace": "$1", "labels": {"app": "${2%-*}"}},
 "spec": {${4:+"\"schedulerName\": \"$4\","} "containers": [{"name": "${2%-*}", "image": "${2%-*}:1",
  "resources": {"requests": {"cpu": "$3", "memory": "256Mi"}}}]}}
END
}

# gone NAMESPACE NAME...: the pods end, at once.
gone() { local namespace=$1 && shift && kubectl -n "$namespace" delete pod "$@" --grace-period=0 --force; }

node_of() { kubectl -n "$1" get pod "$2" -o 'jsonpath={.spec.nodeName}'; }
is_placed() { [ -n "$(node_of "$1" "$2")" ]; }
is_refused() { has Unschedulable kubectl -n "$1" get pod "$2" -o 'jsonpath={.status.conditions[*].reason}'; }

# placed NAMESPACE NAME...: waits until the pods have nodes; refused: until it is told that they fit nowhere.
placed() { local namespace=$1 name && shift && for name; do await is_placed "$namespace" "$name" || return 1; done; }
refused() { local namespace=$1 name && shift && for name; do await is_refused "$namespace" "$name" || return 1; done; }

# begin NAME COMMAND...: in the background.
begin() {
    local name=$1 && shift
    "$@" >>"$work/$name.log" 2>&1 </dev/null &
    echo $! >"$work/$name.pid"
}

# end NAME: as a kubelet does, with time to finish.
end() {
    local file=$work/$1.pid pid
    [ -f "$file" ] || return 0
    pid=$(cat "$file")
    rm -f "$file"
    ! kill "$pid" 2>/dev/null || await eval "! kill -0 $pid"
}

# kubelet: starts the command line of the static pod, in the place of what ran before.
kubelet() {
    local manifest=$etc/manifests/kube-scheduler.yaml lines words=() i
    end scheduler
    [ -f "$manifest" ] || return 0
    lines=$(kubectl patch --local -f "$manifest" --type merge -p '{}' -o 'jsonpath={range .spec.containers[0].command[*]}{@}{"\n"}{end}') || return 1
    mapfile -t words <<<"$lines"
    for i in "${!words[@]}"; do
        words[i]=${words[i]//\/etc\/kubernetes/$etc}
        [[ ${words[i]} != --config=* ]] || sed -i "s|: /etc/kubernetes|: $etc|" "${words[i]#--config=}" || return 1
    done
    if [ "${words[0]}" = kube-scheduler ]; then
        words=("${stock[@]}" "${words[@]:1}")
    fi
    begin scheduler "${words[@]}" "--secure-port=$port"
    await curl -kfsS "https://127.0.0.1:$port/healthz"
}

# deployment FOLDER: starts what the Deployment of the kustomization says, once it is there, as a kubelet would.
deployment() {
    local lines words=()
    kubectl -n kube-system get deployment policy-scheduler || return 1
    lines=$(kubectl kustomize "$1" | awk '/^ *- args:$/ {on = 1; next} on && /^ *- / {sub(/^ *- /, ""); print; next} {on = 0}') || return 1
    mapfile -t words <<<"$lines"
    begin second policy-scheduler "${words[@]}" "--kubeconfig=$KUBECONFIG" "--status-address=127.0.0.1:$second_port"
    await curl -fsS "http://127.0.0.1:$second_port/readyz"
}
