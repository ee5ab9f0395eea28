package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.resultcache.ResultCache;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A way of deciding that can be set to work on any cluster, as it is or adjusted.
 *
 * @param name what users call it, e.g. {@code legacy:policy.json}
 * @param kind how the algorithms are run
 * @param filters names of its filters in the order of calling, each as it stands in the failures of an evaluation
 * @param scores name and weight of what scores, as in an evaluation
 * @param factory sets it to work
 * @param volumes what becomes of a pod's volumes when it is placed
 * @param readsNewerFields whether pods are read as releases after v1.17 read them
 * @param readsPodAnnotations whether its rules read annotations of pods, so that whoever reads the pods must keep them
 * @param tables what its rules look up, whose values may be replaced while it decides; none for one without rules
 * @param independent whether what it says of a pod hangs on the cluster alone, not on what it was asked before, and its deciders
 *     may be at work in several threads, each on a cluster of its own
 * @param names the names of its algorithms in the policy that it runs
 */
public record SchedulerSpec(
        String name,
        Kind kind,
        List<String> filters,
        Map<String, Long> scores,
        Factory factory,
        Volumes volumes,
        boolean readsNewerFields,
        boolean readsPodAnnotations,
        RuleTables tables,
        boolean independent,
        PolicyNames names) {
    /** How algorithms are run. */
    public enum Kind {
        /** Predicates and priorities as plain functions. */
        FUNCTIONS,
        /** Plugins made of the predicates and priorities of v1.17. */
        LEGACY,
        /** Plugins of current releases. */
        MODERN
    }

    /** Sets a way of deciding to work. */
    @FunctionalInterface
    public interface Factory {
        /** A decider on a cluster; it follows the cluster's changes. */
        SnapshotScheduler create(ClusterState cluster, TieBreak tieBreak, Adjustment adjustment);
    }

    /** Takes a pod's volumes for it, so that the next pod sees them taken, and labels it as the API server does. */
    @FunctionalInterface
    public interface Volumes {
        /** Leaves volumes alone. */
        Volumes NONE = (cluster, pod, node) -> {};

        /** To be called before the pod is added to its node. */
        void assume(ClusterState cluster, PodInfo pod, NodeInfo node);

        /**
         * Returns the pod as the API server stores it once it is bound to a node of the cluster.
         *
         * @param node a name; nodes that do not exist have no labels
         */
        default PodInfo bound(ClusterState cluster, PodInfo pod, String node) {
            return pod.withNodeName(node);
        }

        /** Whether pods get the devices that they ask for; otherwise a pod that asks for any has no place. */
        default boolean givesDevices() {
            return false;
        }
    }

    public SchedulerSpec {
        filters = ImmutableList.copyOf(filters);
        scores = ImmutableMap.copyOf(scores);
    }

    /** One without tables that reads pods as the release of its algorithms did. */
    public SchedulerSpec(
            String name, Kind kind, List<String> filters, Map<String, Long> scores, Factory factory, Volumes volumes) {
        this(
                name,
                kind,
                filters,
                scores,
                factory,
                volumes,
                kind == Kind.MODERN,
                false,
                RuleTables.none(),
                false,
                PolicyNames.NONE);
    }

    /** Returns a copy that reads pods, evaluates rules, and names algorithms as a policy does. */
    SchedulerSpec of(EffectivePolicy policy) {
        return new SchedulerSpec(
                name,
                kind,
                filters,
                scores,
                factory,
                volumes,
                policy.gates().honoursNewerFields(),
                policy.rules().readsPodAnnotations(),
                policy.rules().tables(),
                independent,
                PolicyNames.of(policy));
    }

    /** Returns a copy with another value of {@link #independent}. */
    public SchedulerSpec independent(boolean value) {
        return new SchedulerSpec(
                name,
                kind,
                filters,
                scores,
                factory,
                volumes,
                readsNewerFields,
                readsPodAnnotations,
                tables,
                value,
                names);
    }

    /** A decider as it is. */
    public SnapshotScheduler create(ClusterState cluster, TieBreak tieBreak) {
        return factory.create(cluster, tieBreak, Adjustment.NONE);
    }

    /** An adjusted one. */
    public SnapshotScheduler create(ClusterState cluster, TieBreak tieBreak, Adjustment adjustment) {
        return factory.create(cluster, tieBreak, adjustment);
    }

    /**
     * What is to be changed in a way of deciding, so as to see what it makes of a decision. Names are those of
     * {@link SchedulerSpec#filters} and {@link SchedulerSpec#scores}; others have no effect.
     *
     * @param withoutFilters predicates or filter plugins to be left out
     * @param withoutScores priorities or score plugins to be left out
     * @param weights other weights of priorities or score plugins
     */
    public record Adjustment(Set<String> withoutFilters, Set<String> withoutScores, Map<String, Long> weights) {
        /** Nothing is changed. */
        public static final Adjustment NONE = new Adjustment(Set.of(), Set.of(), Map.of());

        public Adjustment {
            withoutFilters = ImmutableSet.copyOf(withoutFilters);
            withoutScores = ImmutableSet.copyOf(withoutScores);
            weights = ImmutableMap.copyOf(weights);
        }

        /** Leaves out filters besides. */
        public Adjustment withoutFilters(Set<String> names) {
            return new Adjustment(Sets.union(withoutFilters, names), withoutScores, weights);
        }

        /** Leaves out scores besides. */
        public Adjustment withoutScores(Set<String> names) {
            return new Adjustment(withoutFilters, Sets.union(withoutScores, names), weights);
        }

        /** Changes one weight besides. */
        public Adjustment withWeight(String name, long weight) {
            Map<String, Long> changed = new TreeMap<>(weights);
            changed.put(name, weight);
            return new Adjustment(withoutFilters, withoutScores, changed);
        }

        /** What a decider with it may keep about nodes, in bytes: many that are adjusted are at work side by side. */
        int keptBytes() {
            return isNone() ? ResultCache.USUAL_BYTES : ResultCache.USUAL_BYTES / 32;
        }

        /** True when nothing is changed. */
        public boolean isNone() {
            return withoutFilters.isEmpty() && withoutScores.isEmpty() && weights.isEmpty();
        }

        public long weight(String name, long weight) {
            return weights.getOrDefault(name, weight);
        }
    }
}
