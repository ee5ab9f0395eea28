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

/** One way of deciding at work on one cluster, as it is and adjusted. Made deciders are kept for the next pod. */
public final class SnapshotSchedulers {
    /** The same few causes come back all the time; old ones are made anew. Each keeps some MB. */
    private static final int KEPT = 32;

    private final SchedulerSpec source;
    private final ClusterState cluster;
    private final Map<Adjustment, SnapshotScheduler> deciders = new LinkedHashMap<>(16, 0.75f, true) {
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

    /** What it makes of a pod; a way of deciding that is not independent is asked for everything at once, and once only. */
    public Answer answer(PodInfo pod, NominatedPods nominated, Adjustment adjustment) {
        SnapshotScheduler decider = decider(adjustment);
        return source.independent()
                ? new Answer(
                        decider.rank(pod, nominated),
                        () -> decider.evaluateRanked(pod, nominated),
                        name -> evaluateOn(decider, pod, nominated, name))
                : Answer.of(decider.evaluate(pod, nominated));
    }

    private Evaluation evaluateOn(SnapshotScheduler decider, PodInfo pod, NominatedPods nominated, String name) {
        NodeInfo node = cluster.node(name);
        return node == null ? decider.evaluate(pod, nominated) : decider.evaluateOn(pod, nominated, node);
    }

    /** What its post-filter plugins add to the message of a pod that fits nowhere. */
    public String postFilterText(PodInfo pod, NominatedPods nominated) {
        return decider(Adjustment.NONE).postFilterText(pod, nominated);
    }

    private SnapshotScheduler decider(Adjustment adjustment) {
        return deciders.computeIfAbsent(adjustment, wanted -> source.create(cluster, TieBreak.first(), wanted));
    }

    /**
     * What a way of deciding makes of a pod: where it goes, and everything else once somebody asks for it. That holds for as long as the
     * cluster stays as it is. For one thread at a time.
     */
    public static final class Answer {
        private final Ranking ranking;
        private final Supplier<Evaluation> work;
        private final Function<String, Evaluation> onOne;
        private @Nullable Evaluation evaluation;

        /**
         * One of which more can be found out.
         *
         * @param work finds out everything, with the same ranking
         * @param onOne finds out about the node of a name, at least
         */
        Answer(Ranking ranking, Supplier<Evaluation> work, Function<String, Evaluation> onOne) {
            this.ranking = ranking;
            this.work = work;
            this.onOne = onOne;
        }

        /** One of which everything is known. */
        public static Answer of(Evaluation evaluation) {
            Answer answer = new Answer(Ranking.of(evaluation), () -> evaluation, node -> evaluation);
            answer.evaluation = evaluation;
            return answer;
        }

        /** Which nodes take the pod. */
        public Ranking ranking() {
            return ranking;
        }

        /** The best nodes, sorted by name. */
        public List<String> best() {
            return ranking.best();
        }

        /**
         * What it would be with other weights, worked out where that takes no other look at the nodes.
         *
         * @param weights from those of the scores to others; left out is what does not score any more
         * @return null when the nodes have to be looked at again
         */
        public @Nullable Answer weighted(UnaryOperator<Map<String, Long>> weights) {
            Evaluation known = evaluation;
            Evaluation other = known == null ? null : known.weighted(weights.apply(known.weights()));
            return other == null ? null : of(other);
        }

        /** Why a node does not take the pod, asking about this node only; null when it does, or when an error ends the attempt. */
        public @Nullable NodeFailure failure(String node) {
            if (ranking.error() != null && !ranking.fitError()) {
                return null;
            }
            Evaluation known = evaluation;
            return (known == null ? onOne.apply(node) : known).failures().get(node);
        }

        /** Everything about every node. */
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
