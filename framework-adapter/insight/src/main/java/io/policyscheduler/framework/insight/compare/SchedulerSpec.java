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
 * A scheduler that can run on any cluster, unchanged or adjusted.
 *
 * @param name for users, e.g. {@code legacy:policy.json}
 * @param kind how the algorithms run
 * @param filters names of its filters in call order, as in the failures of an evaluation
 * @param scores name and weight of scores, as in an evaluation
 * @param factory creates schedulers
 * @param volumes assumes the volumes of placed pods
 * @param readsNewerFields whether it reads pod fields that are newer than v1.17
 * @param readsPodAnnotations whether its rules read annotations of pods, which the reader of the pods must then keep
 * @param tables the tables of its rules, whose values may be replaced while it runs; none without rules
 * @param independent whether its result for a pod depends on the cluster only, not on earlier decisions, and its schedulers can run
 *     in several threads, each with its own cluster
 * @param names the names of its algorithms in its policy
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
    /** How algorithms run. */
    public enum Kind {
        /** Predicates and priorities as plain functions. */
        FUNCTIONS,
        /** Plugins that wrap the predicates and priorities of v1.17. */
        LEGACY,
        /** Plugins of current releases. */
        MODERN
    }

    /** Creates schedulers. */
    @FunctionalInterface
    public interface Factory {
        /** A scheduler on a cluster; it observes the cluster's changes. */
        SnapshotScheduler create(ClusterState cluster, TieBreak tieBreak, Adjustment adjustment);
    }

    /** Assumes a pod's volumes, so that the next pod sees them as used, and labels the pod as the API server does. */
    @FunctionalInterface
    public interface Volumes {
        /** Ignores volumes. */
        Volumes NONE = (cluster, pod, node) -> {};

        /** Called before the pod is added to its node. */
        void assume(ClusterState cluster, PodInfo pod, NodeInfo node);

        /**
         * Returns the pod as the API server stores it once it is bound to a node of the cluster.
         *
         * @param node a name; nodes that do not exist have no labels
         */
        default PodInfo bound(ClusterState cluster, PodInfo pod, String node) {
            return pod.withNodeName(node);
        }

        /** Whether it allocates devices; otherwise a pod that requests any is unschedulable. */
        default boolean givesDevices() {
            return false;
        }
    }

    public SchedulerSpec {
        filters = ImmutableList.copyOf(filters);
        scores = ImmutableMap.copyOf(scores);
    }

    /** A scheduler without tables that reads pods as the release of its algorithms does. */
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

    /** An unchanged scheduler. */
    public SnapshotScheduler create(ClusterState cluster, TieBreak tieBreak) {
        return factory.create(cluster, tieBreak, Adjustment.NONE);
    }

    /** An adjusted scheduler. */
    public SnapshotScheduler create(ClusterState cluster, TieBreak tieBreak, Adjustment adjustment) {
        return factory.create(cluster, tieBreak, adjustment);
    }

    /**
     * Changes of a scheduler, to test their effect on a decision. Names are those of {@link SchedulerSpec#filters} and
     * {@link SchedulerSpec#scores}; others have no effect.
     *
     * @param withoutFilters predicates or filter plugins to leave out
     * @param withoutScores priorities or score plugins to leave out
     * @param weights other weights of priorities or score plugins
     */
    public record Adjustment(Set<String> withoutFilters, Set<String> withoutScores, Map<String, Long> weights) {
        /** No changes. */
        public static final Adjustment NONE = new Adjustment(Set.of(), Set.of(), Map.of());

        public Adjustment {
            withoutFilters = ImmutableSet.copyOf(withoutFilters);
            withoutScores = ImmutableSet.copyOf(withoutScores);
            weights = ImmutableMap.copyOf(weights);
        }

        /** Leaves out more filters. */
        public Adjustment withoutFilters(Set<String> names) {
            return new Adjustment(Sets.union(withoutFilters, names), withoutScores, weights);
        }

        /** Leaves out more scores. */
        public Adjustment withoutScores(Set<String> names) {
            return new Adjustment(withoutFilters, Sets.union(withoutScores, names), weights);
        }

        /** Changes one more weight. */
        public Adjustment withWeight(String name, long weight) {
            Map<String, Long> changed = new TreeMap<>(weights);
            changed.put(name, weight);
            return new Adjustment(withoutFilters, withoutScores, changed);
        }

        /** The size limit of the scheduler's result cache in bytes: there can be many adjusted schedulers. */
        int cacheBytes() {
            return isNone() ? ResultCache.USUAL_BYTES : ResultCache.USUAL_BYTES / 32;
        }

        /** True if there are no changes. */
        public boolean isNone() {
            return withoutFilters.isEmpty() && withoutScores.isEmpty() && weights.isEmpty();
        }

        public long weight(String name, long weight) {
            return weights.getOrDefault(name, weight);
        }
    }
}
