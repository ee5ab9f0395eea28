package io.policyscheduler.framework.scheduler.backend;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Pods that are nominated to a node, by UID. Mirrors {@code nominatedPodMap} of
 * {@code pkg/scheduler/internal/queue/scheduling_queue.go}.
 */
public final class Nominator implements NominatedPods {
    private final Map<String, String> nodeByUid = new HashMap<>();
    private final Map<String, List<PodInfo>> podsByNode = new HashMap<>();
    private final Consumer<PodInfo> ended;

    /** An empty nominator without a callback. */
    public Nominator() {
        this(pod -> {});
    }

    /** @param ended receives the pods whose nominations {@link #end} */
    Nominator(Consumer<PodInfo> ended) {
        this.ended = ended;
    }

    /**
     * Nominates a pod to {@code node}, or to the node in its status if {@code node} is empty; drops its nomination if both are
     * empty.
     */
    public void nominate(PodInfo pod, String node) {
        drop(pod);
        String target = node.isEmpty() ? pod.nominatedNodeName() : node;
        if (!target.isEmpty()) {
            nodeByUid.put(pod.uid(), target);
            podsByNode.computeIfAbsent(target, n -> new ArrayList<>()).add(pod);
        }
    }

    /** Drops the nomination of a pod, if any. */
    public void drop(PodInfo pod) {
        String node = nodeByUid.remove(pod.uid());
        List<PodInfo> pods = node == null ? null : podsByNode.get(node);
        if (node != null && pods != null) {
            pods.removeIf(pod::isSame);
            if (pods.isEmpty()) {
                podsByNode.remove(node);
            }
        }
    }

    /** Drops the nomination of a pod, if any, and requeues the pods that it kept away from the node. */
    public void end(PodInfo pod) {
        String node = nodeByUid.get(pod.uid());
        if (node != null) {
            drop(pod);
            ended.accept(pod.withNominatedNodeName(node));
        }
    }

    /** Updates a nominated pod. A nomination that exists only in memory stays while neither version of the pod has the field. */
    public void renominate(PodInfo old, PodInfo newer) {
        String keep = "";
        if (old.nominatedNodeName().isEmpty() && newer.nominatedNodeName().isEmpty()) {
            String known = nodeByUid.get(old.uid());
            keep = known == null ? "" : known;
        }
        drop(old);
        nominate(newer, keep);
    }

    /** The nominated node of a pod, or null. */
    public @Nullable String nodeOf(PodInfo pod) {
        return nodeByUid.get(pod.uid());
    }

    @Override
    public Collection<String> nodes() {
        return podsByNode.keySet();
    }

    @Override
    public boolean isEmpty() {
        return podsByNode.isEmpty();
    }

    @Override
    public List<PodInfo> on(String node) {
        List<PodInfo> pods = podsByNode.get(node);
        return pods == null ? List.of() : List.copyOf(pods);
    }
}
