package io.policyscheduler.framework.compare;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.scheduler.cycle.TieBreak;
import java.util.LinkedHashMap;
import java.util.Map;

/** One way of deciding at work on one cluster, as it is and adjusted. Made deciders are kept for the next pod. */
final class DeciderPool {
    /** The same few causes come back all the time; old ones are made anew. */
    private static final int KEPT = 300;

    private final DeciderSource source;
    private final ClusterState cluster;
    private final Map<Adjustment, DetailedDecider> deciders = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Adjustment, DetailedDecider> eldest) {
            return size() > KEPT;
        }
    };

    DeciderPool(DeciderSource source, ClusterState cluster) {
        this.source = source;
        this.cluster = cluster;
    }

    DeciderSource source() {
        return source;
    }

    Evaluation evaluate(PodInfo pod, NominatedPods nominated, Adjustment adjustment) {
        return deciders.computeIfAbsent(adjustment, wanted -> source.create(cluster, TieBreak.first(), wanted))
                .evaluate(pod, nominated);
    }
}
