package io.policyscheduler.framework.plugin;

import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Works something out once per pod before any node is looked at. */
public interface PreFilterPlugin extends Plugin {
    /** Called once per attempt. */
    PreFilterResult preFilter(CycleState state, PodContext context);

    /**
     * Counts another pod in {@code state} as if it ran on {@code node}, for what-if questions. Not called after a skip.
     *
     * @return null, or the text of an error
     */
    default @Nullable String addPod(CycleState state, PodInfo pod, PodInfo added, NodeInfo node) {
        return null;
    }

    /**
     * Stops counting another pod on {@code node}.
     *
     * @return null, or the text of an error
     */
    default @Nullable String removePod(CycleState state, PodInfo pod, PodInfo removed, NodeInfo node) {
        return null;
    }

    /**
     * What came of a pre-filter step.
     *
     * @param status success; skip when the plugin's filter would pass every node; or a rejection or error
     * @param nodes names of the only nodes worth looking at, in the order to look; null for all nodes. Read on success only
     */
    public record PreFilterResult(Status status, @Nullable Set<String> nodes) {
        /** Go on with all nodes. */
        public static final PreFilterResult ALL_NODES = new PreFilterResult(Status.SUCCESS, null);

        /** Leave the plugin's filter out. */
        public static final PreFilterResult SKIP = new PreFilterResult(Status.SKIP, null);

        public PreFilterResult {
            nodes = nodes == null ? null : ImmutableSet.copyOf(nodes);
        }

        /** Go on with these nodes only. */
        public static PreFilterResult only(Set<String> nodes) {
            return new PreFilterResult(Status.SUCCESS, nodes);
        }

        /** A rejection or an error. */
        public static PreFilterResult of(Status status) {
            return new PreFilterResult(status, null);
        }
    }
}
