package io.policyscheduler.framework.scheduler.backend;

import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue.Listener;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The parts of the queue. A pod is in at most one of them. */
final class SubQueues {
    private final Listener listener;
    private final Nominator nominated;
    private QueuePolicy policy;
    private PodHeap active;
    private final PodHeap backingOff = new PodHeap(QueuedPod.BACKOFF_ORDER);
    private final UnschedulablePods unschedulable = new UnschedulablePods();
    private final Map<String, QueuedPod> gated = new LinkedHashMap<>();
    private final EventPools pools;

    /** @param nominated loses the pods that are gated */
    SubQueues(QueuePolicy policy, Listener listener, Nominator nominated) {
        this.policy = policy;
        this.active = new PodHeap(order(policy));
        this.listener = listener;
        this.nominated = nominated;
        this.pools = new EventPools(() -> this.policy);
    }

    private static Comparator<QueuedPod> order(QueuePolicy policy) {
        return ((Comparator<QueuedPod>) policy::compare).thenComparingLong(QueuedPod::sequence);
    }

    QueuePolicy policy() {
        return policy;
    }

    /** The parts of pods that wait for events. */
    EventPools pools() {
        return pools;
    }

    /** Sorts the active pods again. */
    void follow(QueuePolicy newPolicy) {
        policy = newPolicy;
        PodHeap old = active;
        active = new PodHeap(order(newPolicy));
        old.entries().forEach(this::enter);
    }

    PodHeap active() {
        return active;
    }

    PodHeap backingOff() {
        return backingOff;
    }

    UnschedulablePods unschedulable() {
        return unschedulable;
    }

    Map<String, QueuedPod> gated() {
        return gated;
    }

    /** Adds a pod to the active queue, or to the gated pods; false if it is gated. */
    boolean enter(QueuedPod entry) {
        if (policy.waitsForEvents(entry.pod())) {
            QueuedPod entered = entry.gatedBy(policy.gatingPlugin(entry.pod(), entry.gatedBy()));
            if (entered.gatedBy().isEmpty()) {
                active.put(entered);
            } else {
                pools.wait(entered);
            }
            return entered.gatedBy().isEmpty();
        }
        if (!policy.mayEnter(entry.pod())) {
            putGated(entry);
            return false;
        }
        active.put(entry);
        return true;
    }

    /** The same with a callback to the listener. */
    boolean enter(QueuedPod entry, ClusterEvent event) {
        return enter(entry, event.label());
    }

    /** The same for an event of current releases. */
    boolean enter(QueuedPod entry, String event) {
        if (!enter(entry)) {
            return false;
        }
        entered(Part.ACTIVE, event);
        return true;
    }

    /** Calls the listener. */
    void entered(Part part, String event) {
        listener.onIncoming(part, event);
    }

    void putBackingOff(QueuedPod entry, ClusterEvent event) {
        backingOff.put(entry);
        listener.onIncoming(Part.BACKOFF, event.label());
    }

    void putUnschedulable(QueuedPod entry, ClusterEvent event) {
        unschedulable.put(entry, policy.waitsForPods(entry));
        listener.onIncoming(Part.UNSCHEDULABLE, event.label());
    }

    void putGated(QueuedPod entry) {
        gated.put(entry.key(), entry);
        // The nomination of a gated pod must not keep others away.
        nominated.end(entry.pod());
    }

    /** Runs PreEnqueue again for the gated pods. */
    void admitGated(ClusterEvent event) {
        for (QueuedPod entry : new ArrayList<>(gated.values())) {
            if (policy.mayEnter(entry.pod())) {
                gated.remove(entry.key());
                active.put(entry);
                listener.onIncoming(Part.ACTIVE, event.label());
                nominated.nominate(entry.pod(), entry.pod().nominatedNodeName());
            }
        }
    }

    /** Removes a pod from any part but the active one. */
    void remove(String key) {
        pools.remove(key);
        backingOff.remove(key);
        unschedulable.remove(key);
        gated.remove(key);
    }

    /** The part with the pod of this {@code namespace/name}; null if it is in none. */
    @Nullable
    Part of(String key) {
        if (active.get(key) != null) {
            return Part.ACTIVE;
        }
        if (backingOff.get(key) != null) {
            return Part.BACKOFF;
        }
        if (gated.containsKey(key)) {
            return Part.GATED;
        }
        return unschedulable.get(key) != null ? Part.UNSCHEDULABLE : pools.of(key);
    }

