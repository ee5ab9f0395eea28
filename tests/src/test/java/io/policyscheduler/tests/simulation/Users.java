package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.tests.e2e.Manifest;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Random actions of users and machines on the cluster and around the scheduler. */
final class Users {
    private static final int MAX_PODS = 25;
    private static final int OVERTAKING_PERCENT = 20;
    private static final List<String> APPS = List.of("a", "b", "c");

    private final SimulationRun simulation;
    private final RandomChoices random;
    private final ResourceType pods;
    private final ResourceType nodes;
    private final DeviceUsers devices;
    private int left;

    Users(SimulationRun simulation) {
        this.simulation = simulation;
        this.random = simulation.random();
        this.pods = simulation.cluster().catalog().named("pods");
        this.nodes = simulation.cluster().catalog().named("nodes");
        this.devices = new DeviceUsers(simulation);
        this.left = simulation.scenario().actions();
    }

    void start() {
        for (int i = 0; i < simulation.scenario().nodes(); i++) {
            putNode("n" + i);
        }
        ObjectNode other = Manifests.object("v1", "Namespace", Manifests.OTHER_NAMESPACE);
        if (random.percent(50)) {
            other.withObject("/metadata/labels").put("team", "ours");
        }
        simulation.cluster().load(other);
        if (simulation.scenario().storage()) {
            simulation.cluster().load(Manifests.storageClass("local", "kubernetes.io/no-provisioner"));
            simulation.cluster().load(Manifests.storageClass("dynamic", "example.com/maker"));
            for (int i = 0; i < 4; i++) {
                simulation.cluster().load(Manifests.volume("local-" + i, "n" + random.between(0, 2), "local"));
            }
        }
        if (simulation.scenario().devices()) {
            devices.start();
        }
        int count = random.between(0, 8);
        for (int i = 0; i < count; i++) {
            createPod();
        }
        if (simulation.scenario().preemption() && random.percent(OVERTAKING_PERCENT)) {
            simulation.time().in(random.between(2_000, 20_000), SimulationRun.NOBODY, "", this::overtake);
        }
        next();
    }

    /**
     * A pod preempts another one that stays for a while, and a pod of higher priority takes its place meanwhile. They are alone on their node, so
     * that few other changes requeue the pod that was nominated.
     */
    private void overtake() {
        String node = "n" + random.between(0, 7);
        if (simulation.cluster().get("nodes", "", node).isPresent()) {
            return;
        }
        say("a nomination to " + node + " will be overtaken");
        int cpu = random.of(1000, 2000, 4000);
        simulation.cluster().load(Manifests.reserved(Manifests.node(node, cpu, 8192, 8)));
        ObjectNode victim = onReserved("victim", node, cpu / 2, 0);
        victim.withObject("/spec").put("nodeName", node);
        Manifests.linger(victim);
        simulation.cluster().load(victim);
        String elsewhere = random.of("", "q-");
        inTurn(random.between(500, 3_000), onReserved(elsewhere + "overtaken", node, cpu * 3 / 4, 10));
        inTurn(random.between(5_000, 10_000), onReserved("overtaker", node, cpu * 3 / 8, 100));
        inTurn(random.between(10_000, 18_000), onReserved("small", node, cpu / 8, 0));
        simulation.time().in(random.between(20_000, 30_000), SimulationRun.NOBODY, "", () -> {
            say("victim ends");
            modify(pods, victim, Manifests::release);
        });
    }

    private void inTurn(long millis, ObjectNode pod) {
        simulation.time().in(millis, SimulationRun.NOBODY, "", () -> {
            say("create " + Manifests.name(pod));
            simulation.cluster().load(pod);
        });
    }

    private static ObjectNode onReserved(String name, String node, int milliCpu, int priority) {
        ObjectNode pod = Manifests.pod(name, Manifests.OURS, milliCpu, 64, priority, 0);
        pod.withObject("/spec/nodeSelector").put(Manifests.HOSTNAME, node);
        Manifests.tolerateReserved(pod);
        return pod;
    }

    private void next() {
        simulation
                .time()
                .in(random.skewedMillis(4L * simulation.scenario().pauseMillis()), SimulationRun.NOBODY, "", this::act);
    }

    boolean isDone() {
        return left <= 0;
    }

    private void act() {
        left--;
        if (isDone()) {
            return;
        }
        next();
        int choice = random.between(0, 99);
        if (simulation.scenario().devices() && random.percent(12)) {
            devices.act();
        } else if (choice < 34) {
            createPod();
        } else if (choice < 44) {
            deletePod();
        } else if (choice < 49) {
            finishPod();
        } else if (choice < 53) {
            relabelPod();
        } else if (choice < 57) {
            bindByHand();
        } else if (choice < 65) {
            changeNodes();
        } else if (choice < 69) {
            changeBudget();
        } else if (choice < 74) {
            changeStorage();
        } else {
            trouble(choice);
        }
    }

