package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.engine.testing.StorageObjects;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/** A small random cluster and an incoming pod. */
public record RandomRuleInput(PodInfo pod, ClusterState cluster) {
    private static final List<String> EFFECTS = List.of("NoSchedule", "PreferNoSchedule", "NoExecute");
    private static final List<String> QUANTITIES = List.of("0", "250m", "1", "512Mi", "2");

    private static final List<String> CLAIMS = List.of("web", "a", "b");
    private static final List<String> NAMESPACES = List.of("default", "web", "a");
    private static final long NOW = Instant.parse("2026-03-01T22:30:00Z").toEpochMilli();
    private static final Clock CLOCK = Clock.fixed(Instant.ofEpochMilli(NOW), ZoneOffset.UTC);

    public static RandomRuleInput of(RandomGenerator random) {
        ClusterState state = new ClusterState(CLOCK);
        randomObjects(random).forEach(state::putObject);
        int nodes = 1 + random.nextInt(4);
        for (int n = 0; n < nodes; n++) {
            state.putNode(randomNode(random, n).build());
            for (int p = random.nextInt(5); p > 0; p--) {
                state.addPod(
                        randomPod(random, "p" + n + "-" + p).onNode("n" + n).build());
            }
        }
        state.startCycle();
        return new RandomRuleInput(
                randomPod(random, one(List.of("web", "a", "b", "underlay"), random))
                        .build(),
                state);
    }

    private static NodeBuilder randomNode(RandomGenerator random, int number) {
        NodeBuilder node = NodeBuilder.node("n" + number)
                .cpu(one(List.of("1", "4", "0"), random))
                .memory(one(List.of("1Gi", "512Mi", "3"), random));
        for (String key : RandomExpression.KEYS.subList(0, 4)) {
            if (random.nextInt(3) > 0) {
                node.label(key, one(RandomExpression.VALUES, random));
            }
        }
        if (random.nextInt(3) == 0) {
            node.label("topology.kubernetes.io/zone", one(RandomExpression.VALUES, random));
        }
        if (random.nextBoolean()) {
            node.annotation("long", one(List.of("ab", "web ", "3"), random).repeat(random.nextInt(400)));
        }
        if (random.nextBoolean()) {
            node.created(NOW - random.nextInt(7_200_000))
                    .condition("Ready", one(List.of("True", "Unknown"), random), NOW - random.nextInt(600_000));
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            node.image(random.nextInt(1 << 30), one(List.of("web", "a", "b"), random), "web:" + i);
        }
        for (int t = random.nextInt(3); t > 0; t--) {
            node.taint(one(List.of("gpu", "a"), random), one(RandomExpression.VALUES, random), one(EFFECTS, random));
        }
        return random.nextInt(5) == 0 ? node.unschedulable().scalar("nvidia.com/gpu", 3) : node;
    }

    private static PodBuilder randomPod(RandomGenerator random, String name) {
        PodBuilder pod = PodBuilder.pod(name).namespace(one(NAMESPACES, random));
        for (String key : RandomExpression.KEYS.subList(0, 4)) {
            if (random.nextInt(3) > 0) {
                pod.label(key, one(RandomExpression.VALUES, random));
            }
        }
        if (random.nextBoolean()) {
            pod.requests(one(QUANTITIES, random), one(QUANTITIES, random)).scalar("nvidia.com/gpu", random.nextInt(3));
        }
        if (random.nextBoolean()) {
            pod.controller(one(List.of("DaemonSet", "a"), random), "web", one(List.of("u", "w", ""), random))
                    .priority(random.nextInt(4) - 1);
        }
        for (int t = random.nextInt(3); t > 0; t--) {
            pod.toleration(
                    one(List.of("gpu", "", "a"), random),
                    one(List.of("Exists", "Equal", ""), random),
                    one(RandomExpression.VALUES, random),
                    one(EFFECTS, random));
        }
        if (random.nextInt(3) == 0) {
            pod.image("web").image("a").initContainer("b").hostPort("", "", 80);
        }
        for (int v = random.nextInt(3); v > 0; v--) {
            pod.claim(one(CLAIMS, random));
        }
        if (random.nextBoolean()) {
            pod.podVolume(one(List.of("web", "a"), random), one(List.of("emptyDir", "hostPath"), random))
                    .created(NOW - random.nextInt(7_200_000))
                    .serviceAccount(one(List.of("default", "web"), random))
                    .phase(one(List.of("Pending", "Running"), random))
                    .qosClass(one(List.of("Guaranteed", "Burstable"), random));
        }
        if (random.nextInt(3) == 0) {
            pod.containerPort("web", 80, random.nextInt(3), one(List.of("TCP", "UDP"), random));
        }
        return random.nextInt(4) == 0 ? pod.terminating().limits("1", "1Gi") : pod;
    }

    /** Claims, some of them bound, and budgets. */
    private static List<ClusterObject> randomObjects(RandomGenerator random) {
        List<ClusterObject> objects = new ArrayList<>();
        for (String namespace : NAMESPACES) {
            for (String claim : CLAIMS) {
                if (random.nextInt(3) > 0) {
                    objects.add(StorageObjects.claim(namespace, claim, one(List.of("", "v1", "v2", "v3"), random)));
                }
            }
            if (random.nextBoolean()) {
                objects.add(new DisruptionBudgetInfo(
                        namespace,
                        "web",
                        LabelSelector.of(Labels.of("app", one(RandomExpression.VALUES, random)), List.of()),
                        random.nextInt(3) - 1,
                        Set.of()));
            }
        }
        for (String volume : List.of("v1", "v2")) {
            boolean zonal = random.nextBoolean();
            Labels labels = zonal ? Labels.of(Node.ZONE, one(RandomExpression.VALUES, random)) : Labels.EMPTY;
            objects.add(StorageObjects.volume(volume, labels, null));
        }
        return objects;
    }

    private static <T> T one(List<T> list, RandomGenerator random) {
        return list.get(random.nextInt(list.size()));
    }

    /** A copy for another thread, because a cluster belongs to one thread. */
    RandomRuleInput copy() {
        ClusterState state = new ClusterState(CLOCK);
        for (ResourceKind kind : List.of(ResourceKind.CLAIMS, ResourceKind.VOLUMES, ResourceKind.DISRUPTION_BUDGETS)) {
            for (String namespace : kind.isNamespaced() ? NAMESPACES : List.of("")) {
                cluster.objects(kind, kind.type(), namespace).forEach(state::putObject);
            }
        }
        for (NodeInfo node : cluster.nodes()) {
            state.putNode(node.node());
            node.pods().forEach(state::addPod);
        }
        state.startCycle();
        return new RandomRuleInput(pod, state);
    }
}
