package io.policyscheduler.framework.insight.compare.decider;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.TieBreak;
import java.util.LinkedHashMap;
import java.util.Map;

/** One way of deciding at work on one cluster, as it is and adjusted. Made deciders are kept for the next pod. */
public final class DeciderPool {
    /** The same few causes come back all the time; old ones are made anew. Each keeps some MB. */
    private static final int KEPT = 32;

    private final DeciderSource source;
    private final ClusterState cluster;
    private final Map<Adjustment, DetailedDecider> deciders = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Adjustment, DetailedDecider> eldest) {
            return size() > KEPT;
        }
    };

    public DeciderPool(DeciderSource source, ClusterState cluster) {
        this.source = source;
        this.cluster = cluster;
    }

    public DeciderSource source() {
        return source;
    }

    /** What it makes of a pod; a way of deciding that is not independent is asked for everything at once, and once only. */
    public Answer answer(PodInfo pod, NominatedPods nominated, Adjustment adjustment) {
        DetailedDecider decider = decider(adjustment);
        return source.independent()
                ? new Answer(
                        decider.rank(pod, nominated),
                        () -> decider.evaluateRanked(pod, nominated),
                        name -> evaluateOn(decider, pod, nominated, name))
                : Answer.of(decider.evaluate(pod, nominated));
    }

    private Evaluation evaluateOn(DetailedDecider decider, PodInfo pod, NominatedPods nominated, String name) {
        NodeInfo node = cluster.node(name);
        return node == null ? decider.evaluate(pod, nominated) : decider.evaluateOn(pod, nominated, node);
    }

    /** What its post-filter plugins add to the message of a pod that fits nowhere. */
    public String postFilterText(PodInfo pod, NominatedPods nominated) {
        return decider(Adjustment.NONE).postFilterText(pod, nominated);
    }

    private DetailedDecider decider(Adjustment adjustment) {
        return deciders.computeIfAbsent(adjustment, wanted -> source.create(cluster, TieBreak.first(), wanted));
    }
}
