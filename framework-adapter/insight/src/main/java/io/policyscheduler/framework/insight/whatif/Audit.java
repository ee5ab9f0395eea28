package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.SnapshotScheduler;
import io.policyscheduler.framework.insight.compare.WorkerPool;
import io.policyscheduler.framework.insight.explain.Explanation.Obstacle;
import io.policyscheduler.framework.insight.explain.TrialScheduler.SingleFilters;
import io.policyscheduler.framework.insight.whatif.PodTemplates.Controllers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether running pods would be placed on their current nodes: each one is removed from its node, with all others in place,
 * and decided again. Pods of DaemonSets and mirror pods cannot move, so only their own node is evaluated.
 */
public final class Audit {
    private static final double MAX_SCORE = 100;
    private static final double PERCENT = 100;
    /** Its usual weight of 10000 keeps pods off marked nodes and would make all other differences look small. */
    private static final Set<String> NOT_COUNTED = Set.of("NodePreferAvoidPods", "NodePreferAvoidPodsPriority");

    private final SchedulerSpec source;
    private final double threshold;
    private final WorkerPool workers;

    /**
     * An audit by the calling thread.
     *
     * @param threshold a pod is reported if another node is better by more than this, in percent of the highest possible total
     *     without NodePreferAvoidPods
     */
    public Audit(SchedulerSpec source, double threshold) {
        this(source, threshold, WorkerPool.ONE);
    }

    /**
     * The same with several threads.
     *
     * @param workers used for a scheduler that is {@linkplain SchedulerSpec#independent independent}
     */
    public Audit(SchedulerSpec source, double threshold, WorkerPool workers) {
        this.source = source;
        this.threshold = threshold;
        this.workers = workers;
    }

    /**
     * Audits pods.
     *
     * @param pods running pods of the snapshot; those on unknown nodes and those being deleted are skipped
     * @param progress receives the number of audited pods, in the calling thread
     */
    public List<Finding> run(ClusterSnapshot snapshot, List<PodInfo> pods, IntConsumer progress) {
        @Nullable Finding[] findings = new @Nullable Finding[pods.size()];
        Batches batches = source.independent() ? Batches.ofSiblings(pods) : Batches.ofAll(pods);
        AtomicInteger done = new AtomicInteger();
        Thread asking = Thread.currentThread();
        Supplier<Boolean> work = () -> {
            IntConsumer listener = Thread.currentThread() == asking ? progress : count -> {};
            NodeEvaluator evaluator = new NodeEvaluator(snapshot.state());
            for (int[] batch = batches.next(); batch != null; batch = batches.next()) {
                for (int place : batch) {
                    findings[place] = evaluator.evaluate(pods.get(place));
                    listener.accept(done.incrementAndGet());
                }
            }
            return true;
        };
        workers.all(Collections.nCopies(source.independent() ? workers.count() : 1, work));
        List<Finding> all = new ArrayList<>();
        for (Finding finding : findings) {
            if (finding != null) {
                all.add(finding);
            }
        }
        return all;
    }

    /** Evaluates with a node that is not cordoned: a cordon keeps new pods away, but does not concern running ones. */
    static <T extends @Nullable Object> T withoutCordon(ClusterState cluster, Node node, Supplier<T> question) {
        if (!node.unschedulable()) {
            return question.get();
        }
        cluster.putNode(node.uncordoned());
        T result = question.get();
        cluster.putNode(node);
        return result;
    }

    /** The pod as it would enter the queue. */
    static PodInfo released(PodInfo pod) {
        return pod.withNodeName("").withNominatedNodeName("");
    }

    /** Audits pods in one thread, on a copy of the cluster. */
    private final class NodeEvaluator {
        private final ClusterState cluster;
        private final SnapshotScheduler scheduler;
        private final SingleFilters filters;

        NodeEvaluator(ClusterState cluster) {
            this.cluster = cluster;
            this.scheduler = source.create(cluster, TieBreak.first());
            this.filters = new SingleFilters(source, cluster);
        }

        /** Null if the pod is skipped or well placed. */
        @Nullable
        Finding evaluate(PodInfo pod) {
            NodeInfo node = cluster.node(pod.nodeName());
            if (pod.terminating() || node == null) {
                return null;
            }
            cluster.removePod(pod);
            @Nullable
            Finding finding = withoutCordon(
                    cluster,
                    node.node(),
                    () -> evaluate(pod, released(pod), Objects.requireNonNull(cluster.node(pod.nodeName()))));
            cluster.addPod(pod);
            return finding;
        }

