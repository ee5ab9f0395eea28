package io.policyscheduler.engine.cluster.node;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requirements of a pod for node labels and names: {@code nodeSelector} and required node affinity. Immutable. Mirrors
 * {@code podMatchesNodeSelectorAndAffinityTerms} of {@code pkg/scheduler/algorithm/predicates/predicates.go}.
 */
public final class NodeConstraints {
    private final LabelSelector selector;
    private final @Nullable NodeTermSet terms;

    private NodeConstraints(LabelSelector selector, @Nullable List<NodeSelectorTerm> terms) {
        this.selector = selector;
        this.terms = terms == null ? null : NodeTermSet.ofRequired(terms);
    }

    /** The demands of {@code pod}; an illegal key or value in its nodeSelector voids the nodeSelector. */
    public static NodeConstraints of(PodInfo pod) {
        return new NodeConstraints(
                LabelSelector.ofValidatedMap(pod.spec().nodeSelector()),
                pod.affinity().requiredNode());
    }

    /** The demands of {@code pod} by the rules of current releases, which do not validate its nodeSelector. */
    public static NodeConstraints ofCurrent(PodInfo pod) {
        Labels wanted = pod.spec().nodeSelector();
        List<LabelRequirement> requirements = new ArrayList<>(wanted.size());
        wanted.forEach((key, value) -> requirements.add(new LabelRequirement(key, "In", List.of(value), null)));
        return new NodeConstraints(
                requirements.isEmpty() ? LabelSelector.EVERYTHING : new LabelSelector(requirements),
                pod.affinity().requiredNode());
    }

    /** True when {@code node} meets the demands. */
    public boolean accept(Node node) {
        return selector.matches(node.labels()) && (terms == null || terms.anyMatches(node.labels(), node.name()));
    }
}
