#!/usr/bin/env bash
# Runs a real Kubernetes control plane on the loopback address, from programs on this machine.
#
#   cluster.sh list                          prints the releases that have programs, and what is missing
#   cluster.sh program NAME RELEASE          prints the path of a program, such as kube-scheduler
#   cluster.sh up RELEASE                    starts etcd and kube-apiserver, and prints the path of the kubeconfig
#   cluster.sh scheduler RELEASE [FLAG...]   starts kube-scheduler
#   cluster.sh controllers RELEASE           starts kube-controller-manager
#   cluster.sh down RELEASE                  stops what it started, and removes the data
#
# RELEASE is 1.17 to 1.36. A program is $KUBERNETES_PROGRAMS/RELEASE/NAME, or $KUBEBUILDER_ASSETS/NAME if the kube-apiserver there has
# this release. etcd is also found in the PATH. docs/testing.md says where to get them.
#
# CLUSTER_HOME   folder for data and logs (default: ~/.cache/policy-scheduler/real)
# CLUSTER_PORT   first of six ports (default: 24000 + 10 * MINOR)
# CLUSTER_OWNER  id of a process: when it ends, also if it is killed, what "up" started stops (default: it runs until "down")
# AUTHZ          AlwaysAllow (default) or RBAC
# API_ARGS       more flags for kube-apiserver
#
# Needs bash, curl, and openssl. The token real-admin has all rights.
set -euo pipefail

fail() {
    echo "error: $*" >&2
    exit 1
}

usage() {
    sed -n '4,9p' "${BASH_SOURCE[0]}" | sed 's/^# *//' >&2
    exit 2
}

# Prints the release of the programs in KUBEBUILDER_ASSETS, such as 1.34.
assets_release() {
    [ -x "${KUBEBUILDER_ASSETS:-/nowhere}/kube-apiserver" ] || return 1
    "$KUBEBUILDER_ASSETS/kube-apiserver" --version | sed -nE 's/^Kubernetes v(1\.[0-9]+)\..*/\1/p'
}

# find NAME RELEASE: prints the path; fails without a message if there is none.
find_program() {
    if [ -x "${KUBERNETES_PROGRAMS:-/nowhere}/$2/$1" ]; then
        echo "$KUBERNETES_PROGRAMS/$2/$1"
    elif [ -x "${KUBEBUILDER_ASSETS:-/nowhere}/$1" ] && [ "$(assets_release)" = "$2" ]; then
        echo "$KUBEBUILDER_ASSETS/$1"
    elif [ "$1" = etcd ]; then
        command -v etcd
    else
        return 1
    fi
}

program() {
    find_program "$1" "$2" || fail "no $1 of $2; put it into \$KUBERNETES_PROGRAMS/$2, or set KUBEBUILDER_ASSETS to the output of" \
        "\"setup-envtest use -p path $2.x\""
}

releases() {
    {
        assets_release || true
        for folder in "${KUBERNETES_PROGRAMS:-/nowhere}"/1.*/; do
            [ ! -d "$folder" ] || basename "$folder"
        done
    } | sort -t. -k2n -u
}

list() {
    local release name found=
    for release in $(releases); do
        local missing=
        for name in etcd kube-apiserver kube-scheduler kube-controller-manager; do
            find_program "$name" "$release" >/dev/null || missing+=" $name"
        done
        case $missing in
            *etcd* | *kube-apiserver*) echo "$release skipped: no$missing" ;;
            '') echo "$release complete" && found=1 ;;
            *) echo "$release without$missing: tests that need them are skipped" && found=1 ;;
        esac
    done
    [ -n "$found" ] || echo "no programs of Kubernetes: tests with real control planes are skipped. Set KUBERNETES_PROGRAMS to a folder with" \
        "1.N/etcd and 1.N/kube-apiserver, or KUBEBUILDER_ASSETS to the output of \"setup-envtest use -p path 1.34.x\""
}