    private void trouble(int choice) {
        SchedulerProcess process = simulation.process();
        if (choice < 86) {
            if (process != null) {
                ResourceKind kind = random.percent(60) ? ResourceKind.PODS : random.of(ResourceKind.values());
                boolean expired = random.percent(50);
                say("watch of " + kind + " breaks" + (expired ? ", too old" : ""));
                process.feed(kind).breakOff(expired, random.between(0, 5000));
            }
        } else if (choice < 90) {
            if (simulation.faultPercent() > 0) {
                say("server down");
                simulation.api().goDown(random.between(100, (int) Audit.OUTAGE_MILLIS));
            }
        } else if (choice < 93) {
            if (process != null) {
                say("process paused");
                process.pause(random.of(300, 5_000, 40_000));
            }
        } else if (choice < 95) {
            if (process != null) {
                say("reload");
                process.reload();
            }
        } else if (choice < 97 && simulation.scenario().clockJumps()) {
            say("clock set");
            simulation.time().jumpWallClock(random.of(-3_600_000L, -20_000L, 20_000L, 3_600_000L));
        } else {
            simulation.maybeCrash("anywhere");
        }
    }

    private void say(String what) {
        simulation.trace().add("* " + what);
    }

    private ObjectNode anyPod() {
        List<ObjectNode> all = simulation.cluster().list("pods");
        return all.isEmpty() ? Manifests.object("v1", "Pod", "none") : random.of(all);
    }

    private void createPod() {
        String name = (random.percent(80) ? "p" : "q") + random.between(0, MAX_PODS - 1);
        if (isPresent(name)) {
            return;
        }
        createPod(name);
    }

    private boolean isPresent(String pod) {
        return simulation.cluster().get("pods", Manifests.namespaceOf(pod), pod).isPresent();
    }

    private void createPod(String name) {
        boolean ours = random.percent(88);
        ObjectNode pod = Manifests.pod(
                name,
                ours ? Manifests.OURS : Manifests.THEIRS,
                random.of(100, 500, 1000, 1900),
                random.of(64, 512, 2048),
                random.of(0, 0, 0, 10, 100),
                random.of(0, 0, 1, 5));
        if (simulation.scenario().newer()) {
            Manifests.grow(pod, random);
        }
        String app = random.of(APPS);
        pod.withObject("/metadata/labels").put("app", app);
        relate(pod, app);
        if (simulation.scenario().preemption() && random.percent(8)) {
            Manifests.hold(pod);
        }
        // Not for pods that others bind: as in v1.17 the ports of a node are a set, so of two pods that share a port
        // the first to go frees it for both, and only a second scheduler can bring two there.
        if (ours && random.percent(10)) {
            Manifests.hostPort(pod, random.of(8080, 8081));
        }
        if (random.percent(5)) {
            pod.withObject("/spec/nodeSelector").put(Manifests.HOSTNAME, "n" + random.between(0, 7));
        }
        boolean isElsewhere = Manifests.namespaceOf(name).equals(Manifests.OTHER_NAMESPACE);
        if (ours && !isElsewhere && simulation.scenario().storage() && random.percent(35)) {
            String claim = "c" + random.between(0, 5);
            Manifest.withClaim(pod, claim);
            if (random.percent(90)) {
                putClaim(claim);
            }
        }
        if (ours && !isElsewhere && simulation.scenario().devices()) {
            devices.equip(pod);
        }
        if (simulation.scenario().modern() && random.percent(12)) {
            Manifests.gate(pod);
        }
        say("create " + name + " " + pod.path("spec").path("containers").path(0).path("resources") + " priority "
                + pod.path("spec").path("priority"));
        simulation.cluster().load(pod);
    }

    /** Terms of affinity. Anti-affinity also rejects the pods that a term selects, which need no term themselves. */
    private void relate(ObjectNode pod, String app) {
        int choice = random.between(0, 99);
        if (choice < 10) {
            Manifests.spread(pod, app);
        } else if (choice < 14) {
            Manifests.spread(pod, random.of(APPS));
        } else if (choice < 20) {
            Manifests.near(pod, random.of(APPS));
        } else if (choice < 26) {
            String kind = random.of("podAffinity", "podAntiAffinity");
            Manifests.elsewhere(
                    Manifests.term(pod, kind, random.of(APPS)),
                    simulation.scenario().newer(),
                    random);
        }
    }

    private void putClaim(String name) {
        if (simulation
                .cluster()
                .get("persistentvolumeclaims", Manifests.NAMESPACE, name)
                .isEmpty()) {
            simulation.cluster().load(Manifests.claimObject(name, random.of("local", "dynamic")));
        }
    }

    private void deletePod() {
        ObjectNode pod = anyPod();
        String name = Manifests.name(pod);
        say("delete " + name);
        delete(Manifests.podPath(name));
        if (random.percent(40) && !isPresent(name)) {
            createPod(name);
        }
    }

