package io.policyscheduler.framework.insight.compare.decider;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.engine.preemption.PreemptionResult;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decides what a running scheduler would let into its queue; another pod has no place, for the reason that holds it back. */
final class GatedDecider implements DetailedDecider {
    private final DetailedDecider decider;
    private final List<PreEnqueuePlugin> gates;

    /** Asks the gates in this order, then the decider. */
    GatedDecider(DetailedDecider decider, List<PreEnqueuePlugin> gates) {
        this.decider = decider;
        this.gates = ImmutableList.copyOf(gates);
    }

    private @Nullable String heldBack(PodInfo pod) {
        for (PreEnqueuePlugin gate : gates) {
            Status status = gate.preEnqueue(pod);
            if (!status.isSuccess()) {
                return String.join(", ", status.reasons());
            }
        }
        return null;
    }

    @Override
    public CycleState newState() {
        return decider.newState();
    }

    @Override
    public Decision decide(PodInfo pod, NominatedPods nominated, CycleState state) {
        String reason = heldBack(pod);
        return reason == null
                ? decider.decide(pod, nominated, state)
                : new Decision(Decision.Kind.ERROR, null, 0, reason, 0, 0);
    }

    @Override
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated) {
        String reason = heldBack(pod);
        return reason == null ? decider.evaluate(pod, nominated) : Evaluation.failed(reason);
    }

    @Override
    public Ranking rank(PodInfo pod, NominatedPods nominated) {
        String reason = heldBack(pod);
        return reason == null ? decider.rank(pod, nominated) : Ranking.failed(reason);
    }

    @Override
    public Evaluation evaluateRanked(PodInfo pod, NominatedPods nominated) {
        String reason = heldBack(pod);
        return reason == null ? decider.evaluateRanked(pod, nominated) : Evaluation.failed(reason);
    }

    @Override
    public Evaluation evaluateOn(PodInfo pod, NominatedPods nominated, NodeInfo node) {
        String reason = heldBack(pod);
        return reason == null ? decider.evaluateOn(pod, nominated, node) : Evaluation.failed(reason);
    }

    @Override
    public String postFilterText(PodInfo pod, NominatedPods nominated) {
        return heldBack(pod) == null ? decider.postFilterText(pod, nominated) : "";
    }

    @Override
    public PreemptionResult preempt(
            PodInfo pod, NominatedPods nominated, Evaluation evaluation, Preemption preemption) {
        return decider.preempt(pod, nominated, evaluation, preemption);
    }
}
