package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.algorithm.Evaluation.FitErrorText;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PodPreemption.NodeTrial.Misfit;
import io.policyscheduler.engine.placement.Preemption.CandidateReview;
import io.policyscheduler.engine.placement.PreemptionResult.EvictionCost;
import io.policyscheduler.engine.placement.PreemptionResult.PreemptionPlan;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Preemption for an unschedulable pod. Mirrors {@code Preempt} of {@code pkg/scheduler/core/generic_scheduler.go} of 1.17, and
 * {@code pkg/scheduler/framework/preemption/preemption.go} and {@code pkg/scheduler/framework/plugins/defaultpreemption} since
 * then.
 */
public final class PodPreemption {
    private static final String NOT_HELPFUL = "Preemption is not helpful for scheduling";
    private static final String NO_CANDIDATE = "no candidate node for preemption";
    private static final Misfit NO_VICTIMS = new Misfit(List.of("No preemption victims found for incoming pod"), false);

    /**
     * The result of the search for victims on one node.
     *
     * @param victims null if preemption does not help
     * @param misfit the reason why it does not help; null if there are victims
     */
    public record VictimSearch(
            @Nullable Victims victims, @Nullable Misfit misfit) {}

    private final Preemption rules;
    private final PodInfo pod;
    private final ClusterView cluster;
    private final NominatedPods nominated;

    PodPreemption(Preemption rules, PodInfo pod, ClusterView cluster, NominatedPods nominated) {
        this.rules = rules;
        this.pod = pod;
        this.cluster = cluster;
        this.nominated = nominated;
    }

    /** Runs without extenders; see {@link #decide(Map, Function, CandidateReview)}. */
    public PreemptionResult decide(Map<String, NodeFailure> failures, Function<NodeInfo, ? extends NodeTrial> trials) {
        return decide(failures, trials, CandidateReview.NONE);
    }

    /**
     * Searches all nodes where preemption may help.
     *
     * @param failures the results of the failed attempt for each node; a missing node counts as resolvable
     * @param trials returns a trial of the preemptor on a node
     * @param review reviews the candidates
     */
    public PreemptionResult decide(
            Map<String, NodeFailure> failures, Function<NodeInfo, ? extends NodeTrial> trials, CandidateReview review) {
        String ineligible = ineligible(node -> isHopeless(failures.get(node.name())), trials);
        if (ineligible != null) {
            return nothing(false, false, List.of(), ineligible, null);
        }
        SortedMap<String, NodeInfo> potential = new TreeMap<>();
        for (NodeInfo node : cluster.nodes()) {
            if (!isHopeless(failures.get(node.name()))) {
                potential.put(node.name(), node);
            }
        }
        List<String> names = List.copyOf(potential.keySet());
        SortedMap<String, Victims> found = new TreeMap<>();
        Map<Misfit, Integer> misfits = new HashMap<>();
        Set<String> errors = new LinkedHashSet<>();
        potential.forEach((name, node) -> {
            VictimSearch on = search(node, trials.apply(node));
            Misfit misfit = on.misfit();
            if (on.victims() != null) {
                found.put(name, on.victims());
            } else if (misfit != null) {
                misfits.merge(misfit, 1, Integer::sum);
                if (misfit.error()) {
                    errors.addAll(misfit.reasons());
                }
            }
        });
        if (found.isEmpty()) {
            return errors.isEmpty() || !rules.changes().reportsErrors()
                    ? withoutCandidates(names, misfits)
                    : nothing(true, false, names, "", aggregate(errors));
        }
        CandidateReview.Reviewed reviewed = review.review(found);
        SortedMap<String, Victims> candidates = reviewed.candidates();
        if (candidates.isEmpty()) {
            String error = reviewed.error();
            return nothing(true, false, names, error == null ? NO_CANDIDATE : "", error);
        }
        List<String> acceptable = EvictionCost.acceptable(candidates);
        return new PreemptionResult(
                true, names, candidates, acceptable, acceptable.get(0), clearNominations(acceptable), false);
    }

    /** @param clearOwn whether the pod loses its nomination */
    private PreemptionResult nothing(
            boolean eligible, boolean clearOwn, List<String> potential, String message, @Nullable String error) {
        return new PreemptionResult(
                eligible,
                potential,
                new TreeMap<>(),
                List.of(),
                null,
                new TreeMap<>(),
                clearOwn,
                rules.isV117() ? "" : message,
                rules.isV117() ? null : error);
    }

    /** In 1.17, a pod keeps its nomination if preemption was tried on a node. */
    private PreemptionResult withoutCandidates(List<String> potential, Map<Misfit, Integer> misfits) {
        return rules.isV117()
                ? nothing(true, misfits.isEmpty(), potential, "", null)
                : nothing(true, true, potential, unfit(misfits), null);
    }

