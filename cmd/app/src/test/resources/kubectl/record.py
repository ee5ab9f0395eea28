#!/usr/bin/env python3
"""Runs commands.txt against a real cluster and writes recorded.txt beside it.

Usage: KC=$(tests/real/cluster.sh up 1.34); tests/real/cluster.sh controllers 1.34; tests/real/cluster.sh scheduler 1.34
       KUBECONFIG=$KC cmd/app/src/test/resources/kubectl/record.py [COMMANDS [OUTPUT]]
Needs python3 with yaml, and kubectl; takes three minutes.
The cluster needs the scheduler and the controllers of its release. It gets the nodes of nodes.yaml; there are no kubelets, so this
program does what they would: pods of these nodes become Running, end after policy-scheduler.io/run-seconds, and go when they are
deleted.
"""
import datetime, json, os, pathlib, shlex, ssl, subprocess, sys, threading, time, urllib.error, urllib.request
import yaml

HERE = pathlib.Path(__file__).parent
OWN = "policy-scheduler.io/"
config = yaml.safe_load(open(os.environ["KUBECONFIG"]))
server, token = config["clusters"][0]["cluster"]["server"], config["users"][0]["user"]["token"]
context = ssl._create_unverified_context()


def call(method, path, body=None, kind="application/json"):
    request = urllib.request.Request(server + path, method=method, data=None if body is None else json.dumps(body).encode())
    request.add_header("Authorization", "Bearer " + token)
    request.add_header("Content-Type", kind)
    try:
        return json.load(urllib.request.urlopen(request, context=context))
    except urllib.error.HTTPError as e:
        return {"code": e.code, "message": e.read().decode()}


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def status(pod, phase, state, ready, reason=None):
    def condition(kind, value):
        c = {"type": kind, "status": value, "lastProbeTime": None, "lastTransitionTime": now(),
             "observedGeneration": pod["metadata"].get("generation", 1)}
        if value == "False":
            c["reason"] = reason
        return c
    up = "True" if ready else "False"
    containers = [{"name": c["name"], "image": c["image"], "imageID": "", "ready": ready, "started": ready, "restartCount": 0,
                   "containerID": "none://" + pod["metadata"]["uid"], "state": state, "lastState": {}}
                  for c in pod["spec"]["containers"]]
    old = pod.get("status", {})
    result = {"phase": phase, "startTime": old.get("startTime", now()), "containerStatuses": containers,
              "hostIP": "192.168.0.1", "podIP": old.get("podIP", "10.0.0.9"), "podIPs": [{"ip": old.get("podIP", "10.0.0.9")}],
              "hostIPs": [{"ip": "192.168.0.1"}], "observedGeneration": pod["metadata"].get("generation", 1),
              "conditions": [condition("PodReadyToStartContainers", up), condition("Initialized", "True"), condition("Ready", up),
                             condition("ContainersReady", up)]}
    path = "/api/v1/namespaces/%s/pods/%s/status" % (pod["metadata"]["namespace"], pod["metadata"]["name"])
    call("PATCH", path, {"status": result}, "application/strategic-merge-patch+json")


def kubelet(stop):
    begun = {}
    while not stop.is_set():
        for pod in call("GET", "/api/v1/pods").get("items", []):
            meta, spec = pod["metadata"], pod["spec"]
            notes, phase = meta.get("annotations", {}), pod["status"].get("phase")
            if not spec.get("nodeName"):
                continue
            if meta.get("deletionTimestamp"):
                call("DELETE", "/api/v1/namespaces/%s/pods/%s" % (meta["namespace"], meta["name"]), {"gracePeriodSeconds": 0})
            elif phase == "Pending":
                status(pod, "Running", {"running": {"startedAt": now()}}, True)
                begun[meta["uid"]] = time.time()
            elif phase == "Running" and OWN + "run-seconds" in notes:
                if time.time() - begun.get(meta["uid"], 0) >= float(notes[OWN + "run-seconds"]):
                    code = int(notes.get(OWN + "exit-code", "0"))
                    ended = {"exitCode": code, "reason": "Error" if code else "Completed", "startedAt": pod["status"]["startTime"],
                             "finishedAt": now(), "containerID": "none://" + meta["uid"]}
                    status(pod, "Failed" if code else "Succeeded", {"terminated": ended}, False,
                           "PodFailed" if code else "PodCompleted")
        stop.wait(0.1)


def run(line):
    # Quotation marks belong to JSON; a schedule is the only argument with spaces.
    words = line.split(" ")
    for i, word in enumerate(words):
        if word.startswith("--schedule="):
            words[i:] = [" ".join(words[i:])]
            break
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=HERE)
    return done.returncode, done.stdout


commands = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "commands.txt")
output = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else HERE / "recorded.txt")
for node in yaml.safe_load(open(HERE / "nodes.yaml"))["items"]:
    call("POST", "/api/v1/nodes", node)
    call("PATCH", "/api/v1/nodes/%s/status" % node["metadata"]["name"], {"status": node["status"]}, "application/merge-patch+json")
stop = threading.Event()
thread = threading.Thread(target=kubelet, args=(stop,))
thread.start()
try:
    with open(output, "w") as out:
        for line in commands.read_text().splitlines():
            if not line or line.startswith("#"):
                continue
            mode, command = line.split(" | ")[:2]
            if not any(word in command for word in ("rollout status", " wait ")):
                time.sleep(1.0)  # for the controllers
            code, text = run(command)
            print(command, code)
            out.write("$ %s\n%s" % (command, text if text.endswith("\n") or not text else text + "\n"))
            if code:
                out.write("[%d]\n" % code)
finally:
    stop.set()
    thread.join()
