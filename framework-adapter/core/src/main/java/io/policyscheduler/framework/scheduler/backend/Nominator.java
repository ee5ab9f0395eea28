package io.policyscheduler.framework.scheduler.backend;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Pods that are nominated to a node, by UID. Mirrors {@code nominatedPodMap} of
 * {@code pkg/scheduler/internal/queue/scheduling_queue.go}.
 */
public final class Nominator implements NominatedPods {
    private final Map<String, String> nodeByUid = new HashMap<>();
    private final Map<String, List<PodInfo>> podsByNode = new HashMap<>();
    /** The nodes of earlier nominations of a pod, which its status may still show, by UID. */
    private final Map<String, Set<String>> earlierByUid = new HashMap<>();
    /** The nominations of a pod by this scheduler that no status has shown yet, by UID and node. */
    private final Map<String, Map<String, Integer>> unshownByUid = new HashMap<>();

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
     * empty. A status that still shows an earlier nomination does not count.
     */
    public void nominate(PodInfo pod, String node) {
        String shown = isEarlier(pod, pod.nominatedNodeName()) ? "" : pod.nominatedNodeName();
        String target = node.isEmpty() ? shown : node;
        if (!node.isEmpty() && !node.equals(pod.nominatedNodeName()) && !node.equals(nodeOf(pod))) {
            unshownByUid.computeIfAbsent(pod.uid(), uid -> new HashMap<>()).merge(node, 1, Integer::sum);
        }
        remove(pod);
        if (!target.isEmpty()) {
            nodeByUid.put(pod.uid(), target);
            podsByNode.computeIfAbsent(target, n -> new ArrayList<>()).add(pod);
            Set<String> earlier = earlierByUid.get(pod.uid());
            if (earlier != null) {
                earlier.remove(target);
            }
        }
    }

    private boolean isEarlier(PodInfo pod, String node) {
        return earlierByUid.getOrDefault(pod.uid(), Set.of()).contains(node);
    }

    /** Drops the nomination of a pod, if any. */
    public void drop(PodInfo pod) {
        remove(pod);
        earlierByUid.remove(pod.uid());
        unshownByUid.remove(pod.uid());
    }

    private void remove(PodInfo pod) {
        String node = nodeByUid.remove(pod.uid());
        List<PodInfo> pods = node == null ? null : podsByNode.get(node);
        if (node != null && pods != null) {
            earlierByUid.computeIfAbsent(pod.uid(), uid -> new HashSet<>()).add(node);
            pods.removeIf(pod::isSame);
            if (pods.isEmpty()) {
                podsByNode.remove(node);
            }
        }
    }

    /** Ends the nomination of a pod, if any, and requeues the pods that it kept away from the node. */
    public void end(PodInfo pod) {
        String node = nodeByUid.get(pod.uid());
        if (node != null) {
            remove(pod);
            ended.accept(pod.withNominatedNodeName(node));
        }
    }

    /**
     * Updates a nominated pod. The nomination in memory is newer than the status, because the watch can be late: it stays unless
     * its own node disappears from the status, or a node appears that is not from a nomination here. Each nomination here
     * appears once: if its node appears again, somebody else has written it.
     */
    public void renominate(PodInfo old, PodInfo newer) {
        String inMemory = nodeByUid.get(old.uid());
        String before = old.nominatedNodeName();
        String after = newer.nominatedNodeName();
        boolean appears = !after.isEmpty() && !after.equals(before);
        boolean isForeign = appears && !wasUnshown(newer, after);
        if (isForeign) {
            earlierByUid.getOrDefault(newer.uid(), new HashSet<>()).remove(after);
        }
        boolean stays = after.isEmpty()
                ? !before.equals(inMemory)
                : !appears || after.equals(inMemory) || isEarlier(newer, after);
        remove(old);
        nominate(newer, inMemory != null && stays ? inMemory : "");
    }

    /** Counts a node that appears in a status; returns false if this scheduler has not nominated the pod to it since. */
    private boolean wasUnshown(PodInfo pod, String node) {
        Map<String, Integer> unshown = unshownByUid.getOrDefault(pod.uid(), new HashMap<>());
        boolean was = unshown.containsKey(node);
        unshown.computeIfPresent(node, (known, times) -> times > 1 ? times - 1 : null);
        return was;
    }

    /** The nominated node of a pod, or null. */
    public @Nullable String nodeOf(PodInfo pod) {
        return nodeByUid.get(pod.uid());
    }

    /** The pod with its nominated node. Its object may be older than the nomination, without which it would preempt again. */
    public PodInfo withNomination(PodInfo pod) {
        String node = nodeOf(pod);
        return pod.nominatedNodeName().isEmpty() && node != null ? pod.withNominatedNodeName(node) : pod;
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
