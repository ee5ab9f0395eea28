package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;

/**
 * The node is not cordoned, or the pod tolerates the taint {@code node.kubernetes.io/unschedulable}, whether or not the node has
 * it. Mirrors {@code CheckNodeUnschedulablePredicate} of {@code predicates.go}.
 */
public final class CheckNodeUnschedulable implements Predicate {
    private static final Verdict UNSCHEDULABLE = Verdict.unfit(FailureReasons.UNSCHEDULABLE);
    private static final PodFilter NOT_CORDONED = new PodFilter() {
        @Override
        public Verdict check(NodeInfo node) {
            return node.node().unschedulable() ? UNSCHEDULABLE : Verdict.FITS;
        }

        @Override
        public Object basis() {
            return Taint.UNSCHEDULABLE;
        }
    };

    @Override
    public String name() {
        return "CheckNodeUnschedulable";
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public PodFilter start(PodContext context) {
        return Toleration.anyTolerates(context.pod().tolerations(), Taint.UNSCHEDULABLE)
                ? PodFilter.FITS_ALL
                : NOT_CORDONED;
    }
}
