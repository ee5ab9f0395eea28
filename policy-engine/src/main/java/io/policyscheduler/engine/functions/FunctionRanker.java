package io.policyscheduler.engine.functions;

import io.policyscheduler.engine.algorithm.Evaluation.FitErrorText;
import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodContext.PodChecks;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.algorithm.Scope.PodClass;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Ranks nodes like {@link FunctionAlgorithm#evaluate}, on one cluster, without details. Results of functions that read one node
 * only are cached for unchanged nodes and equivalent pods. Owned by the thread that owns the cluster.
 */
public final class FunctionRanker {
    private final FunctionAlgorithm algorithm;
    private final ClusterView cluster;
    private final boolean[] predicatesOfNode;
    private final boolean[] prioritiesOfNode;
    private final SiblingResults cache;

    /**
     * A ranker of the nodes of a cluster.
     *
     * @param cacheBytes limit of cached results, beyond those of a few pods
     */
    public FunctionRanker(FunctionAlgorithm algorithm, ClusterView cluster, int cacheBytes) {
        this.algorithm = algorithm;
        this.cluster = cluster;
        this.predicatesOfNode = new boolean[algorithm.predicates().size()];
        for (int i = 0; i < predicatesOfNode.length; i++) {
            predicatesOfNode[i] = algorithm.predicates().get(i).scope() == Scope.NODE
                    && algorithm.predicates().get(i).revision() == 0;
        }
        this.prioritiesOfNode = new boolean[algorithm.priorities().size()];
        for (int i = 0; i < prioritiesOfNode.length; i++) {
            Priority priority = algorithm.priorities().get(i).priority();
            prioritiesOfNode[i] = priority.scope() == Scope.NODE && priority.revision() == 0;
        }
        this.cache = new SiblingResults(prioritiesOfNode.length, cacheBytes);
    }

    /** The ranking of a pod; the cycle must have started. */
    public Ranking rank(PodInfo pod, NominatedPods nominated) {
        ClusterIndex index = cluster.index();
        PodContext context = PodContext.of(pod, cluster);
        if (index == null || !context.metadataAvailable()) {
            return Ranking.of(algorithm.evaluate(pod, cluster, nominated));
        }
        String problem = PodChecks.error(pod, cluster);
        if (problem != null) {
            return Ranking.failed(problem);
        }
        if (cluster.nodes().isEmpty()) {
            return Ranking.failed(PodChecks.NO_NODES);
        }
        SiblingResults.ClassResults known = cache.of(pod, index.slots());
        FunctionFilters filters = FunctionFilters.start(algorithm.predicates(), context);
        List<NodeInfo> feasible = new ArrayList<>();
        Map<String, Integer> reasons = new HashMap<>();
        for (NodeInfo node : cluster.nodes()) {
            Verdict verdict = check(filters, node, nominated, known);
            if (verdict.error() != null) {
                return Ranking.failed(verdict.error());
            }
            if (verdict.fits()) {
                feasible.add(node);
            } else {
                for (FailureReason reason : verdict.reasons()) {
                    reasons.merge(reason.text(), 1, Integer::sum);
                }
            }
        }
        return feasible.isEmpty()
                ? Ranking.unfit(FitErrorText.of(cluster.nodes().size(), reasons))
                : score(context, feasible, known);
    }

    private Verdict check(
            FunctionFilters filters,
            NodeInfo node,
            NominatedPods nominated,
            SiblingResults.@Nullable ClassResults known) {
        boolean passes = known != null
                && node.hasNode()
                && nominated.on(node.name()).isEmpty()
                && known.passes(node, current -> filters.passesAll(current, predicatesOfNode));
        return passes
                ? filters.runOthers(node, algorithm.checksAll(), predicatesOfNode)
                        .verdict()
                : filters.check(node, nominated, algorithm.checksAll()).verdict();
    }

    private Ranking score(PodContext context, List<NodeInfo> feasible, SiblingResults.@Nullable ClassResults known) {
        Map<String, Long> weights = new LinkedHashMap<>();
        Arithmetic arithmetic = algorithm.arithmetic();
        long[] totals = new long[feasible.size()];
        long[] values = new long[feasible.size()];
        Set<String> errors = new LinkedHashSet<>();
        for (int i = 0; i < prioritiesOfNode.length; i++) {
            WeightedPriority weighted = algorithm.priorities().get(i);
            PodScorer scorer = weighted.priority().start(context, feasible);
            if (scorer.error() != null) {
                errors.add(scorer.error());
                continue;
            }
            score(scorer, i, feasible, known, values);
            for (int n = 0; n < values.length; n++) {
                long value = arithmetic == Arithmetic.WRAPPING ? values[n] : Priority.bounded(values[n]);
                totals[n] = arithmetic.add(totals[n], arithmetic.multiply(value, weighted.weight()));
            }
            weights.put(weighted.priority().name(), weighted.weight());
        }
        if (!errors.isEmpty()) {
            return Ranking.failed(
                    errors.size() == 1 ? errors.iterator().next() : "[" + String.join(", ", errors) + "]");
        }
        if (prioritiesOfNode.length == 0) {
            Arrays.fill(totals, 1);
        }
        return Ranking.of(feasible, totals, weights, context.cluster().index());
    }

    private void score(
            PodScorer scorer,
            int priority,
            List<NodeInfo> feasible,
            SiblingResults.@Nullable ClassResults known,
            long[] values) {
        OptionalLong uniform = scorer.uniformScore();
        if (uniform.isPresent()) {
            Arrays.fill(values, uniform.getAsLong());
            return;
        }
        if (known == null || !prioritiesOfNode[priority]) {
            scorer.scoreAll(feasible, values);
        } else {
            for (int n = 0; n < values.length; n++) {
                values[n] = known.score(priority, feasible.get(n), scorer);
            }
        }
        scorer.normalize(feasible, values);
    }

    /**
     * Cached results of functions with {@link io.policyscheduler.engine.algorithm.Scope#NODE} for each node, by kind of pod; cached
     * from the second equivalent pod on. Bounded.
     */
    static final class SiblingResults {
        private static final int MIN_KINDS = 4;
        private static final int SEEN_ONCE = 4096;

        private final int priorities;
        private final int maxNumbers;
        private final LinkedHashMap<PodClass, ClassResults> results = new LinkedHashMap<>(16, 0.75f, true);
        private final LinkedHashMap<PodClass, Boolean> seenOnce = new LinkedHashMap<>();

        /**
         * An empty cache.
         *
         * @param priorities number of priorities
         * @param maxBytes the limit, beyond results for {@link #MIN_KINDS} pods
         */
        SiblingResults(int priorities, int maxBytes) {
            this.priorities = priorities;
            this.maxNumbers = maxBytes / Long.BYTES;
        }

        /** The results for equivalent pods; null for the first one of its kind. */
        @Nullable
        ClassResults of(PodInfo pod, int slots) {
            PodClass kind = new PodClass(pod);
            ClassResults known = results.get(kind);
            if (known == null) {
                if (seenOnce.remove(kind) == null) {
                    seenOnce.put(kind, true);
                    removeEldest(seenOnce, SEEN_ONCE);
                    return null;
                }
                known = new ClassResults(priorities);
                results.put(kind, known);
                removeEldest(results, Math.max(MIN_KINDS, maxNumbers / ((slots + 1) * (2 * priorities + 1))));
            }
            known.ensure(slots);
            return known;
        }

        private static void removeEldest(Map<PodClass, ?> map, int bound) {
            if (map.size() > bound) {
                map.remove(map.keySet().iterator().next());
            }
        }

        /** The results for pods of one kind, each with the generation of the node. */
        static final class ClassResults {
            private long[] checked = new long[0];
            private boolean[] passes = new boolean[0];
            private final long[][] scored;
            private final long[][] scores;

            ClassResults(int priorities) {
                scored = new long[priorities][0];
                scores = new long[priorities][0];
            }

            private void ensure(int slots) {
                if (checked.length < slots) {
                    checked = Arrays.copyOf(checked, slots);
                    passes = Arrays.copyOf(passes, slots);
                }
            }

            /** Whether the node passes; runs the check if the node has changed. */
            boolean passes(NodeInfo node, Predicate<NodeInfo> check) {
                int slot = node.slot();
                if (checked[slot] != node.generation()) {
                    passes[slot] = check.test(node);
                    checked[slot] = node.generation();
                }
                return passes[slot];
            }

            /** The score of the node before normalizing; computed if the node has changed. */
            long score(int priority, NodeInfo node, PodScorer scorer) {
                int slot = node.slot();
                if (scored[priority].length < checked.length) {
                    scored[priority] = Arrays.copyOf(scored[priority], checked.length);
                    scores[priority] = Arrays.copyOf(scores[priority], checked.length);
                }
                if (scored[priority][slot] != node.generation()) {
                    scores[priority][slot] = scorer.score(node);
                    scored[priority][slot] = node.generation();
                }
                return scores[priority][slot];
            }
        }
    }
}
