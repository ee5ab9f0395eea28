package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes have refused which pods, so that a successor moves for a while: a kubelet knows of room that no API object
 * tells of, and would refuse it, too. A node waits for 10 s at first, and twice as long as before each time it refuses such a pod
 * again, up to 5 minutes. When nodes refuse {@value #MANY} such pods and no node starts one in between, all
 * nodes wait: a policy without the predicate that the kubelets check would otherwise place the pod on one node after the other.
 * Owned by the scheduling thread.
 */
public final class RefusedPlaces {
    static final Duration FIRST_WAIT = Duration.ofSeconds(10);
    static final Duration LONGEST_WAIT = Duration.ofMinutes(5);
    /** The key of the wait of all nodes; no node has an empty name. */
    static final String ALL_NODES = "";

    /** The reason of a node that pods may go to while all others wait. */
    static final String EXEMPT = "";

    private static final int MANY = 3;
    private static final int MAX_KINDS = 10_000;

    private final Map<PodKind, Map<String, Refusal>> byKind = new LinkedHashMap<>();
    /** How many pods of a kind were refused since one was started. */
    private final Map<PodKind, Integer> inARow = new HashMap<>();

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
        Duration wait = refused(nodes, pod.nodeName(), reason, now);
        if (inARow.merge(kind, 1, Integer::sum) >= MANY) {
            Duration all = refused(nodes, ALL_NODES, reason, now);
            wait = all.compareTo(wait) > 0 ? all : wait;
        }
        if (byKind.size() > MAX_KINDS) {
            PodKind oldest = byKind.keySet().iterator().next();
            byKind.remove(oldest);
            inARow.remove(oldest);
        }
        return wait;
    }

    private static Duration refused(Map<String, Refusal> nodes, String node, String reason, Instant now) {
        Refusal before = nodes.get(node);
        Duration wait = FIRST_WAIT;
        if (before != null && !before.reason().equals(EXEMPT) && !before.isForgotten(now)) {
            // Two that were refused together are one refusal.
            wait = before.isOver(now) ? twice(before.pause()) : before.pause();
        }
        nodes.put(node, new Refusal(reason, now.plus(wait), wait));
        return wait;
    }

    private static Duration twice(Duration wait) {
        Duration doubled = wait.multipliedBy(2);
        return doubled.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : doubled;
    }

    /**
     * A node has started a pod of this kind: such pods can run somewhere.
     *
     * @return true if all nodes waited for such pods until now
     */
    public boolean accepted(PodInfo pod) {
        if (inARow.isEmpty()) {
            return false;
        }
        PodKind kind = PodKind.of(pod);
        inARow.remove(kind);
        Map<String, Refusal> nodes = byKind.get(kind);
        if (nodes == null || nodes.remove(ALL_NODES) == null) {
            return false;
        }
        nodes.values().removeIf(refusal -> refusal.reason().equals(EXEMPT));
        return true;
    }

    /** The node is another one now: it has changed in what it takes, or is new. Pods may go there, whatever other nodes do. */
    public void nodeChanged(String node) {
        for (Map<String, Refusal> nodes : byKind.values()) {
            nodes.remove(node);
            Refusal all = nodes.get(ALL_NODES);
            if (all != null) {
                nodes.put(node, new Refusal(EXEMPT, all.until(), Duration.ZERO));
            }
        }
        dropEmpty();
    }

    /** The node is gone. */
    public void nodeDeleted(String node) {
        byKind.values().forEach(nodes -> nodes.remove(node));
        dropEmpty();
    }

    private void dropEmpty() {
        byKind.values().removeIf(Map::isEmpty);
        inARow.keySet().retainAll(byKind.keySet());
    }

    /**
     * Forgets what is long past. To be called every now and then.
     *
     * @param before when this was called last
     * @return true when a wait has ended since
     */
    public boolean expire(Instant before, Instant now) {
        boolean ended = false;
        for (Map<String, Refusal> nodes : byKind.values()) {
            for (Refusal refusal : nodes.values()) {
                ended |= refusal.isOver(now) && !refusal.isOver(before);
            }
            nodes.values().removeIf(refusal -> refusal.isForgotten(now));
        }
        dropEmpty();
        return ended;
    }

    /**
     * Returns the nodes that wait for pods like this one, with the reasons of their kubelets; {@link #ALL_NODES} if all wait but
     * those with the reason {@link #EXEMPT}. Empty for nearly all pods.
     */
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

    /**
     * What a pod has in common with its successor: the controller that makes both, or, without one, namespace and spec.
     *
     * @param owner UID of the controller; else the namespace
     * @param spec null for the pods of a controller
     */
    record PodKind(String owner, @Nullable PodSpec spec) {
        static PodKind of(PodInfo pod) {
            return pod.controller() == null
                    ? new PodKind(pod.namespace(), pod.spec())
                    : new PodKind(pod.controller().uid(), null);
        }
    }
}
