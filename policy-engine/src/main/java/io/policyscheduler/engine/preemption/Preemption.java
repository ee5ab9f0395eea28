package io.policyscheduler.engine.preemption;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.preemption.ExplainedTrial.Misfit;
import io.policyscheduler.engine.preemption.PreemptionResult.EvictionCost;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides preemption for a pod that fits nowhere. Mirrors {@code Preempt} of
 * {@code pkg/scheduler/core/generic_scheduler.go}.
 */
public final class Preemption {
    /** What current releases say of a pod that has evicted others already. */
    public static final String VICTIMS_ARE_GOING = "not eligible due to a terminating pod on the nominated node.";

    private static final PodPreemption.Found NO_HELP = new PodPreemption.Found(null, new Misfit(List.of(), false));

    private final boolean honourPolicy;
    private final boolean respectBudgets;
    private final boolean leavesHopelessNodes;
    private final boolean countsVictims;

    /**
     * Exactly as v1.17.
     *
     * @param honourPolicy gate NonPreemptingPriority: {@code preemptionPolicy: Never} forbids preempting
     * @param respectBudgets gate PodDisruptionBudget
     */
    public Preemption(boolean honourPolicy, boolean respectBudgets) {
        this(honourPolicy, respectBudgets, false);
    }

    /**
     * As v1.17, but for pods that would wait for ever.
     *
     * @param honourPolicy gate NonPreemptingPriority: {@code preemptionPolicy: Never} forbids preempting
     * @param respectBudgets gate PodDisruptionBudget
     * @param leavesHopelessNodes victims on their way do not keep a pod from evicting others when their node would not take it even
     *     without them; v1.17 waits for them, on a dead node for ever
     */
    public Preemption(boolean honourPolicy, boolean respectBudgets, boolean leavesHopelessNodes) {
        this(honourPolicy, respectBudgets, leavesHopelessNodes, false);
    }

    private Preemption(
            boolean honourPolicy, boolean respectBudgets, boolean leavesHopelessNodes, boolean countsVictims) {
        this.honourPolicy = honourPolicy;
        this.respectBudgets = respectBudgets;
        this.leavesHopelessNodes = leavesHopelessNodes;
        this.countsVictims = countsVictims;
    }

    /** By the gates, and by the fields that count in the cluster. */
    public static Preemption of(FeatureGates gates) {
        return new Preemption(
                gates.enabled(FeatureGates.NON_PREEMPTING_PRIORITY), gates.enabled(FeatureGates.POD_DISRUPTION_BUDGET));
    }

    /** A copy that lets a pod evict others when the node for which it has evicted already would not take it any more. */
    public Preemption leavingHopelessNodes() {
        return new Preemption(honourPolicy, respectBudgets, true, countsVictims);
    }

