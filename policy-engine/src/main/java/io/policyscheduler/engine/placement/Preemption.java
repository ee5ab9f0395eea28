package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import java.util.Collections;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The rules of preemption: those of 1.17 with its feature gates, or those of a later release. {@link PodPreemption} applies them to
 * a pod.
 *
 * @param honorsPolicy gate NonPreemptingPriority: {@code preemptionPolicy: Never} forbids preemption
 * @param respectsBudgets gate PodDisruptionBudget
 * @param skipsUnresolvableNodes whether a pod can evict others if victims terminate on its nominated node, which would reject it even
 *     without them; 1.17 waits for these victims, on a node that failed forever
 * @param countsVictims whether several victims on one node count together against a budget, as in later releases; 1.17 compares
 *     each victim separately
 * @param isV117 whether a pod can preempt without victims, and nothing is reported, as in 1.17
 * @param changes what later releases changed; all false for 1.17
 */
public record Preemption(
        boolean honorsPolicy,
        boolean respectsBudgets,
        boolean skipsUnresolvableNodes,
        boolean countsVictims,
        boolean isV117,
        Changes changes) {
    /** The message of later releases about a pod that has already preempted others. */
    public static final String VICTIMS_ARE_GOING = "not eligible due to a terminating pod on the nominated node.";

    /**
     * The changes of preemption after 1.17.
     *
     * @param skipsEmptyNodes whether nodes without pods of lower priority are not tried
     * @param keepsUnresolvableNominations whether a pod whose nominated node fails forever can preempt again
     * @param honorsDisruptedPods whether a budget that already counts a victim in {@code status.disruptedPods} allows its eviction
     * @param requiresVictims whether it is an error that a pod fits without victims
     * @param reportsErrors whether an error on a node is reported if no node has victims; before, it is a reason of that node
     * @param waitsForPreemptedOnly whether a pod waits only for the terminating pods on its nominated node that a scheduler evicts; before,
     *     for all of lower priority
     * @param sortsVictims whether victims are sorted by importance if some of them violate a budget; before, these are first
     */
    public record Changes(
            boolean skipsEmptyNodes,
            boolean keepsUnresolvableNominations,
            boolean honorsDisruptedPods,
            boolean requiresVictims,
            boolean reportsErrors,
            boolean waitsForPreemptedOnly,
            boolean sortsVictims) {
        /** 1.17. */
        static final Changes NONE = new Changes(false, false, false, false, false, false, false);

        /** The changes of a release. */
        public static Changes of(Release release) {
            return new Changes(
                    SchedulerChange.EMPTY_NODES_ARE_SKIPPED.in(release),
                    SchedulerChange.UNRESOLVABLE_NOMINATED_NODE.in(release),
                    SchedulerChange.DISRUPTED_PODS_ARE_ALLOWED.in(release),
                    SchedulerChange.PREEMPTION_NEEDS_VICTIMS.in(release),
                    SchedulerChange.PREEMPTION_ERRORS.in(release),
                    SchedulerChange.TERMINATING_VICTIMS.in(release),
                    SchedulerChange.VICTIMS_ARE_SORTED.in(release));
        }
    }

    /** The rules of 1.17 with two feature gates. */
    public Preemption(boolean honorsPolicy, boolean respectsBudgets) {
        this(honorsPolicy, respectsBudgets, false);
    }

    /** The rules of 1.17, optionally without pods that wait forever. */
    public Preemption(boolean honorsPolicy, boolean respectsBudgets, boolean leavesHopelessNodes) {
        this(honorsPolicy, respectsBudgets, leavesHopelessNodes, false, true, Changes.NONE);
    }

    /** The rules of 1.17 with these gates. */
    public static Preemption of(FeatureGates gates) {
        return new Preemption(
                gates.enabled(FeatureGates.NON_PREEMPTING_PRIORITY), gates.enabled(FeatureGates.POD_DISRUPTION_BUDGET));
    }

    /** The rules of a release since 1.18. */
    public static Preemption current(Release release) {
        Changes changes = Changes.of(release);
        return new Preemption(true, true, changes.keepsUnresolvableNominations(), true, false, changes);
    }

    /** Returns a copy that lets a pod evict others if its nominated node would reject it even without its victims. */
    public Preemption leavingHopelessNodes() {
        return new Preemption(honorsPolicy, respectsBudgets, true, countsVictims, isV117, changes);
    }

    /** Returns a copy that counts the victims of one node against each other. */
    public Preemption countingVictims() {
        return new Preemption(honorsPolicy, respectsBudgets, skipsUnresolvableNodes, true, isV117, changes);
    }

    /**
     * Returns the rules for a cluster: those of v1.17 without its harmful bugs.
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

    /** Reviews the candidates before one is selected; for extenders. */
    @FunctionalInterface
    public interface CandidateReview {
        /** Accepts all. */
        CandidateReview NONE = candidates -> new Reviewed(candidates, null);

        /**
         * The remaining candidates.
         *
         * @param candidates possibly with other victims; empty to end preemption
         * @param error the error of the review, with the rules of current releases; null for none
         */
        record Reviewed(
                SortedMap<String, Victims> candidates,
                @Nullable String error) {
            /** No candidates. */
            public static final Reviewed NOTHING = new Reviewed(Collections.emptySortedMap(), null);

            public static Reviewed failed(String error) {
                return new Reviewed(Collections.emptySortedMap(), error);
            }
        }

        /**
         * Reviews the candidates and their victims.
         *
         * @param candidates not empty
         */
        Reviewed review(SortedMap<String, Victims> candidates);
    }
}
