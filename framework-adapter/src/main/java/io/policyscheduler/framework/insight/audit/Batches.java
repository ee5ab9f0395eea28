package io.policyscheduler.framework.insight.audit;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Pods to be looked at together, as their places in a list. Any number of threads may take them. */
final class Batches {
    /** Of many siblings each thread shall have some. */
    private static final int MOST = 128;

    /** What siblings have in common: of one, much is known from another that has just been decided. */
    private record Kind(
            int spec,
            Labels labels,
            String namespace,
            @Nullable OwnerReference controller) {}

    private final List<int[]> batches;
    private final AtomicInteger next = new AtomicInteger();

    private Batches(List<int[]> batches) {
        this.batches = batches;
    }

    /** All pods in one, in their order. */
    static Batches ofAll(List<PodInfo> pods) {
        int[] places = new int[pods.size()];
        for (int i = 0; i < places.length; i++) {
            places[i] = i;
        }
        return new Batches(List.of(places));
    }

    /** Siblings together. */
    static Batches ofSiblings(List<PodInfo> pods) {
        // The reader makes equal specs the same object; others are only looked at apart from each other.
        Map<PodSpec, Integer> specs = new IdentityHashMap<>();
        Map<Kind, List<Integer>> siblings = new LinkedHashMap<>();
        for (int i = 0; i < pods.size(); i++) {
            PodInfo pod = pods.get(i);
            int spec = specs.computeIfAbsent(pod.spec(), any -> specs.size());
            Kind kind = new Kind(spec, pod.labels(), pod.namespace(), pod.controller());
            siblings.computeIfAbsent(kind, any -> new ArrayList<>()).add(i);
        }
        List<int[]> batches = new ArrayList<>();
        for (List<Integer> all : siblings.values()) {
            for (int from = 0; from < all.size(); from += MOST) {
                batches.add(all.subList(from, Math.min(all.size(), from + MOST)).stream()
                        .mapToInt(Integer::intValue)
                        .toArray());
            }
        }
        return new Batches(batches);
    }

    /** One that nobody has taken; null when there is none left. */
    int @Nullable [] next() {
        int taken = next.getAndIncrement();
        return taken < batches.size() ? batches.get(taken) : null;
    }
}
