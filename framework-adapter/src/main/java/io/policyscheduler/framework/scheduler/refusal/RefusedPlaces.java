package io.policyscheduler.framework.scheduler.refusal;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which nodes have refused which pods, so that a successor moves for a while: a kubelet knows of room that no API object
 * tells of, and would refuse it, too. A node waits for 10 s at first, and twice as long as before each time it refuses such a pod
 * again, up to 5 minutes. Owned by the scheduling thread.
 */
public final class RefusedPlaces {
    static final Duration FIRST_WAIT = Duration.ofSeconds(10);
    static final Duration LONGEST_WAIT = Duration.ofMinutes(5);
    private static final int MAX_KINDS = 10_000;

    private final Map<PodKind, Map<String, Refusal>> byKind = new LinkedHashMap<>();

    /**
     * A node that waits.
     *
     * @param reason what the kubelet said, such as {@code OutOfcpu}
     * @param until when pods of this kind may go there again; in the past while only the length of the wait is remembered
     */
    record Refusal(String reason, Instant until, Duration pause) {
        boolean isOver(Instant now) {
            return !until.isAfter(now);
        }

        /** It refuses again at once, most likely, if it does so within as long as it has waited. */
        boolean isForgotten(Instant now) {
            return !until.plus(pause).isAfter(now);
        }
    }

    /**
     * The kubelet of the pod's node has refused it.
     *
     * @return how long the node waits for pods of this kind
     */
    public Duration refused(PodInfo pod, String reason, Instant now) {
        PodKind kind = PodKind.of(pod);
        Map<String, Refusal> nodes = byKind.computeIfAbsent(kind, key -> new HashMap<>());
        Refusal before = nodes.get(pod.nodeName());
        Duration wait = FIRST_WAIT;
        if (before != null && !before.isForgotten(now)) {
            // Two that were refused together are one refusal.
            wait = before.isOver(now) ? twice(before.pause()) : before.pause();
        }
        nodes.put(pod.nodeName(), new Refusal(reason, now.plus(wait), wait));
        if (byKind.size() > MAX_KINDS) {
            byKind.remove(byKind.keySet().iterator().next());
        }
        return wait;
    }

    private static Duration twice(Duration wait) {
        Duration doubled = wait.multipliedBy(2);
        return doubled.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : doubled;
    }

    /** The node is another one now: it has changed in what it takes, or is gone. */
    public void nodeChanged(String node) {
        if (byKind.isEmpty()) {
            return;
        }
        byKind.values().forEach(nodes -> nodes.remove(node));
        byKind.values().removeIf(Map::isEmpty);
    }

    /**
     * Forgets what is long past. To be called every now and then.
     *
     * @param before when this was called last
     * @return true when a wait has ended since
     */
    public boolean expire(Instant before, Instant now) {
        boolean ended = false;
        Iterator<Map<String, Refusal>> kinds = byKind.values().iterator();
        while (kinds.hasNext()) {
            Map<String, Refusal> nodes = kinds.next();
            for (Refusal refusal : nodes.values()) {
                ended |= refusal.isOver(now) && !refusal.isOver(before);
            }
            nodes.values().removeIf(refusal -> refusal.isForgotten(now));
            if (nodes.isEmpty()) {
                kinds.remove();
            }
        }
        return ended;
    }

    /** The nodes that wait for pods like this one, with what their kubelets said; empty for nearly all pods. */
    public Map<String, String> waitingFor(PodInfo pod, Instant now) {
        if (byKind.isEmpty()) {
            return Map.of();
        }
        Map<String, Refusal> nodes = byKind.get(PodKind.of(pod));
        if (nodes == null) {
            return Map.of();
        }
        Map<String, String> waiting = new HashMap<>();
        nodes.forEach((node, refusal) -> {
            if (!refusal.isOver(now)) {
                waiting.put(node, refusal.reason());
            }
        });
        return waiting;
    }
}
