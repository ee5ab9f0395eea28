package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A situation made ready for questions about its nodes. */
final class Scene {
    private static final int LARGEST_EXTRA_SKEW = 20;

    final Situation situation;
    final ClusterState state;
    final LabelDemands labels;
    /** By the rules of current releases. */
    final boolean current;

    private final SingleFilters filters;
    private final Map<TopologySpreadConstraint, Map<String, Integer>> skews = new HashMap<>();

    Scene(Situation situation, Trials trials, LabelDemands labels) {
        this.situation = situation;
        this.state = situation.world().state();
        this.labels = labels;
        this.filters = trials.filters(state);
        this.current = trials.isCurrent();
        state.startCycle();
    }

    PodInfo pod() {
        return situation.pod();
    }

    /** The node with the pods that have been promised a place there and that matter to the pod; null when unknown. */
    @Nullable
    NodeInfo node(String name) {
        NodeInfo known = state.node(name);
        if (known == null) {
            return null;
        }
        NodeInfo node = known.copy();
        for (PodInfo other : situation.nominated().on(name)) {
            if (other.priority() >= pod().priority()) {
                node.addPod(other.withNodeName(name));
            }
        }
        return node;
    }

    /** True when {@code other} is one of the pods meant by a term of {@code owner}. */
    boolean matches(PodInfo owner, PodAffinityTerm term, PodInfo other) {
        LabelSelector namespaces = current ? term.namespaceSelector() : null;
        if (namespaces == null) {
            return term.matches(owner, other);
        }
        NamespaceInfo namespace = state.namespace(other.namespace());
        boolean meant = term.namespaces().contains(other.namespace())
                || namespaces.matches(namespace == null ? Labels.EMPTY : namespace.labels());
        return meant && term.selector() != null && term.selector().matches(other.labels());
    }

    /**
     * The smallest skew with which a constraint alone lets a node take the pod: its own when the node is fine, 0 when none
     * that is worth trying does.
     */
    int smallestSkew(TopologySpreadConstraint constraint, String filter, String node) {
        return skews.computeIfAbsent(constraint, unused -> skewsOf(constraint, filter))
                .getOrDefault(node, 0);
    }

    private Map<String, Integer> skewsOf(TopologySpreadConstraint constraint, String filter) {
        Map<String, Integer> smallest = new HashMap<>();
        PodInfo alone = Copies.withSpread(pod(), List.of(constraint));
        for (int extra = 0; extra <= LARGEST_EXTRA_SKEW && smallest.size() < state.nodeCount(); extra++) {
            int skew = constraint.maxSkew() + extra;
            PodInfo relaxed = extra == 0
                    ? alone
                    : new PodLifts.Skew(constraint, skew)
                            .apply(situation.withPod(alone))
                            .pod();
            Evaluation evaluation = filters.evaluate(filter, relaxed, situation.nominated());
            evaluation.feasible().forEach(node -> smallest.putIfAbsent(node, skew));
        }
        return smallest;
    }
}
