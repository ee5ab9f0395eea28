package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;

/**
 * Requires that {@code spec.nodeName} of a pod, if set, is the name of the node. Mirrors {@code PodFitsHost} of
 * {@code predicates.go}.
 */
public final class HostName implements Predicate {
    private static final Verdict OTHER_NODE = Verdict.unfit(FailureReasons.HOST_NAME);

    @Override
    public String name() {
        return "HostName";
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public PodFilter start(PodContext context) {
        String requiredName = context.pod().nodeName();
        return requiredName.isEmpty() ? PodFilter.FITS_ALL : new Filter(requiredName);
    }

    private record Filter(String basis) implements PodFilter {
        @Override
        public Verdict check(NodeInfo node) {
            return basis.equals(node.name()) ? Verdict.FITS : OTHER_NODE;
        }
    }
}
