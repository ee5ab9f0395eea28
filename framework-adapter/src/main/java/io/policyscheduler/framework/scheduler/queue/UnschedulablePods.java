package io.policyscheduler.framework.scheduler.queue;

import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.PodAffinityTerm;
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
    /** Keys of those with required pod affinity: the only ones an assigned pod can help. */
    private final Set<String> waitingForPods = new LinkedHashSet<>();

    void put(QueuedPod entry) {
        byKey.put(entry.key(), entry);
        if (!requiredPodAffinity(entry.pod()).isEmpty()) {
            waitingForPods.add(entry.key());
        }
    }

    @Nullable
    QueuedPod get(String key) {
        return byKey.get(key);
    }

    @Nullable
    QueuedPod remove(String key) {
        waitingForPods.remove(key);
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

    /** Those whose required pod affinity means {@code assigned}. */
    List<QueuedPod> waitingFor(PodInfo assigned) {
        List<QueuedPod> matched = new ArrayList<>();
        for (String key : waitingForPods) {
            QueuedPod entry = byKey.get(key);
            if (entry != null
                    && requiredPodAffinity(entry.pod()).stream()
                            .anyMatch(term -> term.matches(entry.pod(), assigned))) {
                matched.add(entry);
            }
        }
        return matched;
    }

    private static List<PodAffinityTerm> requiredPodAffinity(PodInfo pod) {
        Affinity.PodTerms terms = pod.affinity().podAffinity();
        return terms == null ? List.of() : terms.required();
    }
}
