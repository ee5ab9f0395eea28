package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The instances of one scheduler on one cluster, unchanged and adjusted. Instances are reused for the next pod. */
public final class SnapshotSchedulers {
    /** The maximum number of adjusted schedulers: few causes recur all the time. Each has a cache of some MB. */
    private static final int KEPT = 32;

    private final SchedulerSpec source;
    private final ClusterState cluster;
    private final Map<Adjustment, SnapshotScheduler> schedulers = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Adjustment, SnapshotScheduler> eldest) {
            return size() > KEPT;
        }
    };

    public SnapshotSchedulers(SchedulerSpec source, ClusterState cluster) {
        this.source = source;
        this.cluster = cluster;
    }

    public SchedulerSpec source() {
        return source;
    }

    /** The result for a pod. A scheduler that is not independent computes everything immediately and once. */
    public SchedulerResult decide(PodInfo pod, NominatedPods nominated, Adjustment adjustment) {
        SnapshotScheduler scheduler = scheduler(adjustment);
        return source.independent()
                ? new SchedulerResult(
                        scheduler.rank(pod, nominated),
                        () -> scheduler.evaluateRanked(pod, nominated),
                        name -> evaluateOn(scheduler, pod, nominated, name))
                : SchedulerResult.of(scheduler.evaluate(pod, nominated));
    }

    private Evaluation evaluateOn(SnapshotScheduler scheduler, PodInfo pod, NominatedPods nominated, String name) {
        NodeInfo node = cluster.node(name);
        return node == null ? scheduler.evaluate(pod, nominated) : scheduler.evaluateOn(pod, nominated, node);
    }

    /** The text that its post-filter plugins add to the message of an unschedulable pod. */
    public String postFilterText(PodInfo pod, NominatedPods nominated) {
        return scheduler(Adjustment.NONE).postFilterText(pod, nominated);
    }

    private SnapshotScheduler scheduler(Adjustment adjustment) {
        return schedulers.computeIfAbsent(adjustment, requested -> source.create(cluster, TieBreak.first(), requested));
    }

    /**
     * The result of a scheduler for a pod: the ranking, and lazily everything else. Valid while the cluster is unchanged. Not
     * thread-safe.
     */
    public static final class SchedulerResult {
        private final Ranking ranking;
        private final Supplier<Evaluation> work;
        private final Function<String, Evaluation> onOne;
        private @Nullable Evaluation evaluation;

        /**
         * A lazy answer.
         *
         * @param work computes everything, with the same ranking
         * @param onOne evaluates at least the node of this name
         */
        SchedulerResult(Ranking ranking, Supplier<Evaluation> work, Function<String, Evaluation> onOne) {
            this.ranking = ranking;
            this.work = work;
            this.onOne = onOne;
        }

        /** An answer with a complete evaluation. */
        public static SchedulerResult of(Evaluation evaluation) {
            SchedulerResult result = new SchedulerResult(Ranking.of(evaluation), () -> evaluation, node -> evaluation);
            result.evaluation = evaluation;
            return result;
        }

        /** The feasible nodes with their totals. */
        public Ranking ranking() {
            return ranking;
        }

        /** The best nodes, sorted by name. */
        public List<String> best() {
            return ranking.best();
        }

        /**
         * The answer with other weights, if it can be computed without evaluating nodes.
         *
         * @param weights maps the weights of the scores; scores without a weight are left out
         * @return null if the nodes have to be evaluated again
         */
        public @Nullable SchedulerResult weighted(UnaryOperator<Map<String, Long>> weights) {
            Evaluation known = evaluation;
            Evaluation other = known == null ? null : known.weighted(weights.apply(known.weights()));
            return other == null ? null : of(other);
        }

        /**
         * The reason why a node is infeasible, evaluating this node only; null if it is feasible, or if an error ends the attempt.
         */
        public @Nullable NodeFailure failure(String node) {
            if (ranking.error() != null && !ranking.fitError()) {
                return null;
            }
            Evaluation known = evaluation;
            return (known == null ? onOne.apply(node) : known).failures().get(node);
        }

        /** The complete evaluation of all nodes. */
        public Evaluation evaluation() {
            Evaluation known = evaluation;
            if (known == null) {
                known = work.get();
                evaluation = known;
            }
            return known;
        }
    }
}
