package io.policyscheduler.engine.functions;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodContext.PodChecks;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.functions.FunctionFilters.FunctionTrial;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.engine.policy.EffectivePolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Runs predicates and priorities as functions, as v1.17 did: all reasons of the failing predicate, 64-bit weights, all nodes.
 * Immutable. A simple reference implementation, not optimized. Mirrors {@code pkg/scheduler/core/generic_scheduler.go} without
 * plugins.
 */
public final class FunctionAlgorithm {
    private final List<Predicate> predicates;
    private final List<WeightedPriority> priorities;
    private final boolean checkAll;
    private final Arithmetic arithmetic;

    /** An algorithm that clamps scores to their range, and totals to 64 bits. */
    public FunctionAlgorithm(List<Predicate> predicates, List<WeightedPriority> priorities, boolean checkAll) {
        this(predicates, priorities, checkAll, Arithmetic.SATURATING);
    }

    /**
     * @param predicates in evaluation order
     * @param priorities in name order
     * @param checkAll {@code alwaysCheckAllPredicates}: later predicates run after the first rejection
     * @param arithmetic with that of v1.17, scores can be out of range
     */
    public FunctionAlgorithm(
            List<Predicate> predicates, List<WeightedPriority> priorities, boolean checkAll, Arithmetic arithmetic) {
        this.predicates = List.copyOf(predicates);
        this.priorities = List.copyOf(priorities);
        this.checkAll = checkAll;
        this.arithmetic = arithmetic;
    }

    List<Predicate> predicates() {
        return predicates;
    }

    List<WeightedPriority> priorities() {
        return priorities;
    }

    boolean checksAll() {
        return checkAll;
    }

    Arithmetic arithmetic() {
        return arithmetic;
    }

    /** Evaluates all nodes. */
    public Evaluation evaluate(PodInfo pod, ClusterView cluster, NominatedPods nominated) {
        String problem = PodChecks.error(pod, cluster);
        if (problem != null) {
            return Evaluation.failed(problem);
        }
        if (cluster.nodes().isEmpty()) {
            return Evaluation.failed(PodChecks.NO_NODES);
        }
        PodContext context = PodContext.of(pod, cluster);
        FunctionFilters filters = FunctionFilters.start(predicates, context);
        List<NodeInfo> feasible = new ArrayList<>();
        SortedMap<String, NodeFailure> failures = new TreeMap<>();
        for (NodeInfo node : cluster.nodes()) {
            FunctionFilters.Result result = filters.check(node, nominated, checkAll);
            Verdict verdict = result.verdict();
            if (verdict.error() != null) {
                return Evaluation.failed(verdict.error());
            }
            if (verdict.fits()) {
                feasible.add(node);
            } else {
                failures.put(node.name(), failure(verdict, result.predicate()));
            }
        }
        if (feasible.isEmpty()) {
            return Evaluation.unfit(cluster.nodes().size(), failures);
        }
        return score(context, feasible, failures);
    }

    private static NodeFailure failure(Verdict verdict, @Nullable String predicate) {
        List<String> texts = new ArrayList<>();
        boolean unresolvable = false;
        for (FailureReason reason : verdict.reasons()) {
            texts.add(reason.text());
            unresolvable |= !reason.resolvable();
        }
        return new NodeFailure(texts, unresolvable, predicate);
    }

    private Evaluation score(PodContext context, List<NodeInfo> feasible, SortedMap<String, NodeFailure> failures) {
        Map<String, NodeValues> scores = new LinkedHashMap<>();
        Map<String, Long> weights = new LinkedHashMap<>();
        NodeValues.Order order =
                new NodeValues.Order(feasible, context.cluster().index());
        long[] totals = new long[feasible.size()];
        Set<String> errors = new LinkedHashSet<>();
        for (WeightedPriority weighted : priorities) {
            PodScorer scorer = weighted.priority().start(context, feasible);
            if (scorer.error() != null) {
                errors.add(scorer.error());
                continue;
            }
            long[] values = new long[feasible.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = scorer.score(feasible.get(i));
            }
            scorer.normalize(feasible, values);
            for (int i = 0; i < values.length; i++) {
                values[i] = arithmetic == Arithmetic.WRAPPING ? values[i] : Priority.bounded(values[i]);
                totals[i] = arithmetic.add(totals[i], arithmetic.multiply(values[i], weighted.weight()));
            }
            scores.put(weighted.priority().name(), order.byName(values));
            weights.put(weighted.priority().name(), weighted.weight());
        }
        if (!errors.isEmpty()) {
            return Evaluation.failed(
                    errors.size() == 1 ? errors.iterator().next() : "[" + String.join(", ", errors) + "]");
        }
        if (priorities.isEmpty()) {
            Arrays.fill(totals, 1);
        }
        List<String> names = feasible.stream().map(NodeInfo::name).toList();
        return new Evaluation(null, false, names, failures, scores, weights, order.byName(totals));
    }

    /** The result of preemption after an evaluation without a feasible node. */
    public PreemptionResult preempt(
            PodInfo pod, ClusterView cluster, NominatedPods nominated, Evaluation evaluation, Preemption preemption) {
        PodContext context = PodContext.of(pod, cluster);
        FunctionFilters filters = FunctionFilters.start(predicates, context);
        return preemption
                .forPod(pod, cluster, nominated)
                .decide(evaluation.failures(), node -> new FunctionTrial(filters.copy(), node.copy(), nominated));
    }

    /** Creates the functions of an effective policy. */
    public static final class FunctionAssembly {
        private FunctionAssembly() {}

        /**
         * The policy as functions.
         *
         * @param environment reads an environment variable, the empty string if unset
         */
        public static FunctionAlgorithm assemble(
                EffectivePolicy policy, AlgorithmRegistry registry, UnaryOperator<String> environment) {
            return assemble(policy, policy.evaluationOrder(), policy.priorities(), registry, environment);
        }

        /**
         * Other predicates and weights with the other settings of the policy.
         *
         * @param predicates keys of predicates in evaluation order
         * @param priorities keys of priorities with their weights
         * @param environment reads an environment variable, the empty string if unset
         */
        public static FunctionAlgorithm assemble(
                EffectivePolicy policy,
                Collection<String> predicates,
                Map<String, Long> priorities,
                AlgorithmRegistry registry,
                UnaryOperator<String> environment) {
            AlgorithmConfig config = policy.algorithmConfig(environment);
            List<Predicate> checks = new ArrayList<>();
            for (String key : predicates) {
                checks.add(policy.predicate(key, registry, config));
            }
            List<WeightedPriority> scores = new ArrayList<>();
            priorities.forEach(
                    (key, weight) -> scores.add(new WeightedPriority(policy.priority(key, registry, config), weight)));
            return new FunctionAlgorithm(
                    checks,
                    scores,
                    policy.alwaysCheckAllPredicates(),
                    policy.gates().arithmetic());
        }
    }
}
