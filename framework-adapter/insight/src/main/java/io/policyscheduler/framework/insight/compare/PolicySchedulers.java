package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext.PodChecks;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.functions.FunctionAlgorithm;
import io.policyscheduler.engine.functions.FunctionAlgorithm.FunctionAssembly;
import io.policyscheduler.engine.functions.FunctionRanker;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.ProfileSchedulers.GatedScheduler;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.profile.InTreePlugins.SchedulingGates;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProviderAdapter;
import io.policyscheduler.framework.resultcache.ResultCache;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Schedulers of v1.17 policies. */
public final class PolicySchedulers {
    private final AlgorithmRegistry registry;
    private final UnaryOperator<String> environment;

    /** @param environment reads an environment variable, the empty string if unset */
    public PolicySchedulers(AlgorithmRegistry registry, UnaryOperator<String> environment) {
        this.registry = registry;
        this.environment = environment;
    }

    /**
     * The policy's predicates and priorities as functions. GeneralPredicates is split into its four parts if one of them is left
     * out.
     */
    public SchedulerSpec functions(String name, EffectivePolicy policy, SchedulerSpec.Volumes volumes) {
        return new SchedulerSpec(
                        name,
                        SchedulerSpec.Kind.FUNCTIONS,
                        policy.evaluationOrder(),
                        policy.priorities(),
                        (cluster, tieBreak, adjustment) -> new GatedScheduler(
                                new FunctionScheduler(
                                        algorithm(policy, adjustment), cluster, tieBreak, adjustment.cacheBytes()),
                                List.of(new SchedulingGates())),
                        volumes)
                .of(policy);
    }

    private FunctionAlgorithm algorithm(EffectivePolicy policy, Adjustment adjustment) {
        Map<String, Long> priorities = new LinkedHashMap<>();
        policy.priorities().forEach((key, weight) -> {
            if (!adjustment.withoutScores().contains(key)) {
                priorities.put(key, adjustment.weight(key, weight));
            }
        });
        return FunctionAssembly.assemble(
                policy, keys(policy, adjustment.withoutFilters()), priorities, registry, environment);
    }

    private static Set<String> keys(EffectivePolicy policy, Set<String> without) {
        Set<String> keys = new LinkedHashSet<>();
        for (String key : policy.evaluationOrder()) {
            List<String> parts = KnownAlgorithms.parts(key);
            keys.addAll(Collections.disjoint(without, parts) ? List.of(key) : parts);
        }
        keys.removeAll(without);
        return keys;
    }

    /** The policy's predicates and priorities as plugins, which evaluate all nodes. */
    public SchedulerSpec plugins(
            String name, EffectivePolicy policy, SchedulerSpec.Volumes volumes, Extenders extenders) {
        return plugins(name, policy, ProfileSchedulers.ALL_NODES, volumes, extenders);
    }

    /**
     * The same with node sampling.
     *
     * @param percentage percentageOfNodesToScore, 0 to adapt to the size of the cluster
     */
    public SchedulerSpec plugins(
            String name, EffectivePolicy policy, int percentage, SchedulerSpec.Volumes volumes, Extenders extenders) {
        ProviderAdapter adapter = new ProviderAdapter(registry, environment);
        return plugins(name, policy, cluster -> adapter.adapt(policy, cluster), percentage, volumes, extenders);
    }

    /**
     * A policy with other plugins next to it.
     *
     * @param profile creates the plugins of the policy and the others
     * @param percentage percentageOfNodesToScore, 0 to adapt to the size of the cluster
     */
    public SchedulerSpec plugins(
            String name,
            EffectivePolicy policy,
            Function<ClusterState, Profile> profile,
            int percentage,
            SchedulerSpec.Volumes volumes,
            Extenders extenders) {
        return ProfileSchedulers.of(name, profile, percentage, volumes, extenders)
                .of(policy);
    }

    /** Decides with predicates and priorities as plain functions; always evaluates all nodes. */
    public static final class FunctionScheduler implements SnapshotScheduler {
        private final FunctionAlgorithm algorithm;
        private final ClusterState cluster;
        private final TieBreak tieBreak;
        private final FunctionRanker ranker;

        /** A scheduler on a cluster. */
        public FunctionScheduler(FunctionAlgorithm algorithm, ClusterState cluster, TieBreak tieBreak) {
            this(algorithm, cluster, tieBreak, ResultCache.USUAL_BYTES);
        }

        /**
         * A scheduler on a cluster.
         *
         * @param cacheBytes limit of cached results for ranking equivalent pods, beyond a few
         */
        public FunctionScheduler(FunctionAlgorithm algorithm, ClusterState cluster, TieBreak tieBreak, int cacheBytes) {
            this.ranker = new FunctionRanker(algorithm, cluster, cacheBytes);
            this.algorithm = algorithm;
            this.cluster = cluster;
            this.tieBreak = tieBreak;
        }

        @Override
        public Evaluation evaluate(PodInfo pod, NominatedPods nominated) {
            cluster.startCompleteCycle();
            return algorithm.evaluate(pod, cluster, nominated);
        }

        @Override
        public Ranking rank(PodInfo pod, NominatedPods nominated) {
            cluster.startCompleteCycle();
            return ranker.rank(pod, nominated);
        }

        @Override
        public PreemptionResult preempt(
                PodInfo pod, NominatedPods nominated, Evaluation evaluation, Preemption preemption) {
            return algorithm.preempt(pod, cluster, nominated, evaluation, preemption);
        }

        @Override
        public Decision decide(PodInfo pod, NominatedPods nominated, CycleState state) {
            Evaluation evaluation = evaluate(pod, nominated);
            int nodes = cluster.nodes().size();
            String error = evaluation.error();
            if (error != null) {
                return new Decision(
                        kind(evaluation, error),
                        null,
                        0,
                        error,
                        evaluation.feasible().size(),
                        nodes);
            }
            List<NodeInfo> feasible = evaluation.feasible().stream()
                    .map(name -> Objects.requireNonNull(cluster.node(name), name))
                    .toList();
            // As in the framework, a single feasible node is not scored and does not advance the tie-break.
            if (feasible.size() == 1) {
                return new Decision(Decision.Kind.PLACED, feasible.get(0).name(), 0, "", 1, nodes);
            }
            long[] totals = evaluation.feasible().stream()
                    .mapToLong(name -> evaluation.totals().getOrDefault(name, 0L))
                    .toArray();
            int chosen = tieBreak.choose(feasible, totals);
            return new Decision(
                    Decision.Kind.PLACED, feasible.get(chosen).name(), totals[chosen], "", feasible.size(), nodes);
        }

        private static Decision.Kind kind(Evaluation evaluation, String error) {
            if (evaluation.fitError()) {
                return Decision.Kind.UNSCHEDULABLE;
            }
            return error.equals(PodChecks.NO_NODES) ? Decision.Kind.NO_NODES : Decision.Kind.ERROR;
        }
    }
}
