package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Nodes that preemption has promised to pods that are still pending. */
final class Promises implements NominatedPods {
    private final Map<String, List<PodInfo>> byNode = new HashMap<>();

    Promises(List<PodInfo> pending) {
        for (PodInfo pod : pending) {
            if (!pod.nominatedNodeName().isEmpty()) {
                byNode.computeIfAbsent(pod.nominatedNodeName(), node -> new ArrayList<>())
                        .add(pod);
            }
        }
    }

    @Override
    public List<PodInfo> on(String node) {
        return byNode.getOrDefault(node, List.of());
    }

    /** The pod has a node now. */
    void kept(PodInfo pod) {
        List<PodInfo> promised = byNode.get(pod.nominatedNodeName());
        if (promised != null) {
            promised.removeIf(other -> other.isSame(pod));
        }
    }
}
