package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ObjectReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of constant size that changes all the time: deployments are rolled out, jobs of new kinds start and end, single pods are created; nodes
 * are replaced, relabeled, and tainted; services and claims are created and deleted.
 */
final class ChurningCluster {
    private static final long MINUTE = 60_000;
    private static final int NODES = 200;
    private static final int DEPLOYMENTS = 30;
    private static final int REPLICAS = 8;
    /** The number of kinds of pods that no longer exist and are evaluated, too, because results for them are cached. */
    private static final int MOST_OLD = 200;

    private final ClusterState state;
    private final VirtualTime time = new VirtualTime();
    private final SplittableRandom random = new SplittableRandom(24);
    private final ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);
    private final Function<PodInfo, @Nullable String> scheduler;
    private final List<String> nodes = new ArrayList<>();
    private final List<Deployment> deployments = new ArrayList<>();
    private final Deque<PodInfo> old = new ArrayDeque<>();
    private int names;
    private int placed;
    private int refused;

    private static final class Deployment {
        private final int number;
        private int version;
        private final List<PodInfo> pods = new ArrayList<>();

        private Deployment(int number) {
            this.number = number;
        }
    }

    /** @param scheduler returns the node of a pod; null for none */
    ChurningCluster(ClusterState state, Function<PodInfo, @Nullable String> scheduler) {
        this.state = state;
        this.scheduler = scheduler;
        for (int i = 0; i < NODES; i++) {
            newNode();
        }
        for (int i = 0; i < DEPLOYMENTS; i++) {
            Deployment deployment = new Deployment(i);
            deployments.add(deployment);
            service(i, "app-" + i);
            roll(deployment);
        }
        every(MINUTE / 2, this::rollOne);
        every(MINUTE / 10, this::job);
        every(MINUTE / 20, this::single);
        every(4 * MINUTE, this::changeNodes);
        every(3 * MINUTE, () -> service(random.nextInt(DEPLOYMENTS), "app-" + random.nextInt(DEPLOYMENTS)));
        every(2 * MINUTE, this::claimed);
    }

    private void every(long millis, Runnable happens) {
        time.in(millis, 0, "again", () -> {
            happens.run();
            every(millis, happens);
        });
    }

    /** Lets time pass. */
    void run(long minutes) {
        long end = time.now() + minutes * MINUTE;
        while (time.next() <= end) {
            VirtualTime.Event event = Objects.requireNonNull(time.poll());
            time.advanceTo(event.atMillis());
            event.action().run();
        }
        time.advanceTo(end);
    }

    /** Returns a pod of each existing kind, and of many former ones. */
    List<PodInfo> kinds() {
        List<PodInfo> kinds = new ArrayList<>(old);
        for (Deployment deployment : deployments) {
            kinds.add(pod(deployment));
        }
        return kinds;
    }

    int placed() {
        return placed;
    }

    int refused() {
        return refused;
    }

    private void newNode() {
        String name = "node-" + names++;
        nodes.add(name);
        putNode(name);
    }

    private void putNode(String name) {
        ObjectNode node = object("Node", name);
        node.withObject("/metadata/labels")
                .put("kubernetes.io/hostname", name)
                .put("topology.kubernetes.io/zone", "z" + random.nextInt(3))
                .put("pool", "pool-" + random.nextInt(4));
        if (random.nextInt(10) == 0) {
            node.withObject("/spec")
                    .putArray("taints")
                    .addObject()
                    .put("key", "spot-" + random.nextInt(3))
                    .put("effect", random.nextBoolean() ? "NoSchedule" : "PreferNoSchedule");
        }
        node.withObject("/status/allocatable")
                .put("cpu", String.valueOf(8 + 8 * random.nextInt(3)))
                .put("memory", "64Gi")
                .put("pods", "60");
        state.putNode((Node) read(node));
    }

    /** Replaces a node, with its pods, and changes two others. */
    private void changeNodes() {
        String gone = nodes.remove(random.nextInt(nodes.size()));
        for (Deployment deployment : deployments) {
            deployment.pods.removeIf(pod -> {
                boolean there = pod.nodeName().equals(gone);
                if (there) {
                    state.removePod(pod);
                }
                return there;
            });
        }
        state.removeNode(gone);
        newNode();
        putNode(nodes.get(random.nextInt(nodes.size())));
        putNode(nodes.get(random.nextInt(nodes.size())));
        String closed = nodes.get(random.nextInt(nodes.size()));
        state.setClosed(closed, true);
        time.in(MINUTE, 0, "open", () -> state.setClosed(closed, false));
    }

    private void rollOne() {
        roll(deployments.get(random.nextInt(DEPLOYMENTS)));
    }

    /** Replaces pods one by one by pods of another template. */
    private void roll(Deployment deployment) {
        deployment.version++;
        List<PodInfo> before = List.copyOf(deployment.pods);
        deployment.pods.clear();
        for (int i = 0; i < REPLICAS; i++) {
            PodInfo bound = place(pod(deployment));
            if (bound != null) {
                deployment.pods.add(bound);
            }
            if (i < before.size()) {
                state.removePod(before.get(i));
            }
        }
    }

    private PodInfo pod(Deployment deployment) {
        String app = "app-" + deployment.number;
        ObjectNode pod = pod(app, app + ":" + deployment.version, 100 + 10 * (deployment.version % 40));
        pod.withObject("/metadata/labels").put("pod-template-hash", app + "-" + deployment.version);
        ObjectNode spec = pod.withObject("/spec");
        String key = deployment.number % 2 == 0 ? "kubernetes.io/hostname" : "topology.kubernetes.io/zone";
        switch (deployment.number % 5) {
            case 0 ->
                selected(
                        spec.withObject("/affinity/podAntiAffinity")
                                .putArray("preferredDuringSchedulingIgnoredDuringExecution")
                                .addObject()
                                .put("weight", 10)
                                .putObject("podAffinityTerm"),
                        key,
                        app);
            case 1 ->
                selected(
                        spec.putArray("topologySpreadConstraints")
                                .addObject()
                                .put("maxSkew", 3)
                                .put(
                                        "whenUnsatisfiable",
                                        deployment.number % 3 == 0 ? "DoNotSchedule" : "ScheduleAnyway"),
                        key,
                        app);
            case 2 -> spec.withObject("/nodeSelector").put("pool", "pool-" + deployment.version % 4);
            case 3 ->
                spec.putArray("tolerations").addObject().put("key", "spot-1").put("operator", "Exists");
            default -> {}
        }
        return (PodInfo) read(pod);
    }

    private static void selected(ObjectNode by, String key, String app) {
        by.put("topologyKey", key).withObject("/labelSelector/matchLabels").put("app", app);
    }

    /** Creates two pods of a new template. */
    private void job() {
        String name = "job-" + names++;
        for (int i = 0; i < 2; i++) {
            ObjectNode pod = pod(name, "jobs:" + names % 50, 50 + random.nextInt(200));
            pod.withObject("/metadata/labels").put("job-name", name);
            ends((PodInfo) read(pod), 1 + random.nextInt(30));
        }
    }

    /** Creates a pod of its own kind. */
    private void single() {
        ObjectNode pod = pod("single", "tools:1", random.nextInt(50) == 0 ? 100_000 : 10 + random.nextInt(100));
        pod.withObject("/metadata/annotations").put("for", "user-" + names);
        ends((PodInfo) read(pod), 1 + random.nextInt(20));
    }

    /** Creates a claim that is bound to a volume in one zone, and a pod that mounts it. */
    private void claimed() {
        String name = "claim-" + names++;
        ObjectNode volume = object("PersistentVolume", "pv-" + name);
        volume.withObject("/metadata/labels").put("topology.kubernetes.io/zone", "z" + random.nextInt(3));
        ObjectNode claim = object("PersistentVolumeClaim", name);
        claim.withObject("/metadata").put("namespace", "default");
        claim.withObject("/metadata/annotations").put("pv.kubernetes.io/bind-completed", "yes");
        claim.withObject("/spec").put("volumeName", "pv-" + name).put("storageClassName", "");
        claim.withObject("/status").put("phase", "Bound");
        List<ClusterObject> objects = List.of(read(volume), read(claim));
        objects.forEach(state::putObject);
        ObjectNode pod = pod("db", "db:1", 200);
        pod.withObject("/spec")
                .putArray("volumes")
                .addObject()
                .put("name", "v")
                .putObject("persistentVolumeClaim")
                .put("claimName", name);
        int minutes = 1 + random.nextInt(30);
        ends((PodInfo) read(pod), minutes);
        time.in((minutes + 1) * MINUTE, 0, "claim gone", () -> objects.forEach(state::removeObject));
    }

    private void ends(PodInfo pod, int minutes) {
        old.addLast(pod);
        if (old.size() > MOST_OLD) {
            old.removeFirst();
        }
        PodInfo bound = place(pod);
        if (bound != null) {
            // Its node may have been removed.
            time.in(minutes * MINUTE, 0, "end", () -> state.removePod(bound));
        }
    }

    private @Nullable PodInfo place(PodInfo pod) {
        String node = scheduler.apply(pod);
        if (node == null) {
            refused++;
            return null;
        }
        placed++;
        PodInfo bound = pod.withNodeName(node);
        state.addPod(bound);
        return bound;
    }

    private void service(int number, String app) {
        ObjectNode service = object("Service", "s-" + number);
        service.withObject("/metadata").put("namespace", "default");
        service.withObject("/spec/selector").put("app", app);
        ClusterObject read = read(service);
        if (random.nextInt(4) == 0) {
            state.removeObject(read);
        } else {
            state.putObject(read);
        }
    }

    private ObjectNode pod(String app, String image, int milliCpu) {
        ObjectNode pod = object("Pod", app + "-" + names++);
        pod.withObject("/metadata")
                .put("namespace", "default")
                .withObject("/labels")
                .put("app", app);
        ObjectNode container = pod.withObject("/spec")
                .putArray("containers")
                .addObject()
                .put("name", "c")
                .put("image", image);
        container.withObject("/resources/requests").put("cpu", milliCpu + "m").put("memory", "128Mi");
        return pod;
    }

    private static ObjectNode object(String kind, String name) {
        ObjectNode object = JsonNodeFactory.instance.objectNode().put("kind", kind);
        object.withObject("/metadata")
                .put("name", name)
                .put("uid", "uid-" + name)
                .put("resourceVersion", "1");
        return object;
    }

    private ClusterObject read(JsonNode object) {
        try (JsonParser parser = new TreeTraversingParser(object)) {
            parser.nextToken();
            return Objects.requireNonNull(reader.read(parser, null), object::toString);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