    int size(Part part) {
        return switch (part) {
            case ACTIVE -> active.size();
            case BACKOFF -> backingOff.size() + pools.size(part);
            case UNSCHEDULABLE -> unschedulable.size() + pools.size(part);
            case GATED -> gated.size() + pools.size(part);
        };
    }

    /** In scheduling order, unschedulable ones by time of failure; those that wait for events are last. */
    List<QueuedPod> entries(Part part) {
        List<QueuedPod> entries = new ArrayList<>(
                switch (part) {
                    case ACTIVE -> active.entries();
                    case BACKOFF -> backingOff.entries();
                    case UNSCHEDULABLE -> unschedulable.entries();
                    case GATED -> gated.values();
                });
        entries.addAll(pools.entries(part));
        return entries;
    }

    /** All pods: active, backing off, unschedulable, gated. */
    List<PodInfo> pods() {
        List<PodInfo> pods = new ArrayList<>();
        for (Part part : Part.values()) {
            entries(part).forEach(entry -> pods.add(entry.pod()));
        }
        return pods;
    }

    /** Unschedulable pods by time of failure. Mirrors {@code UnschedulablePodsMap}. */
    static final class UnschedulablePods {
        private final Map<String, QueuedPod> byKey = new LinkedHashMap<>();
        /** Keys of pods with required pod affinity. An assigned pod helps them if a term matches it. */
        private final Set<String> waitingForPods = new LinkedHashSet<>();
        /** Keys of pods that any assigned pod may help. */
        private final Set<String> waitingForAnyPod = new LinkedHashSet<>();

        /** @param waitsForAnyPod whether any assigned pod may help */
        void put(QueuedPod entry, boolean waitsForAnyPod) {
            waitingForPods.remove(entry.key());
            waitingForAnyPod.remove(entry.key());
            byKey.put(entry.key(), entry);
            if (waitsForAnyPod) {
                waitingForAnyPod.add(entry.key());
            } else if (!requiredPodAffinity(entry.pod()).isEmpty()) {
                waitingForPods.add(entry.key());
            }
        }

        /** Updates the version of a pod that stays. */
        void replace(QueuedPod entry) {
            byKey.put(entry.key(), entry);
        }

        @Nullable
        QueuedPod get(String key) {
            return byKey.get(key);
        }

        @Nullable
        QueuedPod remove(String key) {
            waitingForPods.remove(key);
            waitingForAnyPod.remove(key);
            return byKey.remove(key);
        }

        int size() {
            return byKey.size();
        }

        /** By time of failure; a view. */
        Collection<QueuedPod> entries() {
            return Collections.unmodifiableCollection(byKey.values());
        }

        List<QueuedPod> those(Predicate<QueuedPod> condition) {
            List<QueuedPod> chosen = new ArrayList<>(byKey.size());
            for (QueuedPod entry : byKey.values()) {
                if (condition.test(entry)) {
                    chosen.add(entry);
                }
            }
            return chosen;
        }

        /**
         * The pods that an assigned pod may help: those that any pod may help, and those whose required affinity matches it. A term
         * with a namespace selector may match any namespace.
         */
        List<QueuedPod> waitingFor(PodInfo assigned) {
            List<QueuedPod> matched = new ArrayList<>();
            for (String key : waitingForAnyPod) {
                QueuedPod entry = byKey.get(key);
                if (entry != null) {
                    matched.add(entry);
                }
            }
            for (String key : waitingForPods) {
                QueuedPod entry = byKey.get(key);
                if (entry != null
                        && requiredPodAffinity(entry.pod()).stream()
                                .anyMatch(term -> mayMean(term, entry.pod(), assigned))) {
                    matched.add(entry);
                }
            }
            return matched;
        }

        private static boolean mayMean(PodAffinityTerm term, PodInfo owner, PodInfo assigned) {
            return term.matches(owner, assigned)
                    || (term.namespaceSelector() != null
                            && term.selector() != null
                            && term.selector().matches(assigned.labels()));
        }

        private static List<PodAffinityTerm> requiredPodAffinity(PodInfo pod) {
            Affinity.PodTerms terms = pod.affinity().podAffinity();
            return terms == null ? List.of() : terms.required();
        }
    }

    /** The pods that wait for events, in the pools of current releases. A pod is in at most one of them. */
    static final class EventPools {
        private final PodHeap backoff;
        private final PodHeap errorBackoff;
        private final Map<String, QueuedPod> unschedulable = new LinkedHashMap<>();
        private final Map<String, QueuedPod> gated = new LinkedHashMap<>();

