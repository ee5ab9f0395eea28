package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.AffinityOwners;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodQuery;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Inter-pod affinity of one incoming pod as far as a {@link ClusterIndex} knows it without a walk over all pods: numbers by topology key
 * and, within it, by the number of the value.
 */
final class IndexedAffinity {
    /** More terms than this are not worth counts that are kept for each. */
    static final int FEW = 8;

    private final PodInfo pod;
    private final ClusterIndex index;
    private final AffinityOwners owners;

    private IndexedAffinity(PodInfo pod, ClusterIndex index, AffinityOwners owners) {
        this.pod = pod;
        this.index = index;
        this.owners = owners;
    }

    /** Null when only a walk can tell: where namespaces are meant by their labels, selectors are invalid or terms are many. */
    static @Nullable IndexedAffinity of(PodInfo pod, ClusterView cluster) {
        ClusterIndex index = cluster.index();
        if (index == null
                || pod.affinity().selectsNamespaces()
                || !isSimple(pod.affinity().podAffinity())
                || !isSimple(pod.affinity().podAntiAffinity())) {
            return null;
        }
        AffinityOwners owners = index.affinityOwners();
        return owners.anyInvalid() || owners.anySelectsNamespaces() ? null : new IndexedAffinity(pod, index, owners);
    }

    private static boolean isSimple(Affinity.@Nullable PodTerms terms) {
        return terms == null
                || (terms.required().size() <= FEW
                        && terms.preferred().size() <= FEW
                        && terms.requiredError() == null
                        && terms.preferredError() == null);
    }

    ClusterIndex index() {
        return index;
    }

    /** Terms of required anti-affinity of existing pods that mean the incoming one. */
    Map<String, long[]> refusing() {
        Map<String, long[]> byKey = new LinkedHashMap<>();
        for (AffinityOwners.Interest interest : owners.interestIn(pod)) {
            if (interest.kind() == AffinityOwners.Kind.REQUIRED_ANTI) {
                add(byKey, interest, interest.terms());
            }
        }
        return byKey;
    }

    private void add(Map<String, long[]> byKey, AffinityOwners.Interest interest, long factor) {
        String key = interest.topologyKey();
        interest.group()
                .addTo(
                        byKey.computeIfAbsent(
                                key, any -> new long[index.topology(any).valueCount()]),
                        index.topology(key),
                        factor);
    }

    /** Pods that all of these terms mean, by the topology keys of the terms. */
    Map<String, long[]> meantByAll(List<PodAffinityTerm> terms) {
        Set<String> keys = new LinkedHashSet<>();
        for (PodAffinityTerm term : terms) {
            if (term.selector() == null) {
                return Map.of();
            }
            keys.add(term.topologyKey());
        }
        Map<String, long[]> byKey = new HashMap<>();
        for (String key : keys) {
            if (index.topologyKeys().contains(key)) {
                byKey.put(key, index.counts(PodQuery.allOf(pod, terms)).byValue(key));
            }
        }
        return byKey;
    }

    /** Pods that these terms mean, each counted by every term that means it. */
    Map<String, long[]> meantByEach(List<PodAffinityTerm> terms) {
        Map<String, long[]> byKey = new HashMap<>();
        for (PodAffinityTerm term : terms) {
            meantByAll(List.of(term)).forEach((key, counts) -> byKey.merge(key, counts, IndexedAffinity::sum));
        }
        return byKey;
    }

    private static long[] sum(long[] one, long[] two) {
        long[] sum = one.clone();
        for (int i = 0; i < sum.length; i++) {
            sum[i] += two[i];
        }
        return sum;
    }
}
