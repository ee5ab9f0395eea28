#!/usr/bin/env python3
"""A seeded trace of made days, for measuring the laboratory.

    tests/benchmarks/days.py DIR NODES DAYS PODS SEED HOURS

Writes cluster.json, templates.json, and arrivals.csv to DIR: nodes of two sizes in three zones, and pods of 60 apps, each
of which runs for HOURS on average. More pods arrive in the first half of each day. Of ten apps, two are spread by a
service, one selects nodes, and three prefer nodes, other hosts, or one zone. Some have a higher priority.
"""
import json
import math
import random
import sys
from pathlib import Path

HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
APPS = 60
DAY = 86400


def node(number, dice):
    cpu, memory = ("64", "256Gi") if dice.random() < 0.3 else ("32", "96Gi")
    room = {"cpu": cpu, "memory": memory, "pods": "110"}
    zone = "abc"[number % 3]
    labels = {
        HOST: f"node-{number:05d}",
        ZONE: zone,
        "topology.kubernetes.io/region": "r",
        "failure-domain.beta.kubernetes.io/zone": zone,
        "failure-domain.beta.kubernetes.io/region": "r",
        "disk": "ssd" if dice.random() < 0.4 else "hdd",
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"node-{number:05d}", "labels": labels},
        "status": {"allocatable": room, "capacity": room, "conditions": [{"type": "Ready", "status": "True"}]},
    }


def affinity(kind, app):
    near = {"labelSelector": {"matchLabels": {"app": app}}}
    if kind == 7:
        term = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
        return {"nodeAffinity": {PREFERRED: [{"weight": 10, "preference": term}]}}
    if kind == 8:
        return {"podAntiAffinity": {PREFERRED: [{"weight": 10, "podAffinityTerm": {**near, "topologyKey": HOST}}]}}
    if kind == 9:
        return {"podAffinity": {PREFERRED: [{"weight": 10, "podAffinityTerm": {**near, "topologyKey": ZONE}}]}}
    return None


def template(number, dice):
    app = f"app{number}"
    cpu = f"{dice.choice([250, 500, 1000, 1000, 2000, 4000])}m"
    memory = f"{dice.choice([512, 1024, 2048, 4096, 8192])}Mi"
    requests = {"cpu": cpu, "memory": memory}
    spec = {"containers": [{"name": "c", "image": f"reg/{app}:1", "resources": {"requests": requests}}]}
    kind = number % 10
    if kind == 6:
        spec["nodeSelector"] = {"disk": "ssd"}
    if affinity(kind, app):
        spec["affinity"] = affinity(kind, app)
    if number % 17 == 5:
        spec["priority"] = 1000
    metadata = {"name": app, "namespace": "ns", "labels": {"app": app}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def services():
    for number in range(APPS):
        if number % 10 in (2, 3):
            app = f"app{number}"
            metadata = {"name": app, "namespace": "ns"}
            yield {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"selector": {"app": app}}}


def arrivals(days, pods, hours, dice):
    yield "time,duration,name,namespace,owner,template"
    rate = pods / (days * DAY - 3600)
    time = 0.0
    for number in range(pods):
        time += dice.expovariate(rate * (1 + 0.4 * math.sin(2 * math.pi * (time % DAY) / DAY)))
        time = min(time, days * DAY - 60)
        app = dice.randrange(APPS)
        duration = max(60, dice.expovariate(1 / (hours * 3600)))
        yield f"{time:.3f},{duration:.0f},p{number},ns,o{app}-{dice.randrange(50)},app{app}"


def write(folder, nodes, days, pods, seed, hours):
    folder.mkdir(parents=True, exist_ok=True)
    dice = random.Random(seed)
    objects = [node(number, dice) for number in range(nodes)]
    templates = [template(number, dice) for number in range(APPS)]
    lists = {"cluster.json": objects + list(services()), "templates.json": templates}
    for name, items in lists.items():
        (folder / name).write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    with open(folder / "arrivals.csv", "w") as file:
        file.writelines(f"{line}\n" for line in arrivals(days, pods, hours, dice))


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit(__doc__.strip())
    write(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]), float(sys.argv[6]))
