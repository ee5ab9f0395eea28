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

    private final World world;
    private final Luck luck;
    private final ResourceType pods;
    private final ResourceType nodes;
    private final DeviceUsers devices;
    private int left;

    Users(World world) {
        this.world = world;
        this.luck = world.luck();
        this.pods = world.cluster().catalog().named("pods");
        this.nodes = world.cluster().catalog().named("nodes");
        this.devices = new DeviceUsers(world);
        this.left = world.scenario().actions();
    }

    void start() {
        for (int i = 0; i < world.scenario().nodes(); i++) {
            putNode("n" + i);
        }
        ObjectNode other = Manifests.object("v1", "Namespace", Manifests.OTHER_NAMESPACE);
        if (luck.percent(50)) {
            other.withObject("/metadata/labels").put("team", "ours");
        }
        world.cluster().load(other);
        if (world.scenario().storage()) {
            world.cluster().load(Manifests.storageClass("local", "kubernetes.io/no-provisioner"));
            world.cluster().load(Manifests.storageClass("dynamic", "example.com/maker"));
            for (int i = 0; i < 4; i++) {
                world.cluster().load(Manifests.volume("local-" + i, "n" + luck.between(0, 2), "local"));
            }
        }
        if (world.scenario().devices()) {
            devices.start();
        }
        int count = luck.between(0, 8);
        for (int i = 0; i < count; i++) {
            createPod();
        }
        if (world.scenario().preemption() && luck.percent(OVERTAKING_PERCENT)) {
            world.time().in(luck.between(2_000, 20_000), World.NOBODY, "", this::overtake);
        }
        next();
    }

    /**
     * A pod preempts another one that stays for a while, and a pod of higher priority takes its place meanwhile. They are alone on their node, so
     * that few other changes requeue the pod that was nominated.
     */
    private void overtake() {
        String node = "n" + luck.between(0, 7);
        if (world.cluster().get("nodes", "", node).isPresent()) {
            return;
        }
        say("a nomination to " + node + " will be overtaken");
        int cpu = luck.of(1000, 2000, 4000);
        world.cluster().load(Manifests.reserved(Manifests.node(node, cpu, 8192, 8)));
        ObjectNode victim = onReserved("victim", node, cpu / 2, 0);
        victim.withObject("/spec").put("nodeName", node);
        Manifests.linger(victim);
        world.cluster().load(victim);
        String elsewhere = luck.of("", "q-");
        inTurn(luck.between(500, 3_000), onReserved(elsewhere + "overtaken", node, cpu * 3 / 4, 10));
        inTurn(luck.between(5_000, 10_000), onReserved("overtaker", node, cpu * 3 / 8, 100));
        inTurn(luck.between(10_000, 18_000), onReserved("small", node, cpu / 8, 0));
        world.time().in(luck.between(20_000, 30_000), World.NOBODY, "", () -> {
            say("victim ends");
            modify(pods, victim, Manifests::release);
        });
    }

    private void inTurn(long millis, ObjectNode pod) {
        world.time().in(millis, World.NOBODY, "", () -> {
            say("create " + Manifests.name(pod));
            world.cluster().load(pod);
        });
    }

    private static ObjectNode onReserved(String name, String node, int milliCpu, int priority) {
        ObjectNode pod = Manifests.pod(name, Manifests.OURS, milliCpu, 64, priority, 0);
        pod.withObject("/spec/nodeSelector").put(Manifests.HOSTNAME, node);
        Manifests.tolerateReserved(pod);
        return pod;
    }

    private void next() {
        world.time().in(luck.skewedMillis(4L * world.scenario().pauseMillis()), World.NOBODY, "", this::act);
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
        int dice = luck.between(0, 99);
        if (world.scenario().devices() && luck.percent(12)) {
            devices.act();
        } else if (dice < 34) {
            createPod();
        } else if (dice < 44) {
            deletePod();
        } else if (dice < 49) {
            finishPod();
        } else if (dice < 53) {
            relabelPod();
        } else if (dice < 57) {
            bindByHand();
        } else if (dice < 65) {
            changeNodes();
        } else if (dice < 69) {
            changeBudget();
        } else if (dice < 74) {
            changeStorage();
        } else {
            trouble(dice);
        }
    }

    private void trouble(int dice) {
        SchedulerProcess process = world.process();
        if (dice < 86) {
            if (process != null) {
                ResourceKind kind = luck.percent(60) ? ResourceKind.PODS : luck.of(ResourceKind.values());
                boolean expired = luck.percent(50);
                say("watch of " + kind + " breaks" + (expired ? ", too old" : ""));
                process.feed(kind).breakOff(expired, luck.between(0, 5000));
            }
        } else if (dice < 90) {
            if (world.faultPercent() > 0) {
                say("server down");
                world.api().goDown(luck.between(100, (int) Audit.OUTAGE_MILLIS));
            }
        } else if (dice < 93) {
            if (process != null) {
                say("process paused");
                process.pause(luck.of(300, 5_000, 40_000));
            }
        } else if (dice < 95) {
            if (process != null) {
                say("reload");
                process.reload();
            }
        } else if (dice < 97 && world.scenario().clockJumps()) {
            say("clock set");
            world.time().jumpWallClock(luck.of(-3_600_000L, -20_000L, 20_000L, 3_600_000L));
        } else {
            world.maybeCrash("anywhere");
        }
    }

    private void say(String what) {
        world.trace().add("* " + what);
    }

    private ObjectNode anyPod() {
        List<ObjectNode> all = world.cluster().list("pods");
        return all.isEmpty() ? Manifests.object("v1", "Pod", "none") : luck.of(all);
    }

    private void createPod() {
        String name = (luck.percent(80) ? "p" : "q") + luck.between(0, MAX_PODS - 1);
        if (isPresent(name)) {
            return;
        }
        createPod(name);
    }

    private boolean isPresent(String pod) {
        return world.cluster().get("pods", Manifests.namespaceOf(pod), pod).isPresent();
    }

    private void createPod(String name) {
        boolean ours = luck.percent(88);
        ObjectNode pod = Manifests.pod(
                name,
                ours ? Manifests.OURS : Manifests.THEIRS,
                luck.of(100, 500, 1000, 1900),
                luck.of(64, 512, 2048),
                luck.of(0, 0, 0, 10, 100),
                luck.of(0, 0, 1, 5));
        if (world.scenario().newer()) {
            Manifests.grow(pod, luck);
        }
        String app = luck.of(APPS);
        pod.withObject("/metadata/labels").put("app", app);
        relate(pod, app);
        if (world.scenario().preemption() && luck.percent(8)) {
            Manifests.hold(pod);
        }
        // Not for pods that others bind: as in v1.17 the ports of a node are a set, so of two pods that share a port
        // the first to go frees it for both, and only a second scheduler can bring two there.
        if (ours && luck.percent(10)) {
            Manifests.hostPort(pod, luck.of(8080, 8081));
        }
        if (luck.percent(5)) {
            pod.withObject("/spec/nodeSelector").put(Manifests.HOSTNAME, "n" + luck.between(0, 7));
        }
        boolean isElsewhere = Manifests.namespaceOf(name).equals(Manifests.OTHER_NAMESPACE);
        if (ours && !isElsewhere && world.scenario().storage() && luck.percent(35)) {
            String claim = "c" + luck.between(0, 5);
            Manifest.withClaim(pod, claim);
            if (luck.percent(90)) {
                putClaim(claim);
            }
        }
        if (ours && !isElsewhere && world.scenario().devices()) {
            devices.equip(pod);
        }
        if (world.scenario().modern() && luck.percent(12)) {
            Manifests.gate(pod);
        }
        say("create " + name + " " + pod.path("spec").path("containers").path(0).path("resources") + " priority "
                + pod.path("spec").path("priority"));
        world.cluster().load(pod);
    }

    /** Terms of affinity. Anti-affinity also rejects the pods that a term selects, which need no term themselves. */
    private void relate(ObjectNode pod, String app) {
        int dice = luck.between(0, 99);
        if (dice < 10) {
            Manifests.spread(pod, app);
        } else if (dice < 14) {
            Manifests.spread(pod, luck.of(APPS));
        } else if (dice < 20) {
            Manifests.near(pod, luck.of(APPS));
        } else if (dice < 26) {
            String kind = luck.of("podAffinity", "podAntiAffinity");
            Manifests.elsewhere(
                    Manifests.term(pod, kind, luck.of(APPS)), world.scenario().newer(), luck);
        }
    }

    private void putClaim(String name) {
        if (world.cluster()
                .get("persistentvolumeclaims", Manifests.NAMESPACE, name)
                .isEmpty()) {
            world.cluster().load(Manifests.claimObject(name, luck.of("local", "dynamic")));
        }
    }

    private void deletePod() {
        ObjectNode pod = anyPod();
        String name = Manifests.name(pod);
        say("delete " + name);
        delete(Manifests.podPath(name));
        if (luck.percent(40) && !isPresent(name)) {
            createPod(name);
        }
    }

    private void finishPod() {
        ObjectNode pod = anyPod();
        if (!Manifests.nodeOf(pod).isEmpty()) {
            say("finish " + Manifests.name(pod));
            modify(pods, pod, present -> {
                present.withObject("/status").put("phase", luck.percent(70) ? "Succeeded" : "Failed");
                return present;
            });
        }
    }

    /** Affinity terms with a selector match pods of the namespace only while it has the label. */
    private void relabelNamespace() {
        String name = luck.of(Manifests.NAMESPACE, Manifests.OTHER_NAMESPACE);
        say("label the namespace " + name);
        modify(world.cluster().catalog().named("namespaces"), Manifests.object("v1", "Namespace", name), present -> {
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
        if (world.scenario().newer() && luck.percent(30)) {
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
        List<ObjectNode> all = world.cluster().list("nodes");
        if (Manifests.nodeOf(pod).isEmpty() && !all.isEmpty()) {
            String node = Manifests.name(luck.of(all));
            // Others find no devices.
            if (Room.port(pod) == 0
                    && !DeviceManifests.hasClaims(pod)
                    && Room.of(world.cluster(), node).fits(pod)) {
                say("bind " + Manifests.name(pod) + " to " + node + " by hand");
                world.cluster()
                        .call(
                                "POST",
                                Manifests.podPath(Manifests.name(pod)) + "/binding",
                                "application/json",
                                ("{\"target\":{\"name\":\"" + node + "\"}}").getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private void putNode(String name) {
        world.cluster()
                .load(Manifests.node(name, luck.of(1000, 2000, 4000), luck.of(2048, 4096, 8192), luck.between(2, 8)));
    }

    private void changeNodes() {
        String name = "n" + luck.between(0, 7);
        if (world.cluster().get("nodes", "", name).isEmpty()) {
            say("add node " + name);
            putNode(name);
            return;
        }
        int dice = luck.between(0, 99);
        if (dice < 35) {
            say("delete node " + name);
            delete("/api/v1/nodes/" + name);
            return;
        }
        say("change node " + name);
        int cpu = luck.of(500, 1000, 2000, 4000);
        modify(nodes, Manifests.object("v1", "Node", name), present -> {
            if (dice < 80) {
                present.withObject("/status/allocatable").put("cpu", cpu + "m");
            } else {
                present.withObject("/spec").put("unschedulable", dice < 90);
            }
            return present;
        });
    }

    private void changeBudget() {
        String name = luck.of("b1", "b2");
        if (world.cluster()
                .get("poddisruptionbudgets.policy", Manifests.NAMESPACE, name)
                .isPresent()) {
            delete("/apis/policy/v1/namespaces/" + Manifests.NAMESPACE + "/poddisruptionbudgets/" + name);
        } else {
            world.cluster().load(Manifests.budget(name, luck.of(APPS), luck.between(0, 1)));
        }
    }

    private void changeStorage() {
        if (!world.scenario().storage()) {
            return;
        }
        String claim = "c" + luck.between(0, 5);
        if (luck.percent(50)) {
            putClaim(claim);
        } else if (luck.percent(60)) {
            say("delete claim " + claim);
            delete("/api/v1/namespaces/" + Manifests.NAMESPACE + "/persistentvolumeclaims/" + claim);
        } else {
            List<ObjectNode> volumes = world.cluster().list("persistentvolumes");
            if (!volumes.isEmpty()) {
                String volume = Manifests.name(luck.of(volumes));
                say("delete volume " + volume);
                delete("/api/v1/persistentvolumes/" + volume);
            }
        }
    }

    private void delete(String path) {
        world.cluster().call("DELETE", path, "", new byte[0]);
    }

    private void modify(ResourceType type, ObjectNode object, StoredObjects.Mutation mutation) {
        try {
            world.cluster()
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
