package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Schedulers of plugin profiles. */
public final class ProfileSchedulers {
    /** The percentage that evaluates all nodes. */
    public static final int ALL_NODES = 100;

    private ProfileSchedulers() {}

    /**
     * A scheduler with a new profile for each cluster, which evaluates all nodes.
     *
     * @param source creates the profile for a cluster; called immediately for its names, and again for each scheduler
     */
    public static SchedulerSpec of(
            String name, Function<ClusterState, Profile> source, SchedulerSpec.Volumes volumes, Extenders extenders) {
        return of(name, source, ALL_NODES, volumes, extenders);
    }

    /**
     * The same with node sampling.
     *
     * @param percentage percentageOfNodesToScore, 0 to adapt to the size of the cluster
     */
    public static SchedulerSpec of(
            String name,
            Function<ClusterState, Profile> source,
            int percentage,
            SchedulerSpec.Volumes volumes,
            Extenders extenders) {
        Profile sample = source.apply(new ClusterState());
        Map<String, Long> scores = new LinkedHashMap<>();
        sample.scores().forEach(score -> scores.put(score.plugin().name(), score.weight()));
        sample.functions().forEach(function -> scores.put(function.priority().name(), function.weight()));
        SchedulerSpec.Kind kind =
                sample.family() == Family.MODERN ? SchedulerSpec.Kind.MODERN : SchedulerSpec.Kind.LEGACY;
        List<String> filters = sample.filters().stream().map(Plugin::name).toList();
        sample.close();
        return new SchedulerSpec(
                name,
                kind,
                filters,
                scores,
                (cluster, tieBreak, adjustment) -> {
                    Profile profile = adjusted(source.apply(cluster), adjustment);
                    SchedulingCycle cycle = SchedulingCycle.builder(profile, cluster)
                            .percentageOfNodesToScore(percentage)
                            .tieBreak(tieBreak)
                            .extenders(extenders)
                            .cacheBytes(adjustment.cacheBytes())
                            .build();
                    return new GatedScheduler(
                            SnapshotScheduler.of(cycle),
                            profile.preEnqueues(),
                            new SnapshotScheduler.Plugins(profile, cycle));
                },
                volumes);
    }

    private static Profile adjusted(Profile profile, Adjustment adjustment) {
        if (adjustment.isNone()) {
            return profile;
        }
        Set<String> filters = adjustment.withoutFilters();
        Set<String> scores = adjustment.withoutScores();
        return new Profile(
                profile.name(),
                profile.family(),
                profile.rules(),
                profile.preEnqueues(),
                profile.queueSort(),
                without(profile.preFilters(), filters),
                without(profile.filters(), filters),
                profile.postFilters(),
                without(profile.preScores(), scores),
                profile.scores().stream()
                        .filter(score -> !scores.contains(score.plugin().name()))
                        .map(score -> new Profile.WeightedScore(
                                score.plugin(), adjustment.weight(score.plugin().name(), score.weight())))
                        .toList(),
                profile.functions().stream()
                        .filter(function -> !scores.contains(function.priority().name()))
                        .map(function -> new WeightedPriority(
                                function.priority(),
                                adjustment.weight(function.priority().name(), function.weight())))
                        .toList(),
                profile.reserves(),
                profile.permits(),
                profile.preBinds(),
                profile.binds(),
                profile.postBinds(),
                profile.checkAllFilters(),
                profile.bindsByDefault(),
                profile.arithmetic(),
                profile.stateKeys());
    }

    private static <P extends Plugin> List<P> without(List<P> plugins, Set<String> names) {
        return plugins.stream().filter(plugin -> !names.contains(plugin.name())).toList();
    }

    /** Decides only pods that pass PreEnqueue; a gated pod is unschedulable, with the reason of its gate. */
    static final class GatedScheduler implements SnapshotScheduler {
        private final SnapshotScheduler scheduler;
        private final List<PreEnqueuePlugin> gates;
        private final @Nullable Plugins plugins;

        /** Runs the gates in this order, then the scheduler. */
        GatedScheduler(SnapshotScheduler scheduler, List<PreEnqueuePlugin> gates) {
            this(scheduler, gates, null);
        }

        /** The same for a scheduler that consists of these plugins. */
        GatedScheduler(SnapshotScheduler scheduler, List<PreEnqueuePlugin> gates, @Nullable Plugins plugins) {
            this.scheduler = scheduler;
            this.gates = ImmutableList.copyOf(gates);
            this.plugins = plugins;
        }

        @Override
        public Optional<Plugins> plugins() {
            return Optional.ofNullable(plugins);
        }

        private @Nullable String heldBack(PodInfo pod) {
            for (PreEnqueuePlugin gate : gates) {
                Status status = gate.preEnqueue(pod);
                if (!status.isSuccess()) {
                    return String.join(", ", status.reasons());
                }
            }
            return null;
        }

        @Override
        public CycleState newState() {
            return scheduler.newState();
        }

        @Override
        public Decision decide(PodInfo pod, NominatedPods nominated, CycleState state) {
            String reason = heldBack(pod);
            return reason == null
                    ? scheduler.decide(pod, nominated, state)
                    : new Decision(Decision.Kind.ERROR, null, 0, reason, 0, 0);
        }

        @Override
        public Evaluation evaluate(PodInfo pod, NominatedPods nominated) {
            String reason = heldBack(pod);
            return reason == null ? scheduler.evaluate(pod, nominated) : Evaluation.failed(reason);
        }

        @Override
        public Ranking rank(PodInfo pod, NominatedPods nominated) {
            String reason = heldBack(pod);
            return reason == null ? scheduler.rank(pod, nominated) : Ranking.failed(reason);
        }

        @Override
        public Evaluation evaluateRanked(PodInfo pod, NominatedPods nominated) {
            String reason = heldBack(pod);
            return reason == null ? scheduler.evaluateRanked(pod, nominated) : Evaluation.failed(reason);
        }

        @Override
        public Evaluation evaluateOn(PodInfo pod, NominatedPods nominated, NodeInfo node) {
            String reason = heldBack(pod);
            return reason == null ? scheduler.evaluateOn(pod, nominated, node) : Evaluation.failed(reason);
        }

        @Override
        public String postFilterText(PodInfo pod, NominatedPods nominated) {
            return heldBack(pod) == null ? scheduler.postFilterText(pod, nominated) : "";
        }

        @Override
        public PreemptionResult preempt(
                PodInfo pod, NominatedPods nominated, Evaluation evaluation, Preemption preemption) {
            return scheduler.preempt(pod, nominated, evaluation, preemption);
        }
    }
}
