package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeConstraints.NodeTermSet;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The node has the labels of the pod's {@code nodeSelector} and satisfies its required node affinity. Mirrors
 * {@code PodMatchNodeSelector} of {@code predicates.go}.
 */
public final class MatchNodeSelector implements Predicate {
    private static final Verdict NO_MATCH = Verdict.unfit(FailureReasons.NODE_SELECTOR);

    @Override
    public String name() {
        return "MatchNodeSelector";
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public PodFilter start(PodContext context) {
        PodInfo pod = context.pod();
        // An invalid key or value makes the nodeSelector match every node.
        LabelSelector selector = LabelSelector.ofValidatedMap(pod.spec().nodeSelector());
        @Nullable List<NodeSelectorTerm> required = pod.affinity().requiredNode();
        if (selector.isEmpty() && required == null) {
            return PodFilter.FITS_ALL;
        }
        @Nullable NodeTermSet terms = required == null ? null : NodeTermSet.ofRequired(required);
        return new Filter(selector, terms, new Basis(pod.spec().nodeSelector(), required));
    }

    private record Basis(Labels selector, @Nullable List<NodeSelectorTerm> required) {}

    private record Filter(LabelSelector selector, @Nullable NodeTermSet terms, Basis basis) implements PodFilter {
        @Override
        public Verdict check(NodeInfo node) {
            return matches(selector, terms, node) ? Verdict.FITS : NO_MATCH;
        }
    }

    private static boolean matches(LabelSelector selector, @Nullable NodeTermSet terms, NodeInfo node) {
        return selector.matches(node.node().labels())
                && (terms == null || terms.anyMatches(node.node().labels(), node.name()));
    }
}
