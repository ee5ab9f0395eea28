package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The {@link NodeResults} of the pod classes seen last, bounded; a class is kept from its second pod on. */
final class EquivalenceCache {
    /** Classes times nodes, at a byte and 8 more for each column of scores in use: mostly fewer than five. */
    private static final int MAX_CELLS = 1 << 21;

    private static final int MIN_CLASSES = 16;
    private static final int SEEN_ONCE = 4096;

    private final int columns;
    private final LinkedHashMap<PodClass, NodeResults> results = new LinkedHashMap<>(16, 0.75f, true);
    private final LinkedHashMap<PodClass, Boolean> seenOnce = new LinkedHashMap<>();

    /** @param columns how many scores are kept of each node */
    EquivalenceCache(int columns) {
        this.columns = columns;
    }

    /** What is known for pods like this; null when nothing is to be kept or the cluster is not numbered. */
    @Nullable
    NodeResults of(PodContext context) {
        ClusterIndex index = context.cluster().index();
        if (index == null || !context.metadataAvailable()) {
            // Without the shared metadata of v1.17 some algorithms answer otherwise.
            return null;
        }
        PodClass key = new PodClass(context.pod());
        NodeResults known = results.get(key);
        if (known == null) {
            if (seenOnce.remove(key) == null) {
                seenOnce.put(key, true);
                removeEldest(seenOnce, SEEN_ONCE);
                return null;
            }
            known = new NodeResults(index, columns);
            results.put(key, known);
            removeEldest(results, Math.max(MIN_CLASSES, MAX_CELLS / (index.slots() + 1)));
        }
        return known;
    }

    private static void removeEldest(Map<PodClass, ?> map, int bound) {
        if (map.size() > bound) {
            map.remove(map.keySet().iterator().next());
        }
    }
}
