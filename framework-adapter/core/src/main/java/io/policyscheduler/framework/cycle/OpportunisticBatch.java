package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.AttemptListener.BatchFlush;
import io.policyscheduler.framework.cycle.AttemptListener.BatchResult;
import io.policyscheduler.framework.cycle.FilterRun.NodeStatus;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.SignPlugin;
import io.policyscheduler.framework.profile.PluginRegistry.PluginFailures;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.WeightedScore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that an attempt scored and did not select. If the next pod has the same signature, and is rejected by the selected node,
 * the best of these nodes is its hint: it is tried like a nominated node, and selected without scoring. Only pods that need a node
 * each use it, because the score of the selected node is out of date. Mirrors {@code pkg/scheduler/framework/runtime/batch.go}.
 * Owned by the scheduling thread.
 */
final class OpportunisticBatch {
    static final Duration MAX_AGE = Duration.ofMillis(500);

    private final SchedulingCycle cycle;
    private final List<SignPlugin> plugins;
    private final InstantSource clock;

    /** The nodes that are left, with their totals; they belong to the signature and the time below. */
    private List<NodeInfo> nodes = List.of();

    private long[] totals = new long[0];
    private Map<String, Object> signature = Map.of();
    private Instant created = Instant.MIN;

    /** The last attempt that selected a node. */
    private long lastAttempt;

    private String lastNode = "";

    /** The pod of the current attempt. */
    private @Nullable Map<String, Object> signed;

    private @Nullable String hint;

    private OpportunisticBatch(SchedulingCycle cycle, List<SignPlugin> plugins, InstantSource clock) {
        this.cycle = cycle;
        this.plugins = plugins;
        this.clock = clock;
    }

    /** Null if the profile signs no pods. With the default constraints of PodTopologySpread, it does not. */
    static @Nullable OpportunisticBatch of(SchedulingCycle cycle, InstantSource clock) {
        Profile profile = cycle.profile;
        if (!profile.rules().batches()
                || !cycle.extenders.isEmpty()
                || !profile.functions().isEmpty()) {
            return null;
        }
        List<Plugin> all = Stream.of(
                        profile.preFilters().stream(),
                        profile.filters().stream(),
                        profile.preScores().stream(),
                        profile.scores().stream().map(WeightedScore::plugin))
                .<Plugin>flatMap(plugins -> plugins)
                .distinct()
                .toList();
        List<SignPlugin> signing = new ArrayList<>(all.size());
        for (Plugin plugin : all) {
            if (!(plugin instanceof SignPlugin signer) || !signer.signsPods()) {
                return null;
            }
            signing.add(signer);
        }
        return new OpportunisticBatch(cycle, signing, clock);
    }

    /** Starts an attempt after PreFilter. Returns the name of the node to try first; null for none. */
    @Nullable
    String hint(FilterRun filters) {
        signed = sign(filters.context().pod());
        hint = null;
        BatchFlush reason = nodes.isEmpty() ? null : obsolete(filters);
        if (reason != null) {
            flush(reason);
        }
        if (nodes.isEmpty()) {
            cycle.attempts.onBatched(BatchResult.NO_HINT);
            return null;
        }
        int best = cycle.tieBreak.choose(nodes, totals);
        hint = nodes.get(best).name();
        keepWithout(best, nodes, totals);
        return hint;
    }

    private @Nullable BatchFlush obsolete(FilterRun filters) {
        if (cycle.sampling.start().attempts() != lastAttempt + 1) {
            return BatchFlush.POD_SKIPPED;
        }
        if (!signature.equals(signed)) {
            return BatchFlush.POD_INCOMPATIBLE;
        }
        if (clock.instant().isAfter(created.plus(MAX_AGE))) {
            return BatchFlush.EXPIRED;
        }
        NodeInfo last = cycle.cluster.node(lastNode);
        if (last == null) {
            return BatchFlush.NODE_MISSING;
        }
        NodeStatus status = filters.run(filters.active(), last);
        return status != null && status.status().isRejected() ? null : BatchFlush.NODE_NOT_FULL;
    }

    /** Whether {@link #store} needs the totals of all feasible nodes. */
    boolean needsTotals() {
        return signed != null;
    }

    /**
     * Ends an attempt that selected a node.
     *
     * @param chosen this node
     * @param feasible the feasible nodes
     * @param scored their totals; not used if there is only one node
     */
    void store(NodeInfo chosen, List<NodeInfo> feasible, long[] scored) {
        lastAttempt = cycle.sampling.start().attempts();
        lastNode = chosen.name();
        if (lastNode.equals(hint)) {
            cycle.attempts.onBatched(BatchResult.HINT_USED);
            return;
        }
        if (hint != null) {
            cycle.attempts.onBatched(BatchResult.HINT_NOT_USED);
        }
        if (feasible.size() == 1) {
            flush(BatchFlush.EMPTY_LIST);
        } else if (signed == null) {
            flush(BatchFlush.POD_NOT_BATCHABLE);
        } else {
            keepWithout(feasible.indexOf(chosen), feasible, scored);
            signature = signed;
            created = clock.instant();
        }
    }

    private void keepWithout(int index, List<NodeInfo> all, long[] scored) {
        nodes = new ArrayList<>(all);
        nodes.remove(index);
        totals = new long[scored.length - 1];
        System.arraycopy(scored, 0, totals, 0, index);
        System.arraycopy(scored, index + 1, totals, index, totals.length - index);
    }

    private void flush(BatchFlush reason) {
        nodes = List.of();
        cycle.attempts.onBatchFlushed(reason);
    }

    /** The parts of the pod that the plugins read; null if one does not sign it. */
    private @Nullable Map<String, Object> sign(PodInfo pod) {
        Map<String, Object> parts = new HashMap<>();
        for (SignPlugin plugin : plugins) {
            Map<String, Object> more;
            try {
                more = plugin.sign(pod);
            } catch (RuntimeException | LinkageError e) {
                PluginFailures.status(plugin, e);
                more = null;
            }
            if (more == null) {
                return null;
            }
            parts.putAll(more);
        }
        return parts;
    }
}
