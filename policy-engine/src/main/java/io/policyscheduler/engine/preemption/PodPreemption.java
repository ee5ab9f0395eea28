package io.policyscheduler.engine.preemption;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.preemption.ExplainedTrial.Misfit;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Preemption for one pod by the rules of one release, taken apart, for those who know of most nodes what came of them before. */
public interface PodPreemption {
    /**
     * What a search for victims on one node came to.
     *
     * @param victims null when nothing helps there
     * @param misfit why nothing helps; null when something does
     */
    record Found(@Nullable Victims victims, @Nullable Misfit misfit) {}

    /**
     * Null when the pod may preempt, else what is said instead.
     *
     * @param isHopeless whether the failed attempt has found that preemption cannot help on a node
     * @param trials gives a trial of the preemptor on a node
     */
    @Nullable
    Room objection(Predicate<NodeInfo> isHopeless, Function<NodeInfo, ExplainedTrial> trials);

    /** Looks for the fewest victims on a node. Rests on the trial, the pods of the node, and the budgets that cover them. */
    Found search(NodeInfo node, ExplainedTrial trial);

    /**
     * What is said when no node has victims.
     *
     * @param misfits how often each was found; none of them an error
     */
    Room withoutCandidates(Map<Misfit, Integer> misfits);
}
