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
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where pods wait: the parts of the queue, each pod in one of them at most, and the ways into the active one. */
final class SubQueues {
    private final Listener listener;
    private final Nominator nominated;
    private QueuePolicy policy;
    private PodHeap active;
    private final PodHeap backingOff = new PodHeap(QueuedPod.BACKOFF_ORDER);
    private final UnschedulablePods unschedulable = new UnschedulablePods();
    private final Map<String, QueuedPod> gated = new LinkedHashMap<>();
    private final EventPools pools;

    /** @param nominated loses the pods that are held back */
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

    /** Where the pods wait that wait for events. */
    EventPools pools() {
        return pools;
    }

    /** Orders the active pods anew. */
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

    /** Into the active queue, or before it; false when the pod is held back. */
    boolean enter(QueuedPod entry) {
        if (policy.waitsForEvents(entry.pod())) {
            QueuedPod asked = entry.gatedBy(policy.heldBackBy(entry.pod(), entry.gatedBy()));
            if (asked.gatedBy().isEmpty()) {
                active.put(asked);
            } else {
                pools.wait(asked);
            }
            return asked.gatedBy().isEmpty();
        }
        if (!policy.mayEnter(entry.pod())) {
            putGated(entry);
            return false;
        }
        active.put(entry);
        return true;
    }

    /** The same, told to the listener. */
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

    /** Tells the listener. */
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
        // What a pod that is not tried was promised must not keep others away.
        nominated.end(entry.pod());
    }

    /** Asks again about the pods that are held back. */
    void admitGated(ClusterEvent event) {
        for (QueuedPod entry : new ArrayList<>(gated.values())) {
            if (policy.mayEnter(entry.pod())) {
                gated.remove(entry.key());
                active.put(entry);
                listener.onIncoming(Part.ACTIVE, event.label());
                nominated.nominate(entry.pod(), "");
            }
        }
    }

    /** Takes a pod out, wherever it waits, but for the active ones. */
    void remove(String key) {
        pools.remove(key);
        backingOff.remove(key);
        unschedulable.remove(key);
        gated.remove(key);
    }

    /** Where a pod of this {@code namespace/name} waits; null when nowhere. */
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

    /** In order of service, the unschedulable by time of failure; those that wait for events come after the others. */
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

    /** Pods that no known change has helped yet, by time of failure. Mirrors {@code UnschedulablePodsMap}. */
    static final class UnschedulablePods {
        private final Map<String, QueuedPod> byKey = new LinkedHashMap<>();
        /** Keys of those with required pod affinity, which a pod that gets a node helps if a term means it. */
        private final Set<String> waitingForPods = new LinkedHashSet<>();
        /** Keys of those that any pod which gets a node may help. */
        private final Set<String> waitingForAnyPod = new LinkedHashSet<>();

        /** @param waitsForAnyPod whether any pod that gets a node may help */
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

        /** Takes the newer version of a pod that stays. */
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
         * Those that a pod with a node may help: those that any pod may help, and those whose required affinity means it. A term that
         * selects namespaces may mean any of them.
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

    /** Where pods wait that wait for events: in the pools of current releases, each pod in one of them at most. */
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

        /** Of pods that plugins have rejected. */
        PodHeap backoff() {
            return backoff;
        }

        /** Of pods for which something else has failed. */
        PodHeap errorBackoff() {
            return errorBackoff;
        }

        /** Among the gated, or those that no event has helped yet. */
        void wait(QueuedPod entry) {
            (entry.gatedBy().isEmpty() ? unschedulable : gated).put(entry.key(), entry);
        }

        /** A pod among the gated or the unschedulable; null when it is elsewhere. */
        @Nullable
        QueuedPod waiting(String key) {
            QueuedPod entry = unschedulable.get(key);
            return entry == null ? gated.get(key) : entry;
        }

        /** The pool where a pod backs off; null when it does not. */
        @Nullable
        PodHeap backingOff(String key) {
            if (backoff.get(key) != null) {
                return backoff;
            }
            return errorBackoff.get(key) != null ? errorBackoff : null;
        }

        /** Takes a pod out, wherever it is. */
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

        /** Those of the unschedulable and the gated. */
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
}
