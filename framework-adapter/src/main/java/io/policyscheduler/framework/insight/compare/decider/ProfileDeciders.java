package io.policyscheduler.framework.insight.compare.decider;

import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.extender.Extenders;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.profile.Family;
import io.policyscheduler.framework.profile.Profile;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Ways of deciding by the plugins of a profile. */
public final class ProfileDeciders {
    /** The percentage that stands for looking at every node. */
    public static final int ALL_NODES = 100;

    private ProfileDeciders() {}

    /**
     * The plugins as they are made for each cluster, on all nodes.
     *
     * @param source makes the profile for a cluster; called at once for its names, and again for each decider
     */
    public static DeciderSource of(
            String name, Function<ClusterState, Profile> source, DeciderSource.Volumes volumes, Extenders extenders) {
        return of(name, source, ALL_NODES, volumes, extenders);
    }

    /**
     * The same on part of the nodes.
     *
     * @param percentage of nodes among which enough feasible ones are looked for, 0 to adapt to the size of the cluster
     */
    public static DeciderSource of(
            String name,
            Function<ClusterState, Profile> source,
            int percentage,
            DeciderSource.Volumes volumes,
            Extenders extenders) {
        Profile sample = source.apply(new ClusterState());
        Map<String, Long> scores = new LinkedHashMap<>();
        sample.scores().forEach(score -> scores.put(score.plugin().name(), score.weight()));
        sample.functions().forEach(function -> scores.put(function.priority().name(), function.weight()));
        DeciderSource.Kind kind =
                sample.family() == Family.MODERN ? DeciderSource.Kind.MODERN : DeciderSource.Kind.LEGACY;
        List<String> filters = sample.filters().stream().map(Plugin::name).toList();
        sample.close();
        return new DeciderSource(
                name,
                kind,
                filters,
                scores,
                (cluster, tieBreak, adjustment) -> {
                    Profile profile = adjusted(source.apply(cluster), adjustment);
                    return new GatedDecider(
                            DetailedDecider.of(SchedulingCycle.builder(profile, cluster)
                                    .percentageOfNodesToScore(percentage)
                                    .tieBreak(tieBreak)
                                    .extenders(extenders)
                                    .keptBytes(adjustment.keptBytes())
                                    .build()),
                            profile.preEnqueues());
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
}
