#!/usr/bin/env python3
"""A seeded dump of a made cluster, for measuring audit, compare and simulate.

    tests/benchmarks/dump.py KIND NODES RUNNING PENDING SEED > dump.json

KIND is mixed (apps of eight kinds in turn: plain, spread by services, required anti-affinity, zone affinity,
preferences, tolerations, node selectors, spread constraints) or basic (equal pods).
"""
import json
import random
import sys

HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
KINDS = ["plain", "spread", "anti", "zone", "pref", "tol", "sel", "tsc"]
SERVED = ("spread", "plain", "sel")


def node(number, mixed):
    zone = f"z{number % 3}"
    labels = {
        HOST: f"node-{number}",
        "topology.kubernetes.io/region": "r1",
        ZONE: zone,
        "failure-domain.beta.kubernetes.io/zone": zone,
        "failure-domain.beta.kubernetes.io/region": "r1",
        "pool": "abcd"[number % 4],
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
    }
    spec = {}
    if mixed and number % 10 == 3:
        spec["taints"] = [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]
    if mixed and number % 10 == 4:
        spec["taints"] = [{"key": "soft", "value": "x", "effect": "PreferNoSchedule"}]
    if mixed and number % 97 == 5:
        spec["unschedulable"] = True
    cpu = ("16", "32", "64")[number % 3]
    room = {"cpu": cpu, "memory": f"{int(cpu) * 4}Gi", "pods": "110"}
    images = [
        {"names": [f"reg/app-{(number * 7 + k) % 200}:1"], "sizeBytes": 50_000_000 + k * 30_000_000} for k in range(5)
    ]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": f"node-{number}",
            "uid": f"nu-{number}",
            "labels": labels,
            "resourceVersion": str(number + 1),
        },
        "spec": spec,
        "status": {
            "allocatable": {**room, "ephemeral-storage": "100Gi"},
            "capacity": room,
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"kubeletVersion": "v1.17.17"},
            "images": images,
        },
    }


def template(app, apps, kind):
    labels = {"app": f"app-{app}", "tier": kind}
    requests = {"cpu": f"{100 + 50 * (app % 5)}m", "memory": f"{128 * (1 + app % 6)}Mi"}
    spec = {
        "containers": [
            {
                "name": "c",
                "image": f"reg/app-{app}:1",
                "resources": {"requests": requests},
                "ports": [{"containerPort": 80}],
                "env": [{"name": "A", "value": "b"}],
                "volumeMounts": [{"name": "v", "mountPath": "/v"}],
            }
        ],
        "volumes": [{"name": "v", "emptyDir": {}}, {"name": "cm", "configMap": {"name": "cm"}}],
        "tolerations": [
            {
                "key": "node.kubernetes.io/not-ready",
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": 300,
            }
        ],
        "serviceAccountName": "default",
        "schedulerName": "default-scheduler",
        "restartPolicy": "Always",
        "dnsPolicy": "ClusterFirst",
    }
    own = {"matchLabels": {"app": f"app-{app}"}}
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    if kind == "anti":
        spec["affinity"] = {"podAntiAffinity": {required: [{"labelSelector": own, "topologyKey": HOST}]}}
    if kind == "zone":
        spec["affinity"] = {"podAffinity": {required: [{"labelSelector": own, "topologyKey": ZONE}]}}
    if kind == "pref":
        other = {"matchLabels": {"app": f"app-{(app + 1) % apps}"}}
        near = {"weight": 10, "podAffinityTerm": {"labelSelector": own, "topologyKey": HOST}}
        far = {"weight": 5, "podAffinityTerm": {"labelSelector": other, "topologyKey": ZONE}}
        spec["affinity"] = {"podAffinity": {preferred: [near]}, "podAntiAffinity": {preferred: [far]}}
    if kind == "tol":
        spec["tolerations"].append(
            {"key": "dedicated", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}
        )
    if kind == "sel":
        spec["nodeSelector"] = {"pool": "abcd"[app // 8 % 4]}
        term = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["z1"]}]}
        spec["affinity"] = {"nodeAffinity": {preferred: [{"weight": 20, "preference": term}]}}
    if kind == "tsc":
        spec["topologySpreadConstraints"] = [
            {"maxSkew": 5, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": own},
            {"maxSkew": 1, "topologyKey": HOST, "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": own},
        ]
    return labels, spec


def owners(app, kind, labels, mixed):
    metadata = {"namespace": f"ns-{app % 20}", "resourceVersion": "1"}
    if mixed and kind in SERVED:
        yield {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {**metadata, "name": f"svc-{app}", "uid": f"su-{app}"},
            "spec": {"selector": {"app": f"app-{app}"}},
        }
    yield {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {**metadata, "name": f"rs-{app}", "uid": f"ru-{app}"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": f"app-{app}"}},
            "template": {"metadata": {"labels": labels}},
        },
    }


def namespace(number):
    metadata = {"name": f"ns-{number}", "uid": f"nsu-{number}", "resourceVersion": "1"}
    metadata["labels"] = {"kubernetes.io/metadata.name": f"ns-{number}"}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def pod(number, app, labels, spec, runs):
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": f"rs-{app}",
        "uid": f"ru-{app}",
        "controller": True,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"app-{app}-{number}",
            "generateName": f"app-{app}-",
            "namespace": f"ns-{app % 20}",
            "uid": f"pu-{number}-0000-0000",
            "resourceVersion": str(1000 + number),
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": labels,
            "annotations": {"x/y": "some annotation that nobody reads"},
            "ownerReferences": [owner],
        },
        "spec": spec,
        "status": {
            "phase": "Running" if runs else "Pending",
            "qosClass": "Burstable",
            "conditions": [ready] if runs else [],
            "hostIP": "10.0.0.1",
        },
    }


def items(kind, nodes, running, pending, seed):
    dice = random.Random(seed)
    mixed = kind == "mixed"
    apps = max(1, min(200, (running + pending) // 50)) if mixed else 1
    kinds = [KINDS[app % len(KINDS)] if mixed else "plain" for app in range(apps)]
    templates = [template(app, apps, kinds[app]) for app in range(apps)]
    for number in range(nodes):
        yield node(number, mixed)
    for app in range(apps):
        yield from owners(app, kinds[app], templates[app][0], mixed)
    for number in range(20):
        yield namespace(number)
    # Pods of an app that wants it so are never two on one node.
    following = {}
    for number in range(running + pending):
        app = number % apps
        labels, spec = templates[app]
        if number < running:
            if kinds[app] == "anti":
                place = following.get(app, app * 13 % nodes)
                following[app] = (place + 1) % nodes
            elif kinds[app] == "zone":
                place = dice.randrange(nodes // 3) * 3 + app % 3
            else:
                place = dice.randrange(nodes)
            spec = {**spec, "nodeName": f"node-{place % nodes}"}
        yield pod(number, app, labels, spec, number < running)


if __name__ == "__main__":
    if len(sys.argv) != 6 or sys.argv[1] not in ("mixed", "basic"):
        sys.exit(__doc__.strip())
    made = list(items(sys.argv[1], *map(int, sys.argv[2:])))
    json.dump({"apiVersion": "v1", "kind": "List", "items": made}, sys.stdout)
