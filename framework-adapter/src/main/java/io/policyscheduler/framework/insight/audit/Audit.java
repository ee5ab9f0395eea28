package io.policyscheduler.framework.insight.audit;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.Workers;
import io.policyscheduler.framework.insight.compare.World;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import io.policyscheduler.framework.insight.compare.decider.DetailedDecider;
import io.policyscheduler.framework.insight.explain.Obstacle;
import io.policyscheduler.framework.insight.explain.SingleFilters;
import io.policyscheduler.framework.insight.whatif.Controllers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks whether running pods would be placed where they are: each one is taken from its node, all others staying, and decided
 * again. Pods of DaemonSets and mirrors of static pods have nowhere else to go, so that only their own node is judged.
 */
public final class Audit {
    private static final double MAX_SCORE = 100;
    private static final double PERCENT = 100;
    /** Its usual weight of 10000 keeps pods off marked nodes and would make all other differences look like nothing. */
    private static final Set<String> NOT_COUNTED = Set.of("NodePreferAvoidPods", "NodePreferAvoidPodsPriority");

    private final DeciderSource source;
    private final double threshold;
    private final Workers workers;

    /**
     * An audit by the calling thread.
     *
     * @param threshold a pod is reported when another node is better by more than this, in percent of the highest total that
     *     the weights allow, the one of NodePreferAvoidPods left out
     */
    public Audit(DeciderSource source, double threshold) {
        this(source, threshold, Workers.ONE);
    }

    /**
     * The same by several threads.
     *
     * @param workers are used for a way of deciding that is {@linkplain DeciderSource#independent independent}
     */
    public Audit(DeciderSource source, double threshold, Workers workers) {
        this.source = source;
        this.threshold = threshold;
        this.workers = workers;
    }

    /**
     * Looks at pods.
     *
     * @param pods running pods of the world; those on unknown nodes and those being deleted are passed over
     * @param progress receives the number of pods checked, in the calling thread
     */
    public List<AuditFinding> run(World world, List<PodInfo> pods, IntConsumer progress) {
        @Nullable AuditFinding[] findings = new @Nullable AuditFinding[pods.size()];
        Batches batches = source.independent() ? Batches.ofSiblings(pods) : Batches.ofAll(pods);
        AtomicInteger done = new AtomicInteger();
        Thread asking = Thread.currentThread();
        Supplier<Boolean> work = () -> {
            IntConsumer told = Thread.currentThread() == asking ? progress : count -> {};
            Judge judge = new Judge(world.state());
            for (int[] batch = batches.next(); batch != null; batch = batches.next()) {
                for (int place : batch) {
                    findings[place] = judge.judge(pods.get(place));
                    told.accept(done.incrementAndGet());
                }
            }
            return true;
        };
        workers.all(Collections.nCopies(source.independent() ? workers.count() : 1, work));
        List<AuditFinding> all = new ArrayList<>();
        for (AuditFinding finding : findings) {
            if (finding != null) {
                all.add(finding);
            }
        }
        return all;
    }

    /** The pod as it would come to the scheduler. */
    static PodInfo released(PodInfo pod) {
        return pod.withNodeName("").withNominatedNodeName("");
    }

    /** At work in one thread, on a copy of the cluster. */
    private final class Judge {
        private final ClusterState cluster;
        private final DetailedDecider decider;
        private final SingleFilters filters;

        Judge(ClusterState cluster) {
            this.cluster = cluster;
            this.decider = source.create(cluster, TieBreak.first());
            this.filters = new SingleFilters(source, cluster);
        }

        /** Null when the pod is passed over, and when it is well where it is. */
        @Nullable
        AuditFinding judge(PodInfo pod) {
            NodeInfo node = cluster.node(pod.nodeName());
            if (pod.terminating() || node == null) {
                return null;
            }
            cluster.removePod(pod);
            AuditFinding finding = judge(pod, released(pod), node);
            cluster.addPod(pod);
            return finding;
        }

        private @Nullable AuditFinding judge(PodInfo pod, PodInfo released, NodeInfo node) {
            Ranking ranking = rank(released);
            String own = node.name();
            boolean bound = Controllers.isDaemon(pod) || Controllers.isMirror(pod);
            String error = ranking.error();
            if (error != null && !ranking.fitError()) {
                return AuditFinding.undecided(pod, error);
            }
            List<String> best = ranking.best();
            String better = best.isEmpty() || bound ? null : best.get(0);
            if (ranking.total(own).isEmpty()) {
                return AuditFinding.violation(pod, obstacles(released, node), better);
            }
            if (better == null || best.contains(own)) {
                return null;
            }
            double gain = gain(ranking, own, better);
            return gain > threshold ? AuditFinding.better(pod, better, gain) : null;
        }

        private Ranking rank(PodInfo pod) {
            return source.independent()
                    ? decider.rank(pod, NominatedPods.NONE)
                    : Ranking.of(decider.evaluate(pod, NominatedPods.NONE));
        }

        private List<Obstacle> obstacles(PodInfo pod, NodeInfo node) {
            List<Obstacle> obstacles = new ArrayList<>();
            for (String filter : source.filters()) {
                Evaluation alone = filters.evaluateOn(filter, pod, NominatedPods.NONE, node);
                NodeFailure failure = alone.failures().get(node.name());
                if (failure != null) {
                    obstacles.add(new Obstacle(filter, failure.reasons()));
                }
            }
            if (obstacles.isEmpty()) {
                NodeFailure together =
                        decider.evaluate(pod, NominatedPods.NONE).failures().get(node.name());
                if (together != null) {
                    obstacles.add(new Obstacle(Objects.requireNonNullElse(together.plugin(), ""), together.reasons()));
                }
            }
            return obstacles;
        }
    }

    private static double gain(Ranking ranking, String own, String better) {
        double highest = 0;
        for (Map.Entry<String, Long> weight : ranking.weights().entrySet()) {
            if (!NOT_COUNTED.contains(weight.getKey())) {
                highest += weight.getValue() * MAX_SCORE;
            }
        }
        long difference = ranking.total(better).orElse(0) - ranking.total(own).orElse(0);
        return highest <= 0 ? PERCENT : PERCENT * difference / highest;
    }
}
