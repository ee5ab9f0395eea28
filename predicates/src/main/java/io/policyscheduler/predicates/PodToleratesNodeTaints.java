package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.TolerationSet;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import java.util.ArrayList;
import java.util.List;

/**
 * The pod tolerates every taint of effect {@code NoSchedule} or {@code NoExecute}. Mirrors
 * {@code PodToleratesNodeTaints} of {@code predicates.go}.
 */
public final class PodToleratesNodeTaints implements Predicate {
    private static final Verdict NOT_TOLERATED = Verdict.unfit(FailureReasons.TAINTS);

    @Override
    public String name() {
        return "PodToleratesNodeTaints";
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public PodFilter start(PodContext context) {
        List<Toleration> relevant = new ArrayList<>(0);
        for (Toleration toleration : context.pod().tolerations()) {
            if (toleration.effect().isEmpty() || TolerationSet.rejectsPods(toleration.effect())) {
                relevant.add(toleration);
            }
        }
        TolerationSet tolerations = new TolerationSet(relevant);
        return new Filter(relevant, tolerations);
    }

    private record Filter(List<Toleration> basis, TolerationSet tolerations) implements PodFilter {
        @Override
        public Verdict check(NodeInfo node) {
            return tolerations.firstUntolerated(node.node().taints()) == null ? Verdict.FITS : NOT_TOLERATED;
        }
    }
}
