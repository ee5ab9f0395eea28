package io.policyscheduler.framework.scheduler.backend;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pods on nodes: assumed by this scheduler, or assigned according to the API server. Updates the pods of {@link ClusterState};
 * owned by the same thread. Mirrors the pod side of {@code pkg/scheduler/internal/cache/cache.go}.
 */
public final class Cache {
    private static final Logger log = LoggerFactory.getLogger(Cache.class);
    private static final Result NO_UID = Result.rejected("Cannot get cache key for pod with empty UID");

    private final ClusterState state;
    private final Clock clock;
    private final Duration assumedTtl;
    private final Map<String, PodInfo> added = new HashMap<>();
    /** In the order of assumption. */
    private final Map<String, Assumed> assumed = new LinkedHashMap<>();

    private record Assumed(PodInfo pod, @Nullable Instant deadline) {}

    /**
     * An empty cache.
     *
     * @param assumedTtl how long after the end of its binding an assumed pod may be unconfirmed before it is {@link #overdue()}
     */
    public Cache(ClusterState state, Clock clock, Duration assumedTtl) {
        this.state = state;
        this.clock = clock;
        this.assumedTtl = assumedTtl;
    }

    /** Adds {@code pod} to {@code pod.nodeName()} before the API server confirms the binding. */
    public Result assume(PodInfo pod) {
        if (pod.uid().isEmpty()) {
            return NO_UID;
        }
        if (added.containsKey(pod.uid()) || assumed.containsKey(pod.uid())) {
            return Result.rejected("pod " + pod.uid() + " is in the cache, so can't be assumed");
        }
        state.addPod(pod);
        assumed.put(pod.uid(), new Assumed(pod, null));
        return Result.DONE;
    }

    /** Starts the TTL of an assumed pod; ignores any other pod. */
    public void finishBinding(PodInfo pod) {
        Assumed known = assumed.get(pod.uid());
        if (known != null) {
            assumed.put(pod.uid(), new Assumed(known.pod(), clock.instant().plus(assumedTtl)));
        }
    }

    /** Removes an assumed pod whose binding failed. */
    public Result forget(PodInfo pod) {
        if (pod.uid().isEmpty()) {
            return NO_UID;
        }
        PodInfo known = get(pod.uid());
        if (known != null && !known.nodeName().equals(pod.nodeName())) {
            return Result.rejected(
                    "pod " + pod.uid() + " was assumed on " + pod.nodeName() + " but assigned to " + known.nodeName());
        }
        Assumed forgotten = assumed.remove(pod.uid());
        if (forgotten == null) {
            return Result.rejected("pod " + pod.uid() + " wasn't assumed so cannot be forgotten");
        }
        state.removePod(forgotten.pod());
        return Result.DONE;
    }

    /**
     * Adds an assigned pod of the API server. A pod assumed on this node keeps its position among the node's pods, unless fields
     * that matter for other pods have changed.
     */
    public Result add(PodInfo pod) {
        if (pod.uid().isEmpty()) {
            return NO_UID;
        }
        if (added.containsKey(pod.uid())) {
            return Result.rejected("pod " + pod.uid() + " was already in added state");
        }
        Assumed known = assumed.remove(pod.uid());
        if (known == null) {
            state.addPod(pod);
            added.put(pod.uid(), pod);
            return Result.DONE;
        }
        boolean sameNode = known.pod().nodeName().equals(pod.nodeName());
        if (!sameNode) {
            log.warn(
                    "pod {} was assumed on {} but got assigned to {}",
                    pod.key(),
                    known.pod().nodeName(),
                    pod.nodeName());
        }
        if (sameNode && countsAlike(known.pod(), pod)) {
            added.put(pod.uid(), known.pod());
        } else {
            state.replacePod(known.pod(), pod);
            added.put(pod.uid(), pod);
        }
        return Result.DONE;
    }

    private static boolean countsAlike(PodInfo a, PodInfo b) {
        return a.terminating() == b.terminating()
                && a.labels().equals(b.labels())
                && a.spec().equals(b.spec());
    }

    /** Updates an added pod. */
    public Result update(PodInfo pod) {
        if (pod.uid().isEmpty()) {
            return NO_UID;
        }
        PodInfo known = added.get(pod.uid());
        if (known == null) {
            return Result.rejected("pod " + pod.uid() + " is not added to scheduler cache, so cannot be updated");
        }
        state.replacePod(known, pod);
        added.put(pod.uid(), pod);
        if (known.nodeName().equals(pod.nodeName())) {
            return Result.DONE;
        }
        String message = "Pod " + pod.uid() + " updated on a different node than previously added to.";
        log.error("{} It now counts on {} instead of {}", message, pod.nodeName(), known.nodeName());
        return Result.repaired(message);
    }

