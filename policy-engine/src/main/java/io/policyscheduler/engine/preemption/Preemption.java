package io.policyscheduler.engine.preemption;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import java.util.Collections;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The rules of preemption: those of 1.17 with its feature gates, or those of a later release. {@link PodPreemption} applies them to a pod.
 *
 * @param honorsPolicy gate NonPreemptingPriority: {@code preemptionPolicy: Never} forbids preemption
 * @param respectsBudgets gate PodDisruptionBudget
 * @param leavesHopelessNodes whether a pod can evict others if victims terminate on its nominated node, which would reject it even without
 *     them; 1.17 waits for these victims, on a node that failed forever
 * @param countsVictims whether a budget that allows one disruption does not allow two victims on one node, as in later releases; 1.17
 *     compares each victim with the budget alone
 * @param isV117 whether a pod can preempt without victims, and nothing is reported, as in 1.17
 * @param waitsForPreemptedOnly whether a pod waits only for the terminating pods on its nominated node that a scheduler evicts, as since
 *     1.27; before, for all of lower priority
 */
public record Preemption(
        boolean honorsPolicy,
        boolean respectsBudgets,
        boolean leavesHopelessNodes,
        boolean countsVictims,
        boolean isV117,
        boolean waitsForPreemptedOnly) {
    /** The message of later releases about a pod that has evicted others already. */
    public static final String VICTIMS_ARE_GOING = "not eligible due to a terminating pod on the nominated node.";

    /** The rules of 1.17 with two feature gates. */
    public Preemption(boolean honorsPolicy, boolean respectsBudgets) {
        this(honorsPolicy, respectsBudgets, false);
    }

    /** The rules of 1.17, optionally without pods that wait forever. */
    public Preemption(boolean honorsPolicy, boolean respectsBudgets, boolean leavesHopelessNodes) {
        this(honorsPolicy, respectsBudgets, leavesHopelessNodes, false, true, false);
    }

    /** The rules of 1.17 with these gates. */
    public static Preemption of(FeatureGates gates) {
        return new Preemption(
                gates.enabled(FeatureGates.NON_PREEMPTING_PRIORITY), gates.enabled(FeatureGates.POD_DISRUPTION_BUDGET));
    }

    /** The rules of a release since 1.18. */
    public static Preemption current(boolean waitsForPreemptedOnly) {
        return new Preemption(true, true, true, true, false, waitsForPreemptedOnly);
    }

    /** Returns a copy that lets a pod evict others if its nominated node would reject it even without its victims. */
    public Preemption leavingHopelessNodes() {
        return new Preemption(honorsPolicy, respectsBudgets, true, countsVictims, isV117, waitsForPreemptedOnly);
    }

    /** Returns a copy that counts the victims of one node against each other. */
    public Preemption countingVictims() {
        return new Preemption(honorsPolicy, respectsBudgets, leavesHopelessNodes, true, isV117, waitsForPreemptedOnly);
    }

    /**
     * Returns the rules for a cluster: those of v1.17 without the errors that hurt users.
     *
     * @param strictV117 whether victims are compared with budgets as in v1.17
     */
    public static Preemption live(FeatureGates gates, boolean strictV117) {
        Preemption rules = of(gates).leavingHopelessNodes();
        return strictV117 ? rules : rules.countingVictims();
    }

    /** Returns the preemption for one pod. */
    public PodPreemption forPod(PodInfo pod, ClusterView cluster, NominatedPods nominated) {
        return new PodPreemption(this, pod, cluster, nominated);
    }

    /** Has a last word on the nodes where preemption would help, before one is chosen; for extenders. */
    @FunctionalInterface
    public interface CandidateReview {
        /** Accepts all. */
        CandidateReview NONE = candidates -> new Reviewed(candidates, null);

        /**
         * What is left.
         *
         * @param candidates possibly with other victims; empty to abandon preemption
         * @param error why it could not be said, by the rules of current releases; null when it could
         */
        record Reviewed(
                SortedMap<String, Victims> candidates,
                @Nullable String error) {
            /** Nothing. */
            public static final Reviewed NOTHING = new Reviewed(Collections.emptySortedMap(), null);

            public static Reviewed failed(String error) {
                return new Reviewed(Collections.emptySortedMap(), error);
            }
        }

        /**
         * The candidates that are left, possibly with other victims.
         *
         * @param candidates not empty
         */
        Reviewed review(SortedMap<String, Victims> candidates);
    }
}