    /**
     * Returns a copy that counts the victims of one node against each other, as current releases do: a budget that allows one
     * disruption does not allow two victims. v1.17 compares each victim with the budget alone.
     */
    public Preemption countingVictims() {
        return new Preemption(honourPolicy, respectBudgets, leavesHopelessNodes, true);
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

    /**
     * Decides.
     *
     * @param failures what the failed attempt found out about each node
     * @param trials gives a trial of the preemptor on a node
     */
    public PreemptionResult decide(
            PodInfo pod,
            ClusterView cluster,
            NominatedPods nominated,
            Map<String, NodeFailure> failures,
            Function<NodeInfo, NodeTrial> trials) {
        return decide(pod, cluster, nominated, failures, trials, CandidateReview.NONE);
    }

    /** Decides, with someone else's word on the candidates. */
    public PreemptionResult decide(
            PodInfo pod,
            ClusterView cluster,
            NominatedPods nominated,
            Map<String, NodeFailure> failures,
            Function<NodeInfo, NodeTrial> trials,
            CandidateReview review) {
        if (!isEligible(pod, cluster, trials)) {
            return PreemptionResult.nothing(false);
        }
        SortedMap<String, NodeInfo> potential = new TreeMap<>();
        for (NodeInfo node : cluster.nodes()) {
            NodeFailure failure = failures.get(node.name());
            if (failure == null || !failure.unresolvable()) {
                potential.put(node.name(), node);
            }
        }
        if (potential.isEmpty()) {
            return PreemptionResult.nothing(true);
        }
        SortedMap<String, Victims> found = new TreeMap<>();
        potential.forEach((name, node) -> {
            Victims victims = victimsOn(pod, cluster, node, trials.apply(node));
            if (victims != null) {
                found.put(name, victims);
            }
        });
        SortedMap<String, Victims> candidates =
                found.isEmpty() ? found : review.review(found).candidates();
        List<String> acceptable = EvictionCost.acceptable(candidates);
        String chosen = acceptable.isEmpty() ? null : acceptable.get(0);
        SortedMap<String, List<PodInfo>> clear = new TreeMap<>();
        for (String node : acceptable) {
            List<PodInfo> lower = nominated.on(node).stream()
                    .filter(other -> other.priority() < pod.priority())
                    .toList();
            if (!lower.isEmpty()) {
                clear.put(node, lower);
            }
        }
        return new PreemptionResult(
                true, List.copyOf(potential.keySet()), candidates, acceptable, chosen, clear, false);
    }

    /** The same for one pod, taken apart. */
    public PodPreemption of(PodInfo pod, ClusterView cluster) {
        return new PodPreemption() {
            @Override
            public @Nullable Room objection(Predicate<NodeInfo> isHopeless, Function<NodeInfo, ExplainedTrial> trials) {
                return isEligible(pod, cluster, trials::apply) ? null : Room.of(PreemptionResult.nothing(false));
            }

            @Override
            public Found search(NodeInfo node, ExplainedTrial trial) {
                Victims victims = victimsOn(pod, cluster, node, trial);
                return victims == null ? NO_HELP : new Found(victims, null);
            }

            @Override
            public Room withoutCandidates(Map<Misfit, Integer> misfits) {
                return misfits.isEmpty() ? Room.of(PreemptionResult.nothing(true)) : Room.NOTHING;
            }
        };
    }

    private boolean isEligible(PodInfo pod, ClusterView cluster, Function<NodeInfo, NodeTrial> trials) {
        if (honourPolicy && pod.spec().preemptionPolicy().equals("Never")) {
            return false;
        }
        NodeInfo node = pod.nominatedNodeName().isEmpty() ? null : cluster.node(pod.nominatedNodeName());
        if (node != null) {
            for (PodInfo other : node.pods()) {
                if (other.terminating() && other.priority() < pod.priority()) {
                    return leavesHopelessNodes && !mayFit(pod, node, trials.apply(node));
                }
            }
        }
        return true;
    }

    /** Whether the pod fits on the node once all pods of lower priority are gone. */
    public static boolean mayFit(PodInfo pod, NodeInfo node, NodeTrial trial) {
        for (PodInfo other : node.pods()) {
            if (other.priority() < pod.priority() && !trial.remove(other)) {
                return false;
            }
        }
        return trial.fits();
    }

    private @Nullable Victims victimsOn(PodInfo pod, ClusterView cluster, NodeInfo node, NodeTrial trial) {
        List<PodInfo> removed = new ArrayList<>();
        for (PodInfo other : node.pods()) {
            if (other.priority() < pod.priority()) {
                if (!trial.remove(other)) {
                    return null;
                }
                removed.add(other);
            }
        }
        if (!trial.fits()) {
            return null;
        }
        sortByImportance(removed);
        List<PodInfo> violating = new ArrayList<>();
        List<PodInfo> others = new ArrayList<>();
        BudgetCounts budgets = new BudgetCounts(cluster);
        for (PodInfo candidate : removed) {
            boolean violates = countsVictims
                    ? respectBudgets && budgets.isBrokenBy(candidate)
                    : violatesBudget(candidate, cluster);
            (violates ? violating : others).add(candidate);
        }
        List<PodInfo> victims = new ArrayList<>();
        int violations = reprieve(violating, trial, victims);
        if (violations < 0 || reprieve(others, trial, victims) < 0) {
            return null;
        }
        return new Victims(victims, violations);
    }

    /** Puts pods back as long as the preemptor still fits; returns how many had to go, or -1 on an error. */
    private static int reprieve(List<PodInfo> pods, NodeTrial trial, List<PodInfo> victims) {
        int gone = 0;
        for (PodInfo pod : pods) {
            if (!trial.add(pod)) {
                return -1;
            }
            if (!trial.fits()) {
                if (!trial.remove(pod)) {
                    return -1;
                }
                victims.add(pod);
                gone++;
            }
        }
        return gone;
    }

    private boolean violatesBudget(PodInfo pod, ClusterView cluster) {
        if (!respectBudgets || pod.labels().isEmpty()) {
            return false;
        }
        for (DisruptionBudgetInfo budget : cluster.budgets(pod.namespace())) {
            if (budget.selector() != null
                    && !budget.selector().isEmpty()
                    && budget.selector().matches(pod.labels())
                    && budget.disruptionsAllowed() <= 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * How many more pods each disruption budget lets go while pods of one node are gone through in order. Mirrors
     * {@code filterPodsWithPDBViolation} of {@code pkg/scheduler/framework/plugins/defaultpreemption}.
     */
    static final class BudgetCounts {
        private final ClusterView cluster;
        private final IdentityHashMap<DisruptionBudgetInfo, Integer> left = new IdentityHashMap<>();

        BudgetCounts(ClusterView cluster) {
            this.cluster = cluster;
        }

        /** Takes the pod off all budgets that cover it; true when one of them does not allow that. */
        boolean isBrokenBy(PodInfo pod) {
            if (pod.labels().isEmpty()) {
                return false;
            }
            boolean broken = false;
            for (DisruptionBudgetInfo budget : cluster.budgets(pod.namespace())) {
                // Evictions that the API server has let pass are already taken off.
                if (budget.covers(pod.labels()) && !budget.disruptedPods().contains(pod.name())) {
                    int allowed = left.getOrDefault(budget, budget.disruptionsAllowed()) - 1;
                    left.put(budget, allowed);
                    broken |= allowed < 0;
                }
            }
            return broken;
        }
    }

    static boolean isMoreImportant(PodInfo a, PodInfo b) {
        if (a.priority() != b.priority()) {
            return a.priority() > b.priority();
        }
        if (a.startTimeMillis() == PodInfo.NO_TIME) {
            return b.startTimeMillis() == PodInfo.NO_TIME;
        }
        return b.startTimeMillis() == PodInfo.NO_TIME || a.startTimeMillis() < b.startTimeMillis();
    }

    /** Insertion sort, as Go does for short slices. */
    static void sortByImportance(List<PodInfo> pods) {
        for (int i = 1; i < pods.size(); i++) {
            for (int j = i; j > 0 && isMoreImportant(pods.get(j), pods.get(j - 1)); j--) {
                PodInfo swap = pods.get(j);
                pods.set(j, pods.get(j - 1));
                pods.set(j - 1, swap);
            }
        }
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