        private @Nullable Finding evaluate(PodInfo pod, PodInfo released, NodeInfo node) {
            Ranking ranking = rank(released);
            String own = node.name();
            boolean bound = Controllers.isDaemon(pod) || Controllers.isMirror(pod);
            String error = ranking.error();
            if (error != null && !ranking.fitError()) {
                return Finding.undecided(pod, error);
            }
            List<String> best = ranking.best();
            String better = best.isEmpty() || bound ? null : best.get(0);
            if (ranking.total(own).isEmpty()) {
                return Finding.violation(pod, obstacles(released, node), better);
            }
            if (better == null || best.contains(own)) {
                return null;
            }
            double gain = gain(ranking, own, better);
            return gain > threshold ? Finding.better(pod, better, gain) : null;
        }

        private Ranking rank(PodInfo pod) {
            return source.independent()
                    ? scheduler.rank(pod, NominatedPods.NONE)
                    : Ranking.of(scheduler.evaluate(pod, NominatedPods.NONE));
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
                        scheduler.evaluate(pod, NominatedPods.NONE).failures().get(node.name());
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

    /**
     * A running pod that is not well placed.
     *
     * @param pod the running pod
     * @param kind the problem
     * @param obstacles all filters that reject its node; empty for other kinds
     * @param error why the pod cannot be decided; empty otherwise
     * @param better the node where it would be placed; null if there is none
     * @param gain how much better that node is, in percent of the highest possible total; 0 if its own node is infeasible
     */
    public record Finding(
            PodInfo pod,
            Kind kind,
            List<Obstacle> obstacles,
            String error,
            @Nullable String better,
            double gain) {
        /** The kinds of problems. */
        public enum Kind {
            /** Its node is infeasible. */
            VIOLATION,
            /** Another node is better by more than the threshold. */
            BETTER_ELSEWHERE,
            /** The decision ends with an error. */
            UNDECIDED
        }

        public Finding {
            obstacles = List.copyOf(obstacles);
        }

        static Finding violation(PodInfo pod, List<Obstacle> obstacles, @Nullable String better) {
            return new Finding(pod, Kind.VIOLATION, obstacles, "", better, 0);
        }

        static Finding better(PodInfo pod, String better, double gain) {
            return new Finding(pod, Kind.BETTER_ELSEWHERE, List.of(), "", better, gain);
        }

        static Finding undecided(PodInfo pod, String error) {
            return new Finding(pod, Kind.UNDECIDED, List.of(), error, null, 0);
        }
    }

    /** Batches of pods to audit together, as indexes of a list. Thread-safe. */
    static final class Batches {
        /** The maximum size, so that each thread gets some of many equivalent pods. */
        private static final int MOST = 128;

        /** The common properties of equivalent pods, which share cached results. */
        private record Kind(
                int spec,
                Labels labels,
                String namespace,
                @Nullable OwnerReference controller) {}

        private final List<int[]> batches;
        private final AtomicInteger next = new AtomicInteger();

        private Batches(List<int[]> batches) {
            this.batches = batches;
        }

        /** All pods in one, in their order. */
        static Batches ofAll(List<PodInfo> pods) {
            int[] places = new int[pods.size()];
            for (int i = 0; i < places.length; i++) {
                places[i] = i;
            }
            return new Batches(List.of(places));
        }

        /** Batches of equivalent pods. */
        static Batches ofSiblings(List<PodInfo> pods) {
            // The reader interns equal specs; others only miss the result cache.
            Map<PodSpec, Integer> specs = new IdentityHashMap<>();
            Map<Kind, List<Integer>> siblings = new LinkedHashMap<>();
            for (int i = 0; i < pods.size(); i++) {
                PodInfo pod = pods.get(i);
                int spec = specs.computeIfAbsent(pod.spec(), any -> specs.size());
                Kind kind = new Kind(spec, pod.labels(), pod.namespace(), pod.controller());
                siblings.computeIfAbsent(kind, any -> new ArrayList<>()).add(i);
            }
            List<int[]> batches = new ArrayList<>();
            for (List<Integer> all : siblings.values()) {
                for (int from = 0; from < all.size(); from += MOST) {
                    batches.add(all.subList(from, Math.min(all.size(), from + MOST)).stream()
                            .mapToInt(Integer::intValue)
                            .toArray());
                }
            }
            return new Batches(batches);
        }

        /** The next batch; null if none is left. */
        int @Nullable [] next() {
            int taken = next.getAndIncrement();
            return taken < batches.size() ? batches.get(taken) : null;
        }
    }
}