    private void finishPod() {
        ObjectNode pod = anyPod();
        if (!Manifests.nodeOf(pod).isEmpty()) {
            say("finish " + Manifests.name(pod));
            modify(pods, pod, present -> {
                present.withObject("/status").put("phase", random.percent(70) ? "Succeeded" : "Failed");
                return present;
            });
        }
    }

    /** Affinity terms with a selector match pods of the namespace only while it has the label. */
    private void relabelNamespace() {
        String name = random.of(Manifests.NAMESPACE, Manifests.OTHER_NAMESPACE);
        say("label the namespace " + name);
        modify(
                simulation.cluster().catalog().named("namespaces"),
                Manifests.object("v1", "Namespace", name),
                present -> {
                    ObjectNode labels = present.withObject("/metadata/labels");
                    if (labels.has("team")) {
                        labels.remove("team");
                    } else {
                        labels.put("team", "ours");
                    }
                    return present;
                });
    }

    private void relabelPod() {
        if (simulation.scenario().newer() && random.percent(30)) {
            relabelNamespace();
            return;
        }
        ObjectNode pod = anyPod();
        if (Manifests.isGated(pod)) {
            say("open the gate of " + Manifests.name(pod));
            modify(pods, pod, present -> {
                present.withObject("/spec").remove("schedulingGates");
                return present;
            });
            return;
        }
        say("label " + Manifests.name(pod));
        modify(pods, pod, present -> {
            present.withObject("/metadata/labels").put("touched", String.valueOf(left));
            return present;
        });
    }

    /** Another scheduler binds one of our pods. */
    private void bindByHand() {
        ObjectNode pod = anyPod();
        List<ObjectNode> all = simulation.cluster().list("nodes");
        if (Manifests.nodeOf(pod).isEmpty() && !all.isEmpty()) {
            String node = Manifests.name(random.of(all));
            // Others find no devices.
            if (Room.port(pod) == 0
                    && !DeviceManifests.hasClaims(pod)
                    && Room.of(simulation.cluster(), node).fits(pod)) {
                say("bind " + Manifests.name(pod) + " to " + node + " by hand");
                simulation
                        .cluster()
                        .call(
                                "POST",
                                Manifests.podPath(Manifests.name(pod)) + "/binding",
                                "application/json",
                                ("{\"target\":{\"name\":\"" + node + "\"}}").getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private void putNode(String name) {
        simulation
                .cluster()
                .load(Manifests.node(
                        name, random.of(1000, 2000, 4000), random.of(2048, 4096, 8192), random.between(2, 8)));
    }

    private void changeNodes() {
        String name = "n" + random.between(0, 7);
        if (simulation.cluster().get("nodes", "", name).isEmpty()) {
            say("add node " + name);
            putNode(name);
            return;
        }
        int choice = random.between(0, 99);
        if (choice < 35) {
            say("delete node " + name);
            delete("/api/v1/nodes/" + name);
            return;
        }
        say("change node " + name);
        int cpu = random.of(500, 1000, 2000, 4000);
        modify(nodes, Manifests.object("v1", "Node", name), present -> {
            if (choice < 80) {
                present.withObject("/status/allocatable").put("cpu", cpu + "m");
            } else {
                present.withObject("/spec").put("unschedulable", choice < 90);
            }
            return present;
        });
    }

    private void changeBudget() {
        String name = random.of("b1", "b2");
        if (simulation
                .cluster()
                .get("poddisruptionbudgets.policy", Manifests.NAMESPACE, name)
                .isPresent()) {
            delete("/apis/policy/v1/namespaces/" + Manifests.NAMESPACE + "/poddisruptionbudgets/" + name);
        } else {
            simulation.cluster().load(Manifests.budget(name, random.of(APPS), random.between(0, 1)));
        }
    }

    private void changeStorage() {
        if (!simulation.scenario().storage()) {
            return;
        }
        String claim = "c" + random.between(0, 5);
        if (random.percent(50)) {
            putClaim(claim);
        } else if (random.percent(60)) {
            say("delete claim " + claim);
            delete("/api/v1/namespaces/" + Manifests.NAMESPACE + "/persistentvolumeclaims/" + claim);
        } else {
            List<ObjectNode> volumes = simulation.cluster().list("persistentvolumes");
            if (!volumes.isEmpty()) {
                String volume = Manifests.name(random.of(volumes));
                say("delete volume " + volume);
                delete("/api/v1/persistentvolumes/" + volume);
            }
        }
    }

    private void delete(String path) {
        simulation.cluster().call("DELETE", path, "", new byte[0]);
    }

    private void modify(ResourceType type, ObjectNode object, StoredObjects.Mutation mutation) {
        try {
            simulation
                    .cluster()
                    .store()
                    .modify(
                            type,
                            Manifests.text(object, "metadata", "namespace"),
                            Manifests.name(object),
                            false,
                            mutation);
        } catch (StatusError e) {
            say("gone: " + Manifests.name(object));
        }
    }
}
