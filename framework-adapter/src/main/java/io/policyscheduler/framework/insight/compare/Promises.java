package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Nodes that preemption has promised to pods that are still pending. */
final class Promises implements NominatedPods {
    private final Map<String, List<PodInfo>> byNode = new LinkedHashMap<>();

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

    @Override
    public Collection<String> nodes() {
        return Collections.unmodifiableSet(byNode.keySet());
    }

    @Override
    public boolean isEmpty() {
        return byNode.isEmpty();
    }

    /** The pod has a node now. */
    void kept(PodInfo pod) {
        List<PodInfo> promised = byNode.get(pod.nominatedNodeName());
        if (promised != null) {
            promised.removeIf(other -> other.isSame(pod));
            if (promised.isEmpty()) {
                byNode.remove(pod.nominatedNodeName());
            }
        }
    }
}