# begin NAME COMMAND...: starts a program in the background.
begin() {
    local name=$1
    shift
    nohup "$@" >"$home/$name.log" 2>&1 </dev/null &
    # The start time tells the process from a later one with the same id.
    echo "$! $(cut -d' ' -f22 "/proc/$!/stat")" >"$home/$name.pid"
}

is_free() {
    ! (: >"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# require_free PORT...: a program that has the port, such as one whose data was removed, would be taken for the new one.
require_free() {
    local used _
    for used in "$@"; do
        # The threads of a program that was killed may end later.
        for _ in $(seq 10); do
            ! is_free "$used" || break
            sleep 0.2
        done
        is_free "$used" || fail "port $used is in use; stop the program, or set CLUSTER_PORT"
    done
}

is_running() {
    local pid started
    # In state Z, it has ended, and its parent has not read its exit code.
    [ -f "$home/$1.pid" ] && read -r pid started <"$home/$1.pid" &&
        [[ $(cut -d' ' -f3,22 "/proc/$pid/stat" 2>/dev/null) == [!Z]" $started" ]]
}

await_end() {
    local _
    for _ in $(seq 50); do
        is_running "$1" || break
        sleep 0.2
    done
}

stop() {
    if is_running "$1"; then
        local pid _
        read -r pid _ <"$home/$1.pid"
        kill "$pid" || true
        await_end "$1"
        if is_running "$1"; then
            kill -9 "$pid" || true
            await_end "$1"
        fi
    fi
    rm -f "$home/$1.pid"
}

# An API server that has lost its etcd still runs, and responds after timeouts.
is_healthy() {
    curl -fsS -m 5 "http://127.0.0.1:$port/health" && api /readyz -m 30
}

# await NAME SECONDS COMMAND...: until the command succeeds.
await() {
    local name=$1 seconds=$2 _
    shift 2
    for _ in $(seq $((seconds * 4))); do
        ! "$@" >/dev/null 2>&1 || return 0
        is_running "$name" || break
        sleep 0.25
    done
    tail -5 "$home/$name.log" >&2
    fail "$name $release does not become ready within $seconds s"
}

api() {
    curl -kfsS -H "Authorization: Bearer real-admin" "$url$1" "${@:2}"
}

up() {
    local etcd apiserver arguments
    etcd=$(program etcd "$release")
    apiserver=$(program kube-apiserver "$release")
    if is_running kube-apiserver && ! is_healthy >/dev/null 2>&1; then
        echo "kube-apiserver $release runs but is not ready: starting the control plane again, empty" >&2
        down
    fi
    if ! is_running kube-apiserver; then
        stop owner
        stop etcd
        require_free "$port" $((port + 1)) $((port + 2))
        rm -rf "$home"
        mkdir -p "$home/etcd" "$home/certs"
        echo 'real-admin,admin,admin,"system:masters"' >"$home/tokens.csv"
        openssl genrsa -out "$home/accounts.key" 2048 2>/dev/null
        openssl rsa -in "$home/accounts.key" -pubout -out "$home/accounts.pub" 2>/dev/null
        begin etcd "$etcd" --name real --data-dir "$home/etcd" \
            --listen-client-urls "http://127.0.0.1:$port" --advertise-client-urls "http://127.0.0.1:$port" \
            --listen-peer-urls "http://127.0.0.1:$((port + 1))" --initial-advertise-peer-urls "http://127.0.0.1:$((port + 1))" \
            --initial-cluster "real=http://127.0.0.1:$((port + 1))"
        await etcd 20 curl -fsS "http://127.0.0.1:$port/health"
        # There are no kubelets, so nothing removes the taint of a new node, and pods need no tokens.
        arguments=(--etcd-servers="http://127.0.0.1:$port" --bind-address=127.0.0.1 --secure-port=$((port + 2)) --cert-dir="$home/certs"
            --service-cluster-ip-range=10.0.0.0/24 --token-auth-file="$home/tokens.csv" --authorization-mode="${AUTHZ:-AlwaysAllow}"
            --disable-admission-plugins=ServiceAccount,TaintNodesByCondition)
        if [ "$minor" -lt 20 ]; then
            arguments+=(--insecure-port=0 --service-account-key-file="$home/accounts.key")
        else
            arguments+=(--service-account-issuer=https://kubernetes.default.svc --service-account-key-file="$home/accounts.pub"
                --service-account-signing-key-file="$home/accounts.key")
        fi
        # shellcheck disable=SC2086 # several flags
        begin kube-apiserver "$apiserver" "${arguments[@]}" ${API_ARGS:-}
        await kube-apiserver 120 api /readyz
        await kube-apiserver 30 api /api/v1/namespaces/default
        [ -z "${CLUSTER_OWNER:-}" ] || begin owner "${BASH_SOURCE[0]}" guard "$release"
    fi
    cat >"$home/kubeconfig" <<END
apiVersion: v1
kind: Config
clusters: [{name: real, cluster: {server: "$url", insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: real-admin}}]
contexts: [{name: real, context: {cluster: real, user: admin}}]
current-context: real
END
    echo "$home/kubeconfig"
}

scheduler() {
    local path arguments
    path=$(program kube-scheduler "$release")
    stop kube-scheduler
    arguments=(--kubeconfig "$home/kubeconfig" --leader-elect=false --bind-address=127.0.0.1 --secure-port=$((port + 3)) --cert-dir="$home/certs")
    if [ "$minor" -lt 20 ]; then
        arguments+=(--address=127.0.0.1 --port=$((port + 4)))
    else
        arguments+=(--authentication-skip-lookup=true "--authorization-always-allow-paths=*")
    fi
    begin kube-scheduler "$path" "${arguments[@]}" "$@"
    await kube-scheduler 30 curl -kfsS "https://127.0.0.1:$((port + 3))/healthz"
}

controllers() {
    local path
    path=$(program kube-controller-manager "$release")
    stop kube-controller-manager
    # Without kubelets, the others would evict the pods of all nodes.
    begin kube-controller-manager "$path" --kubeconfig "$home/kubeconfig" --leader-elect=false --bind-address=127.0.0.1 \
        --secure-port=$((port + 5)) --cert-dir="$home/certs" \
        --controllers='*,-node-lifecycle-controller,-node-ipam-controller,-taint-eviction-controller,-cloud-node-lifecycle-controller' "$@"
    await kube-controller-manager 60 curl -kfsS "https://127.0.0.1:$((port + 5))/healthz"
}

# Stops the control plane when its owner ends.
guard() {
    while kill -0 "$CLUSTER_OWNER" 2>/dev/null; do
        sleep 1
    done
    # "down" would stop this process.
    rm -f "$home/owner.pid"
    down
}

down() {
    local name
    for name in owner kube-controller-manager kube-scheduler kube-apiserver etcd; do
        stop "$name"
    done
    rm -rf "$home"
}

[ $# -ge 1 ] || usage
verb=$1
shift
case $verb in
    list)
        list
        exit
        ;;
    program)
        [ $# -eq 2 ] || usage
        program "$1" "$2"
        exit
        ;;
    up | scheduler | controllers | down | guard) [ $# -ge 1 ] || usage ;;
    *) usage ;;
esac
release=$1
shift
[[ $release =~ ^1\.([0-9]+)$ ]] || fail "\"$release\" is not a release such as 1.36"
minor=${BASH_REMATCH[1]}
home=${CLUSTER_HOME:-$HOME/.cache/policy-scheduler/real}/$release
port=${CLUSTER_PORT:-$((24000 + 10 * minor))}
url=https://127.0.0.1:$((port + 2))
case $verb in
    up) up ;;
    scheduler) scheduler "$@" ;;
    controllers) controllers "$@" ;;
    down) down ;;
    guard) guard ;;
esac