        EventPools(Supplier<QueuePolicy> policy) {
            Comparator<QueuedPod> order = Comparator.comparing(QueuedPod::backoffExpiry)
                    .thenComparing((a, b) -> policy.get().compare(a, b))
                    .thenComparingLong(QueuedPod::sequence);
            backoff = new PodHeap(order);
            errorBackoff = new PodHeap(order);
        }

        /** Pods that plugins have rejected. */
        PodHeap backoff() {
            return backoff;
        }

        /** Pods that failed with an error. */
        PodHeap errorBackoff() {
            return errorBackoff;
        }

        /** Adds a pod to the gated or unschedulable pods. */
        void wait(QueuedPod entry) {
            (entry.gatedBy().isEmpty() ? unschedulable : gated).put(entry.key(), entry);
        }

        /** A gated or unschedulable pod; null if it is elsewhere. */
        @Nullable
        QueuedPod waiting(String key) {
            QueuedPod entry = unschedulable.get(key);
            return entry == null ? gated.get(key) : entry;
        }

        /** The backoff pool of a pod; null if it is in none. */
        @Nullable
        PodHeap backingOff(String key) {
            if (backoff.get(key) != null) {
                return backoff;
            }
            return errorBackoff.get(key) != null ? errorBackoff : null;
        }

        /** Removes a pod from any pool. */
        @Nullable
        QueuedPod remove(String key) {
            QueuedPod entry = unschedulable.remove(key);
            if (entry == null) {
                entry = gated.remove(key);
            }
            if (entry == null) {
                entry = backoff.remove(key);
            }
            return entry == null ? errorBackoff.remove(key) : entry;
        }

        /** The unschedulable and gated pods that match a condition. */
        List<QueuedPod> those(Predicate<QueuedPod> condition) {
            List<QueuedPod> chosen = new ArrayList<>();
            for (Map<String, QueuedPod> pool : List.of(unschedulable, gated)) {
                for (QueuedPod entry : pool.values()) {
                    if (condition.test(entry)) {
                        chosen.add(entry);
                    }
                }
            }
            return chosen;
        }

        @Nullable
        Part of(String key) {
            if (backingOff(key) != null) {
                return Part.BACKOFF;
            }
            if (gated.containsKey(key)) {
                return Part.GATED;
            }
            return unschedulable.containsKey(key) ? Part.UNSCHEDULABLE : null;
        }

        int size(Part part) {
            return switch (part) {
                case ACTIVE -> 0;
                case BACKOFF -> backoff.size() + errorBackoff.size();
                case UNSCHEDULABLE -> unschedulable.size();
                case GATED -> gated.size();
            };
        }

        Collection<QueuedPod> entries(Part part) {
            return switch (part) {
                case ACTIVE -> List.of();
                case BACKOFF -> {
                    List<QueuedPod> all = new ArrayList<>(backoff.entries());
                    all.addAll(errorBackoff.entries());
                    yield all;
                }
                case UNSCHEDULABLE -> unschedulable.values();
                case GATED -> gated.values();
            };
        }
    }

    /**
     * A heap of entries with access by key. The order must be total. If the comparator of a plugin is inconsistent, the order of
     * entries is undefined, but no entry is lost or returned twice.
     */
    static final class PodHeap {
        private final Map<String, QueuedPod> byKey = new HashMap<>();
        private final TreeSet<QueuedPod> ordered;

        PodHeap(Comparator<QueuedPod> order) {
            ordered = new TreeSet<>(order);
        }

        /** Adds an entry, or replaces the one with the same key. */
        void put(QueuedPod entry) {
            QueuedPod old = byKey.put(entry.key(), entry);
            if (old != null) {
                drop(old);
            }
            ordered.add(entry);
        }

        @SuppressWarnings("ReferenceEquality") // found by identity, without the order
        private void drop(QueuedPod old) {
            if (!ordered.remove(old)) {
                ordered.removeIf(entry -> entry == old);
            }
        }

        @Nullable
        QueuedPod get(String key) {
            return byKey.get(key);
        }

        @Nullable
        QueuedPod remove(String key) {
            QueuedPod old = byKey.remove(key);
            if (old != null) {
                drop(old);
            }
            return old;
        }

        @Nullable
        QueuedPod peek() {
            return ordered.isEmpty() ? null : ordered.first();
        }

        @Nullable
        QueuedPod poll() {
            QueuedPod first = ordered.pollFirst();
            if (first != null) {
                byKey.remove(first.key());
            }
            return first;
        }

        int size() {
            return byKey.size();
        }

        /** The entries in order; a view. */
        Collection<QueuedPod> entries() {
            return Collections.unmodifiableCollection(ordered);
        }
    }
}