    /** Removes an added pod. */
    public Result remove(PodInfo pod) {
        if (pod.uid().isEmpty()) {
            return NO_UID;
        }
        PodInfo known = added.remove(pod.uid());
        if (known == null) {
            return Result.rejected(
                    "pod " + pod.uid() + " is not found in scheduler cache, so cannot be removed from it");
        }
        state.removePod(known);
        if (known.nodeName().equals(pod.nodeName())) {
            return Result.DONE;
        }
        String message = "Pod " + pod.uid() + " removed from a different node than previously added to.";
        log.error("{} It was on {}, not {}", message, known.nodeName(), pod.nodeName());
        return Result.repaired(message);
    }

    /**
     * Returns the assumed pods whose deadline has passed, each of them once. They stay in the cache until they are added or
     * forgotten: a delayed watch does not mean that the pod is not on the node. v1.17 removes them here, and overcommits their
     * nodes.
     *
     * @return in the order of assumption
     */
    public List<PodInfo> overdue() {
        Instant now = clock.instant();
        List<PodInfo> overdue = new ArrayList<>();
        for (Map.Entry<String, Assumed> entry : assumed.entrySet()) {
            Assumed known = entry.getValue();
            if (known.deadline() != null && now.isAfter(known.deadline())) {
                entry.setValue(new Assumed(known.pod(), null));
                overdue.add(known.pod());
            }
        }
        for (PodInfo pod : overdue) {
            log.atWarn()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("node", pod.nodeName())
                    .log("the binding was not confirmed in time");
        }
        return overdue;
    }

    /** Whether the pod is assumed and not confirmed. */
    public boolean isAssumed(String uid) {
        return assumed.containsKey(uid);
    }

    /** The cached pod; null if unknown. */
    public @Nullable PodInfo get(String uid) {
        Assumed known = assumed.get(uid);
        return known != null ? known.pod() : added.get(uid);
    }

    /** The deadline of an assumed pod; null while its binding runs, or if it is overdue or not assumed. */
    public @Nullable Instant deadline(String uid) {
        Assumed known = assumed.get(uid);
        return known == null ? null : known.deadline();
    }

    /** A copy of the assumed pods, in the order of assumption. */
    public List<PodInfo> assumedPods() {
        return assumed.values().stream().map(Assumed::pod).toList();
    }

    /** Number of assumed pods. */
    public int assumedCount() {
        return assumed.size();
    }

    /** The number of cached pods, including assumed ones. */
    public int podCount() {
        return assumed.size() + added.size();
    }

    /**
     * The result of a cache operation.
     *
     * @param status done, rejected, or done after repairing an inconsistency
     * @param message the reason, as in v1.17; empty when done
     */
    public record Result(Status status, String message) {
        /** The operation succeeded. */
        public static final Result DONE = new Result(Status.DONE, "");

        /** The kinds of results. */
        public enum Status {
            DONE,
            /** Nothing changed. */
            REFUSED,
            /** The cache was inconsistent with the informer and now matches it; v1.17 would have exited. */
            REPAIRED
        }

        static Result rejected(String message) {
            return new Result(Status.REFUSED, message);
        }

        static Result repaired(String message) {
            return new Result(Status.REPAIRED, message);
        }

        /** False when nothing changed. */
        public boolean isApplied() {
            return status != Status.REFUSED;
        }
    }

    /** The last observed objects of the API server, with which lists and updates are compared. */
    public static final class InformerStore {
        private final Map<String, PodInfo> pods = new LinkedHashMap<>();
        private final Map<String, Node> nodes = new LinkedHashMap<>();
        private final Map<ResourceKind, Map<String, ClusterObject>> objects = new EnumMap<>(ResourceKind.class);
        private final Set<ResourceKind> synced = EnumSet.noneOf(ResourceKind.class);

        /** Unfinished pods by {@code namespace/name}. */
        public Map<String, PodInfo> pods() {
            return pods;
        }

        /** The last observed pod with the key and UID of {@code pod}; null if it was deleted. */
        public @Nullable PodInfo current(PodInfo pod) {
            PodInfo known = pods.get(pod.key());
            return known != null && known.isSame(pod) ? known : null;
        }

        /** Nodes by name. */
        public Map<String, Node> nodes() {
            return nodes;
        }

        /** Objects of a kind other than pods and nodes, by key. */
        public Map<String, ClusterObject> objects(ResourceKind kind) {
            return objects.computeIfAbsent(kind, k -> new LinkedHashMap<>());
        }

        /** Kinds with a complete initial list. */
        public Set<ResourceKind> synced() {
            return synced;
        }

        /**
         * True if resource version {@code a} is certainly older than {@code b}. Versions that are not decimal numbers cannot be
         * compared.
         */
        public static boolean isOlder(String a, String b) {
            if (!isNumber(a) || !isNumber(b)) {
                return false;
            }
            return a.length() == b.length() ? a.compareTo(b) < 0 : a.length() < b.length();
        }

        private static boolean isNumber(String version) {
            if (version.isEmpty() || (version.charAt(0) == '0' && version.length() > 1)) {
                return false;
            }
            for (int i = 0; i < version.length(); i++) {
                if (version.charAt(i) < '0' || version.charAt(i) > '9') {
                    return false;
                }
            }
            return true;
        }
    }
}
