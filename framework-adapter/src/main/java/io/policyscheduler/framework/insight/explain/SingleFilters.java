package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.decider.Adjustment;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import io.policyscheduler.framework.insight.compare.decider.DetailedDecider;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The filters of a way of deciding, each at work alone on one cluster; nothing is scored. */
public final class SingleFilters {
    private final DeciderSource source;
    private final ClusterState cluster;
    private final Map<String, DetailedDecider> deciders = new HashMap<>();

    /** @param cluster is followed as it changes */
    public SingleFilters(DeciderSource source, ClusterState cluster) {
        this.source = source;
        this.cluster = cluster;
    }

    /**
     * What one filter says of all nodes.
     *
     * @param filter one of {@link DeciderSource#filters}; any other name leaves out all filters
     */
    public Evaluation evaluate(String filter, PodInfo pod, NominatedPods nominated) {
        return deciders.computeIfAbsent(filter, this::alone).evaluate(pod, nominated);
    }

    /** What one filter says of one node. */
    public Evaluation evaluateOn(String filter, PodInfo pod, NominatedPods nominated, NodeInfo node) {
        return deciders.computeIfAbsent(filter, this::alone).evaluateOn(pod, nominated, node);
    }

    private DetailedDecider alone(String filter) {
        Set<String> others = new LinkedHashSet<>(source.filters());
        others.remove(filter);
        Adjustment adjustment = Adjustment.NONE
                .withoutFilters(others)
                .withoutScores(source.scores().keySet());
        return source.create(cluster, TieBreak.first(), adjustment);
    }
}
