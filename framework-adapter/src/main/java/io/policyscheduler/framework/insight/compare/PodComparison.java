package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What all ways of deciding make of one pod.
 *
 * @param pod {@code namespace/name}
 * @param ranOn where it runs in the cluster; empty for a pending one
 * @param results one for each way of deciding, the reference first
 * @param differences one for each way of deciding but the reference
 */
public record PodComparison(String pod, String ranOn, List<Result> results, List<Difference> differences) {
    public PodComparison {
        results = ImmutableList.copyOf(results);
        differences = ImmutableList.copyOf(differences);
    }

    /**
     * What one way of deciding makes of the pod.
     *
     * @param node where it goes: one of the best; null when there is none
     * @param best some of the best nodes, by name
     * @param bestCount how many there are
     * @param feasible how many nodes take the pod
     * @param message why no node does; empty when one does
     * @param sheet what it thinks of the nodes; null for pods that are not told in detail
     */
    public record Result(
            @Nullable String node,
            List<String> best,
            int bestCount,
            int feasible,
            String message,
            @Nullable ScoreSheet sheet) {
        public Result {
            best = ImmutableList.copyOf(best);
        }
    }

    /** True when every other way of deciding agrees with the reference. */
    public boolean agrees() {
        return differences.stream()
                .allMatch(difference -> difference.agreement().agrees());
    }
}
