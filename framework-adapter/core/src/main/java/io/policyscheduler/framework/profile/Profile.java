package io.policyscheduler.framework.profile;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.framework.plugin.BindPlugin;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PermitPlugin;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PostBindPlugin;
import io.policyscheduler.framework.plugin.PostFilterPlugin;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.QueueSortPlugin;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.InTreePlugins.PrioritySort;
import io.policyscheduler.framework.profile.PluginRegistry.PluginFailures;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * The plugins of one scheduler name, each list in call order.
 *
 * @param name for users, e.g. the policy's file
 * @param family of algorithms
 * @param rules of the release
 * @param functions priorities that have no plugin in v1.17
 * @param checkAllFilters whether later filters run after one has rejected ({@code alwaysCheckAllPredicates})
 * @param bindsByDefault whether the scheduler binds with the API server if no bind plugin has bound
 * @param arithmetic overflow behavior of totals; with that of v1.17, scores out of range are errors
 * @param stateKeys keys of the plugins' cycle state
 */
public record Profile(
        String name,
        Family family,
        ReleaseRules rules,
        List<PreEnqueuePlugin> preEnqueues,
        QueueSortPlugin queueSort,
        List<PreFilterPlugin> preFilters,
        List<FilterPlugin> filters,
        List<PostFilterPlugin> postFilters,
        List<PreScorePlugin> preScores,
        List<WeightedScore> scores,
        List<WeightedPriority> functions,
        List<ReservePlugin> reserves,
        List<PermitPlugin> permits,
        List<PreBindPlugin> preBinds,
        List<BindPlugin> binds,
        List<PostBindPlugin> postBinds,
        boolean checkAllFilters,
        boolean bindsByDefault,
        Arithmetic arithmetic,
        StateKeys stateKeys) {
    /** A score plugin and its weight. */
    public record WeightedScore(ScorePlugin plugin, long weight) {}

    /** Starts an attempt: sorts the nodes as the release does. Only with the arithmetic of 1.17, its order can omit nodes. */
    public void startCycle(ClusterState cluster) {
        rules.startCycle(cluster, arithmetic == Arithmetic.WRAPPING);
    }

    /** True if there are no scores, so that all feasible nodes are equal. */
    public boolean scoresNothing() {
        return scores.isEmpty() && functions.isEmpty();
    }

    /** All plugins, each once, in the order in which they are first called. */
    public List<Plugin> plugins() {
        List<Plugin> all = new ArrayList<>();
        Set<Plugin> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Collection<? extends Plugin>> lists = List.of(
                preEnqueues,
                List.of(queueSort),
                preFilters,
                filters,
                postFilters,
                preScores,
                scores.stream().map(WeightedScore::plugin).toList(),
                reserves,
                permits,
                preBinds,
                binds,
                postBinds);
        for (Collection<? extends Plugin> list : lists) {
            for (Plugin plugin : list) {
                Plugin itself = plugin instanceof PartialReserve half ? half.plugin() : plugin;
                if (seen.add(itself)) {
                    all.add(itself);
                }
            }
        }
        return ImmutableList.copyOf(all);
    }

    /** A copy with an additional filter, which runs last. */
    public <P extends PreFilterPlugin & FilterPlugin> Profile withFilter(P plugin) {
        return new Builder(this).preFilter(plugin).filter(plugin).build();
    }

    /** A copy with {@link #checkAllFilters}. */
    public Profile checkingAllFilters() {
        return new Builder(this).checkAllFilters(true).build();
    }

    /** Closes all plugins. An exception of one is logged, and the others are closed. */
    public void close() {
        for (Plugin plugin : plugins()) {
            try {
                plugin.close();
            } catch (RuntimeException | LinkageError e) {
                PluginFailures.status(plugin, e);
            }
        }
    }

    /** A builder of a profile with only the default queue sort and binder. */
    public static Builder builder(String name, Family family, StateKeys keys) {
        return new Builder(name, family, keys);
    }

    /** Collects plugins. A plugin runs only at the extension points to which it is added. */
    public static final class Builder {
        private final String name;
        private final Family family;
        private final StateKeys keys;
        private ReleaseRules rules;
        private final ImmutableList.Builder<PreEnqueuePlugin> preEnqueues = ImmutableList.builder();
        private final ImmutableList.Builder<PreFilterPlugin> preFilters = ImmutableList.builder();
        private final ImmutableList.Builder<FilterPlugin> filters = ImmutableList.builder();
        private final ImmutableList.Builder<PostFilterPlugin> postFilters = ImmutableList.builder();
        private final ImmutableList.Builder<PreScorePlugin> preScores = ImmutableList.builder();
        private final ImmutableList.Builder<WeightedScore> scores = ImmutableList.builder();
        private final ImmutableList.Builder<WeightedPriority> functions = ImmutableList.builder();
        private final ImmutableList.Builder<ReservePlugin> reserves = ImmutableList.builder();
        private final ImmutableList.Builder<PermitPlugin> permits = ImmutableList.builder();
        private final ImmutableList.Builder<PreBindPlugin> preBinds = ImmutableList.builder();
        private final ImmutableList.Builder<BindPlugin> binds = ImmutableList.builder();
        private final ImmutableList.Builder<PostBindPlugin> postBinds = ImmutableList.builder();
        private QueueSortPlugin queueSort = new PrioritySort();
        private boolean checkAllFilters;
        private boolean bindsByDefault = true;
        private Arithmetic arithmetic = Arithmetic.SATURATING;

        private Builder(String name, Family family, StateKeys keys) {
            this.name = name;
            this.family = family;
            this.rules = family.rules();
            this.keys = keys;
        }

        private Builder(Profile profile) {
            this(profile.name, profile.family, profile.stateKeys);
            rules = profile.rules;
            preEnqueues.addAll(profile.preEnqueues);
            queueSort = profile.queueSort;
            preFilters.addAll(profile.preFilters);
            filters.addAll(profile.filters);
            postFilters.addAll(profile.postFilters);
            preScores.addAll(profile.preScores);
            scores.addAll(profile.scores);
            functions.addAll(profile.functions);
            reserves.addAll(profile.reserves);
            permits.addAll(profile.permits);
            preBinds.addAll(profile.preBinds);
            binds.addAll(profile.binds);
            postBinds.addAll(profile.postBinds);
            checkAllFilters = profile.checkAllFilters;
            bindsByDefault = profile.bindsByDefault;
            arithmetic = profile.arithmetic;
        }

        /** Sets the release; by default the newest one of the family. */
        public Builder release(Release release) {
            rules = family.rules(release);
            return this;
        }

        public Builder preEnqueue(PreEnqueuePlugin plugin) {
            preEnqueues.add(plugin);
            return this;
        }

        public Builder queueSort(QueueSortPlugin plugin) {
            queueSort = plugin;
            return this;
        }

        public Builder preFilter(PreFilterPlugin plugin) {
            preFilters.add(plugin);
            return this;
        }

        public Builder filter(FilterPlugin plugin) {
            filters.add(plugin);
            return this;
        }

        public Builder postFilter(PostFilterPlugin plugin) {
            postFilters.add(plugin);
            return this;
        }

        public Builder preScore(PreScorePlugin plugin) {
            preScores.add(plugin);
            return this;
        }

        public Builder score(ScorePlugin plugin, long weight) {
            scores.add(new WeightedScore(plugin, weight));
            return this;
        }

        public Builder function(WeightedPriority priority) {
            functions.add(priority);
            return this;
        }

        public Builder reserve(ReservePlugin plugin) {
            reserves.add(plugin);
            return this;
        }

        public Builder permit(PermitPlugin plugin) {
            permits.add(plugin);
            return this;
        }

        public Builder preBind(PreBindPlugin plugin) {
            preBinds.add(plugin);
            return this;
        }

        public Builder bind(BindPlugin plugin) {
            binds.add(plugin);
            return this;
        }

        public Builder postBind(PostBindPlugin plugin) {
            postBinds.add(plugin);
            return this;
        }

        public Builder checkAllFilters(boolean value) {
            checkAllFilters = value;
            return this;
        }

        public Builder bindsByDefault(boolean value) {
            bindsByDefault = value;
            return this;
        }

        public Builder arithmetic(Arithmetic value) {
            arithmetic = value;
            return this;
        }

        public Profile build() {
            return new Profile(
                    name,
                    family,
                    rules,
                    preEnqueues.build(),
                    queueSort,
                    preFilters.build(),
                    filters.build(),
                    postFilters.build(),
                    preScores.build(),
                    scores.build(),
                    functions.build(),
                    reserves.build(),
                    permits.build(),
                    preBinds.build(),
                    binds.build(),
                    postBinds.build(),
                    checkAllFilters,
                    bindsByDefault,
                    arithmetic,
                    keys);
        }
    }

    /** A reserve plugin of which a configuration of an early version enables Reserve, Unreserve, or both. */
    record PartialReserve(ReservePlugin plugin, boolean reserves, boolean unreserves) implements ReservePlugin {
        @Override
        public String name() {
            return plugin.name();
        }

        @Override
        public Status reserve(CycleState state, PodInfo pod, String node) {
            return reserves ? plugin.reserve(state, pod, node) : Status.SUCCESS;
        }

        @Override
        public void unreserve(CycleState state, PodInfo pod, String node) {
            if (unreserves) {
                plugin.unreserve(state, pod, node);
            }
        }
    }

    /** The two families of algorithms, each with the rules of its releases. */
    public enum Family {
        /** Kubernetes 1.17, for policies and algorithm providers. */
        LEGACY(ReleaseRules.legacy()),
        /** Current releases, for profiles of plugins. */
        MODERN(ReleaseRules.of(Release.NEWEST));

        private final ReleaseRules rules;

        Family(ReleaseRules rules) {
            this.rules = rules;
        }

        /** The rules of the newest release of the family. */
        public ReleaseRules rules() {
            return rules;
        }

        /** The rules of a release. */
        public ReleaseRules rules(Release release) {
            return this == MODERN && !release.equals(Release.NEWEST) ? ReleaseRules.of(release) : rules;
        }
    }
}
