package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.List;
import java.util.random.RandomGenerator;

/** A small random cluster and a pod to place. */
public record RandomRuleWorld(PodInfo pod, ClusterState cluster) {
    private static final List<String> EFFECTS = List.of("NoSchedule", "PreferNoSchedule", "NoExecute");
    private static final List<String> QUANTITIES = List.of("0", "250m", "1", "512Mi", "2");

    public static RandomRuleWorld of(RandomGenerator random) {
        ClusterState state = new ClusterState();
        int nodes = 1 + random.nextInt(4);
        for (int n = 0; n < nodes; n++) {
            state.putNode(randomNode(random, n).build());
            for (int p = random.nextInt(5); p > 0; p--) {
                state.addPod(
                        randomPod(random, "p" + n + "-" + p).onNode("n" + n).build());
            }
        }
        state.startCycle();
        return new RandomRuleWorld(
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
        for (int t = random.nextInt(3); t > 0; t--) {
            node.taint(one(List.of("gpu", "a"), random), one(RandomExpression.VALUES, random), one(EFFECTS, random));
        }
        return random.nextInt(5) == 0 ? node.unschedulable().scalar("nvidia.com/gpu", 3) : node;
    }

    private static PodBuilder randomPod(RandomGenerator random, String name) {
        PodBuilder pod = PodBuilder.pod(name).namespace(one(List.of("default", "web", "a"), random));
        for (String key : RandomExpression.KEYS.subList(0, 4)) {
            if (random.nextInt(3) > 0) {
                pod.label(key, one(RandomExpression.VALUES, random));
            }
        }
        if (random.nextBoolean()) {
            pod.requests(one(QUANTITIES, random), one(QUANTITIES, random)).scalar("nvidia.com/gpu", random.nextInt(3));
        }
        if (random.nextBoolean()) {
            pod.controller(one(List.of("DaemonSet", "a"), random), "web", "u").priority(random.nextInt(4) - 1);
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
        return random.nextInt(4) == 0 ? pod.terminating().limits("1", "1Gi") : pod;
    }

    private static <T> T one(List<T> list, RandomGenerator random) {
        return list.get(random.nextInt(list.size()));
    }

    /** The same world for another thread: a cluster belongs to one. */
    RandomRuleWorld copy() {
        ClusterState state = new ClusterState();
        for (NodeInfo node : cluster.nodes()) {
            state.putNode(node.node());
            node.pods().forEach(state::addPod);
        }
        state.startCycle();
        return new RandomRuleWorld(pod, state);
    }
}
