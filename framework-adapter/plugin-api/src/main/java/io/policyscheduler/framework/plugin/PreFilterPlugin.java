package io.policyscheduler.framework.plugin;

import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Precomputes data once per pod before nodes are filtered. */
public interface PreFilterPlugin extends Plugin {
    /** Called once per attempt. */
    PreFilterResult preFilter(CycleState state, PodContext context);

    /**
     * Adds another pod on {@code node} to {@code state}, for trials. Not called after skip.
     *
     * @return null, or the text of an error
     */
    default @Nullable String addPod(CycleState state, PodInfo pod, PodInfo added, NodeInfo node) {
        return null;
    }

    /**
     * Removes another pod on {@code node} from {@code state}.
     *
     * @return null, or the text of an error
     */
    default @Nullable String removePod(CycleState state, PodInfo pod, PodInfo removed, NodeInfo node) {
        return null;
    }

    /**
     * The result of PreFilter.
     *
     * @param status success; skip if the plugin's filter would pass every node; or a rejection or error
     * @param nodes names of the only nodes to evaluate, in this order; null for all nodes. Read on success only
     */
    public record PreFilterResult(Status status, @Nullable Set<String> nodes) {
        /** Continue with all nodes. */
        public static final PreFilterResult ALL_NODES = new PreFilterResult(Status.SUCCESS, null);

        /** Skip the plugin's filter. */
        public static final PreFilterResult SKIP = new PreFilterResult(Status.SKIP, null);

        public PreFilterResult {
            nodes = nodes == null ? null : ImmutableSet.copyOf(nodes);
        }

        /** Continue with these nodes only. */
        public static PreFilterResult only(Set<String> nodes) {
            return new PreFilterResult(Status.SUCCESS, nodes);
        }

        /** A rejection or an error. */
        public static PreFilterResult of(Status status) {
            return new PreFilterResult(status, null);
        }
    }
}
