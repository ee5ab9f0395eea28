package io.policyscheduler.cmd.audit;

import io.policyscheduler.cmd.options.IntRange;
import io.policyscheduler.framework.insight.audit.EvictionPlan.Limits;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much may be evicted, as a mixin. */
final class LimitOptions {
    @Option(
            names = "--max-evictions",
            paramLabel = "N",
            converter = IntRange.NotNegative.class,
            description = "Maximum number of evictions (default: no limit).")
    private @Nullable Integer total;

    @Option(
            names = "--max-evictions-per-node",
            paramLabel = "N",
            converter = IntRange.NotNegative.class,
            description = "Maximum number of evictions per node (default: no limit).")
    private @Nullable Integer perNode;

    @Option(
            names = "--max-evictions-per-namespace",
            paramLabel = "N",
            converter = IntRange.NotNegative.class,
            description = "Maximum number of evictions per namespace (default: no limit).")
    private @Nullable Integer perNamespace;

    @Option(
            names = "--priority-threshold",
            paramLabel = "N",
            defaultValue = "2000000000",
            description = "Evict no pods with this priority or a higher one (default: ${DEFAULT-VALUE}, the value"
                    + " of system-cluster-critical).")
    private int priorityThreshold = Limits.NONE.priorityThreshold();

    /** What was given; without limit what was not. */
    Limits limits() {
        return new Limits(orNone(perNode), orNone(perNamespace), orNone(total), priorityThreshold);
    }

    private static int orNone(@Nullable Integer limit) {
        return limit == null ? Integer.MAX_VALUE : limit;
    }

    /** Whether one is given, which makes sense for evictions only. */
    boolean areGiven() {
        return total != null
                || perNode != null
                || perNamespace != null
                || priorityThreshold != Limits.NONE.priorityThreshold();
    }
}
