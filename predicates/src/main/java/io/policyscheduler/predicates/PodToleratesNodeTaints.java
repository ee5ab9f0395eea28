package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.TolerationSet;
import io.policyscheduler.engine.cluster.object.Node.Taint;
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
            if (toleration.effect().isEmpty() || isRepelling(toleration.effect())) {
                relevant.add(toleration);
            }
        }
        TolerationSet tolerations = new TolerationSet(relevant);
        return new Filter(relevant, tolerations);
    }

    private record Filter(List<Toleration> basis, TolerationSet tolerations) implements PodFilter {
        @Override
        public Verdict check(NodeInfo node) {
            return PodToleratesNodeTaints.check(tolerations, node);
        }
    }

    private static Verdict check(TolerationSet tolerations, NodeInfo node) {
        List<Taint> taints = node.node().taints();
        for (int i = 0; i < taints.size(); i++) {
            Taint taint = taints.get(i);
            if (isRepelling(taint.effect()) && !tolerations.tolerates(taint)) {
                return NOT_TOLERATED;
            }
        }
        return Verdict.FITS;
    }

    private static boolean isRepelling(String effect) {
        return effect.equals("NoSchedule") || effect.equals("NoExecute");
    }
}