    private static String aggregate(Set<String> errors) {
        return errors.size() == 1 ? errors.iterator().next() : "[" + String.join(", ", errors) + "]";
    }

    private static boolean isHopeless(@Nullable NodeFailure failure) {
        return failure != null && failure.unresolvable();
    }

    /**
     * Returns null if the pod may preempt, else the result.
     *
     * @param isHopeless whether the failed attempt found that preemption cannot help on a node
     * @param trials returns a trial of the preemptor on a node
     */
    public @Nullable PreemptionPlan objection(
            Predicate<NodeInfo> isHopeless, Function<NodeInfo, ? extends NodeTrial> trials) {
        String ineligible = ineligible(isHopeless, trials);
        return ineligible == null ? null : PreemptionPlan.of(nothing(false, false, List.of(), ineligible, null));
    }

    /**
     * Returns the result if no node has victims.
     *
     * @param misfits the number of nodes with each reason; none is an error
     */
    public PreemptionPlan withoutCandidates(Map<Misfit, Integer> misfits) {
        return PreemptionPlan.of(withoutCandidates(List.of(), misfits));
    }

    private @Nullable String ineligible(
            Predicate<NodeInfo> isHopeless, Function<NodeInfo, ? extends NodeTrial> trials) {
        if (rules.honorsPolicy() && pod.spec().preemptionPolicy().equals("Never")) {
            return "not eligible due to preemptionPolicy=Never.";
        }
        NodeInfo node = pod.nominatedNodeName().isEmpty() ? null : cluster.node(pod.nominatedNodeName());
        if (node == null || !hasTerminatingVictim(node)) {
            return null;
        }
        boolean isLeft = rules.isV117()
                ? rules.skipsUnresolvableNodes() && !mayFit(pod, node, trials.apply(node))
                : rules.skipsUnresolvableNodes() && isHopeless.test(node);
        return isLeft ? null : Preemption.VICTIMS_ARE_GOING;
    }

    private boolean hasTerminatingVictim(NodeInfo node) {
        for (PodInfo other : node.pods()) {
            if (mayBeVictim(pod, other)
                    && other.terminating()
                    && (other.preempted() || !rules.changes().waitsForPreemptedOnly())) {
                return true;
            }
        }
        return false;
    }

    /** Whether {@code other} may be evicted for {@code pod}. */
    private static boolean mayBeVictim(PodInfo pod, PodInfo other) {
        return isLower(pod, other);
    }

    private static boolean isLower(PodInfo pod, PodInfo other) {
        return other.priority() < pod.priority();
    }

    /** Returns whether the pod fits on the node without the pods that may be victims. */
    public static boolean mayFit(PodInfo pod, NodeInfo node, NodeTrial trial) {
        for (PodInfo other : node.pods()) {
            if (mayBeVictim(pod, other) && !trial.remove(other)) {
                return false;
            }
        }
        return trial.fits();
    }

    /**
     * Searches the fewest victims on a node. The result depends on the trial, the pods of the node, and the budgets that cover
     * them.
     */
    public VictimSearch search(NodeInfo node, NodeTrial trial) {
        Search search = new Search(trial);
        Misfit misfit = search.run(node);
        if (misfit == null) {
            return new VictimSearch(new Victims(search.victims, search.violations), null);
        }
        return new VictimSearch(null, rules.isV117() ? Misfit.UNREPORTED : misfit);
    }

    /** The search for the fewest victims on one node. */
    private final class Search {
        private final NodeTrial trial;
        private final List<PodInfo> victims = new ArrayList<>();
        private int violations;

        Search(NodeTrial trial) {
            this.trial = trial;
        }

        @Nullable
        Misfit run(NodeInfo node) {
            List<PodInfo> lower = new ArrayList<>();
            for (PodInfo other : node.pods()) {
                if (mayBeVictim(pod, other)) {
                    lower.add(other);
                }
            }
            if (lower.isEmpty() && rules.changes().skipsEmptyNodes()) {
                return NO_VICTIMS;
            }
            for (PodInfo other : lower) {
                if (!trial.remove(other)) {
                    return failed(trial.error());
                }
            }
            Misfit misfit = trial.check();
            if (misfit != null) {
                return misfit;
            }
            sortByImportance(lower);
            List<PodInfo> violating = new ArrayList<>();
            List<PodInfo> others = new ArrayList<>();
            BudgetCounts budgets =
                    new BudgetCounts(cluster, rules.isV117() || rules.changes().honorsDisruptedPods());
            for (PodInfo candidate : lower) {
                boolean violates = rules.respectsBudgets()
                        && (rules.countsVictims() ? budgets.isBrokenBy(candidate) : violatesBudget(candidate));
                (violates ? violating : others).add(candidate);
            }
            if (!reprieve(violating)) {
                return failed(trial.error());
            }
            violations = victims.size();
            if (!reprieve(others)) {
                return failed(trial.error());
            }
            if (victims.isEmpty() && rules.changes().requiresVictims()) {
                return failed("expected at least one victim pod on node \"" + node.name() + "\"");
            }
            if (rules.changes().sortsVictims() && !violating.isEmpty() && !others.isEmpty()) {
                sortByImportance(victims);
            }
            return null;
        }

