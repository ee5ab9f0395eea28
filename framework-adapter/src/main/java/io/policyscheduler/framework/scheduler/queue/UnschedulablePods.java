package io.policyscheduler.framework.scheduler.queue;

import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Pods that no known change has helped yet, by time of failure. Mirrors {@code UnschedulablePodsMap}. */
final class UnschedulablePods {
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
