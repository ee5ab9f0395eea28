package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import java.util.List;
import java.util.Locale;

/**
 * What comes of setting several ways of deciding to work on one cluster.
 *
 * @param mode whether they see the same state
 * @param replayBound whether running pods were decided again
 * @param skipped running pods that were not, because no scheduler decides about them or they are being deleted
 * @param deciders the ways of deciding, the reference first
 * @param pairs one for each way of deciding but the reference
 * @param pods in the order decided
 * @param summaries the cluster before, then for each way of deciding
 * @param loads what is asked of each node
 */
public record CompareReport(
        Mode mode,
        boolean replayBound,
        int skipped,
        List<DeciderSource> deciders,
        List<PairSummary> pairs,
        List<PodComparison> pods,
        List<ClusterSummary> summaries,
        NodeLoads loads) {
    /** What the ways of deciding see. */
    public enum Mode {
        /** The same state before each pod, which then goes where the reference puts it. */
        STEPS,
        /** Each one what it has made of the cluster itself. */
        RUN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public CompareReport {
        deciders = ImmutableList.copyOf(deciders);
        pairs = ImmutableList.copyOf(pairs);
        pods = ImmutableList.copyOf(pods);
        summaries = ImmutableList.copyOf(summaries);
    }

    /** True when nothing differs. */
    public boolean agrees() {
        return pairs.stream().allMatch(pair -> pair.agreeing() == pair.pods());
    }
}