        private static Misfit failed(String error) {
            return new Misfit(List.of(error), true);
        }

        /** Adds pods again as long as the preemptor still fits; returns false on an error. */
        private boolean reprieve(List<PodInfo> pods) {
            for (PodInfo other : pods) {
                if (!trial.add(other)) {
                    return false;
                }
                if (!trial.fits()) {
                    if (!trial.remove(other)) {
                        return false;
                    }
                    victims.add(other);
                }
            }
            return true;
        }
    }

    /** Nodes that were not tried, and those without a reason, count as not helpful. */
    private String unfit(Map<Misfit, Integer> misfits) {
        Map<String, Integer> counts = new TreeMap<>();
        int tried = 0;
        for (Map.Entry<Misfit, Integer> misfit : misfits.entrySet()) {
            misfit.getKey().reasons().forEach(reason -> counts.merge(reason, misfit.getValue(), Integer::sum));
            tried += misfit.getValue();
        }
        int all = cluster.nodes().size();
        if (tried < all) {
            counts.merge(NOT_HELPFUL, all - tried, Integer::sum);
        }
        return FitErrorText.of(all, counts);
    }

    private SortedMap<String, List<PodInfo>> clearNominations(List<String> acceptable) {
        SortedMap<String, List<PodInfo>> clear = new TreeMap<>();
        for (String node : acceptable) {
            List<PodInfo> lower = nominated.on(node).stream()
                    .filter(other -> isLower(pod, other))
                    .toList();
            if (!lower.isEmpty()) {
                clear.put(node, lower);
            }
        }
        return clear;
    }

    private boolean violatesBudget(PodInfo candidate) {
        if (candidate.labels().isEmpty()) {
            return false;
        }
        for (DisruptionBudgetInfo budget : cluster.budgets(candidate.namespace())) {
            if (budget.selector() != null
                    && !budget.selector().isEmpty()
                    && budget.selector().matches(candidate.labels())
                    && budget.disruptionsAllowed() <= 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * How many more disruptions each budget allows while the pods of one node are visited in order. Mirrors
     * {@code filterPodsWithPDBViolation} of {@code pkg/scheduler/framework/plugins/defaultpreemption}.
     */
    static final class BudgetCounts {
        private final ClusterView cluster;
        private final boolean honorsDisruptedPods;
        private final IdentityHashMap<DisruptionBudgetInfo, Integer> remaining = new IdentityHashMap<>();

        BudgetCounts(ClusterView cluster, boolean honorsDisruptedPods) {
            this.cluster = cluster;
            this.honorsDisruptedPods = honorsDisruptedPods;
        }

        /** Subtracts the pod from all budgets that cover it; true if one of them is violated. */
        boolean isBrokenBy(PodInfo pod) {
            if (pod.labels().isEmpty()) {
                return false;
            }
            boolean broken = false;
            for (DisruptionBudgetInfo budget : cluster.budgets(pod.namespace())) {
                // Evictions that the API server has allowed are already subtracted.
                boolean isSubtracted =
                        honorsDisruptedPods && budget.disruptedPods().contains(pod.name());
                if (budget.covers(pod.labels()) && !isSubtracted) {
                    int allowed = remaining.getOrDefault(budget, budget.disruptionsAllowed()) - 1;
                    remaining.put(budget, allowed);
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

    /** A trial on a copy of one node that removes pods and adds them again, to check whether the preemptor fits. */
    public interface NodeTrial {
        /**
         * The reason why the preemptor does not fit.
         *
         * @param reasons texts for users, or the text of an error
         * @param error whether the trial itself failed
         */
        record Misfit(List<String> reasons, boolean error) {
            /** A reason that is not reported. */
            public static final Misfit UNREPORTED = new Misfit(List.of(), false);

            public Misfit {
                reasons = List.copyOf(reasons);
            }
        }

        /** Removes a pod; returns false on an error. */
        boolean remove(PodInfo pod);

        /** Adds a pod again; returns false on an error. */
        boolean add(PodInfo pod);

        /** Returns null if the preemptor fits now, else the reason. Nominated pods count. */
        @Nullable
        Misfit check();

        /** The error of the last {@link #add} or {@link #remove} that failed; empty if there is none, or if it is not reported. */
        default String error() {
            return "";
        }

        /** Returns whether the preemptor fits now; false on an error. */
        default boolean fits() {
            return check() == null;
        }
    }
}
