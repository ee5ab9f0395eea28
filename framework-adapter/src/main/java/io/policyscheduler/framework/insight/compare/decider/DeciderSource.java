package io.policyscheduler.framework.insight.compare.decider;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.engine.rules.RuleSet;
import io.policyscheduler.engine.rules.table.RuleTables;
import io.policyscheduler.framework.cycle.TieBreak;
import java.util.List;
import java.util.Map;

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
public record DeciderSource(
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
        DetailedDecider create(ClusterState cluster, TieBreak tieBreak, Adjustment adjustment);
    }

    /** Takes a pod's volumes for it, so that the next pod sees them taken. */
    @FunctionalInterface
    public interface Volumes {
        /** Leaves volumes alone. */
        Volumes NONE = (cluster, pod, node) -> {};

        /** To be called before the pod is added to its node. */
        void assume(ClusterState cluster, PodInfo pod, NodeInfo node);

        /** Whether pods get the devices that they ask for; otherwise a pod that asks for any has no place. */
        default boolean givesDevices() {
            return false;
        }
    }

    public DeciderSource {
        filters = ImmutableList.copyOf(filters);
        scores = ImmutableMap.copyOf(scores);
    }

    /** One without tables that reads pods as the release of its algorithms did. */
    public DeciderSource(
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

    /** A copy for a cluster in which pods can say more, or no more, than they could to v1.17. */
    DeciderSource readingNewerFields(boolean value) {
        return new DeciderSource(
                name, kind, filters, scores, factory, volumes, value, readsPodAnnotations, tables, independent, names);
    }

    /** A copy for these rules. */
    DeciderSource withRules(RuleSet rules) {
        return new DeciderSource(
                name,
                kind,
                filters,
                scores,
                factory,
                volumes,
                readsNewerFields,
                rules.readsPodAnnotations(),
                rules.tables(),
                independent,
                names);
    }

    /** A copy of which this holds: {@link #independent}. */
    public DeciderSource independent(boolean value) {
        return new DeciderSource(
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

    /** A copy whose algorithms have the names of a policy in reports. */
    DeciderSource named(PolicyNames policyNames) {
        return new DeciderSource(
                name,
                kind,
                filters,
                scores,
                factory,
                volumes,
                readsNewerFields,
                readsPodAnnotations,
                tables,
                independent,
                policyNames);
    }

    /** A decider as it is. */
    public DetailedDecider create(ClusterState cluster, TieBreak tieBreak) {
        return factory.create(cluster, tieBreak, Adjustment.NONE);
    }

    /** An adjusted one. */
    public DetailedDecider create(ClusterState cluster, TieBreak tieBreak, Adjustment adjustment) {
        return factory.create(cluster, tieBreak, adjustment);
    }
}
