package io.policyscheduler.engine.preemption;

import io.policyscheduler.engine.algorithm.FitErrorText;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.ExplainedTrial.Misfit;
import io.policyscheduler.engine.preemption.Preemption.BudgetCounts;
import io.policyscheduler.engine.preemption.Preemption.CandidateReview;
import io.policyscheduler.engine.preemption.PreemptionResult.EvictionCost;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import java.util.ArrayList;
import java.util.HashMap;
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
 * Decides preemption for a pod that fits nowhere, by the rules of current releases, over all nodes where it may help. Mirrors
 * {@code Preempt} of {@code pkg/scheduler/framework/preemption/preemption.go} and
 * {@code pkg/scheduler/framework/plugins/defaultpreemption}.
 */
public final class ModernPreemption implements PodPreemption {
    private static final String NOT_HELPFUL = "Preemption is not helpful for scheduling";
    private static final String NO_CANDIDATE = "no candidate node for preemption";
    private static final Misfit NO_VICTIMS = new Misfit(List.of("No preemption victims found for incoming pod"), false);

    private final PodInfo pod;
    private final ClusterView cluster;
    private final NominatedPods nominated;
    private final Map<String, NodeFailure> failures;
    private final boolean waitsForPreemptedOnly;

    /**
     * Preemption for one pod.
     *
     * @param failures what the failed attempt found out about each node; a node that is missing counts as resolvable
     * @param waitsForPreemptedOnly whether of the pods that end on the node promised to the pod only those are waited for that a
     *     scheduler evicts; before 1.27 all of lower priority were
     */
    public ModernPreemption(
            PodInfo pod,
            ClusterView cluster,
            NominatedPods nominated,
            Map<String, NodeFailure> failures,
            boolean waitsForPreemptedOnly) {
        this.pod = pod;
        this.cluster = cluster;
        this.nominated = nominated;
        this.failures = failures;
        this.waitsForPreemptedOnly = waitsForPreemptedOnly;
    }

    /**
     * Decides.
     *
     * @param trials gives a trial of the preemptor on a node
     * @param review has a word on the candidates
     */
    public PreemptionResult decide(Function<NodeInfo, ExplainedTrial> trials, CandidateReview review) {
        String ineligible = ineligible(node -> isHopeless(failures.get(node.name())));
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
        List<Misfit> misfits = new ArrayList<>();
        Set<String> errors = new LinkedHashSet<>();
        potential.forEach((name, node) -> {
            Found on = search(node, trials.apply(node));
            Misfit misfit = on.misfit();
            if (on.victims() != null) {
                found.put(name, on.victims());
            } else if (misfit != null) {
                misfits.add(misfit);
                if (misfit.error()) {
                    errors.addAll(misfit.reasons());
                }
            }
        });
        if (found.isEmpty()) {
            return errors.isEmpty()
                    ? nothing(true, true, names, unfit(counts(misfits)), null)
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

    /** @param clearOwn whether the pod is not nominated any more */
    private static PreemptionResult nothing(
            boolean eligible, boolean clearOwn, List<String> potential, String message, @Nullable String error) {
        return new PreemptionResult(
                eligible, potential, new TreeMap<>(), List.of(), null, new TreeMap<>(), clearOwn, message, error);
    }

    private static String aggregate(Set<String> errors) {
        return errors.size() == 1 ? errors.iterator().next() : "[" + String.join(", ", errors) + "]";
    }

    private static boolean isHopeless(@Nullable NodeFailure failure) {
        return failure != null && failure.unresolvable();
    }

    @Override
    public @Nullable Room objection(Predicate<NodeInfo> isHopeless, Function<NodeInfo, ExplainedTrial> trials) {
        String ineligible = ineligible(isHopeless);
        return ineligible == null ? null : Room.of(nothing(false, false, List.of(), ineligible, null));
    }

    @Override
    public Found search(NodeInfo node, ExplainedTrial trial) {
        List<PodInfo> victims = new ArrayList<>();
        Search search = new Search(trial, victims);
        Misfit misfit = search.run(node);
        return misfit == null ? new Found(new Victims(victims, search.violations), null) : new Found(null, misfit);
    }

    @Override
    public Room withoutCandidates(Map<Misfit, Integer> misfits) {
        return Room.of(nothing(true, true, List.of(), unfit(misfits), null));
    }

    private @Nullable String ineligible(Predicate<NodeInfo> isHopeless) {
        if (pod.spec().preemptionPolicy().equals("Never")) {
            return "not eligible due to preemptionPolicy=Never.";
        }
        NodeInfo node = pod.nominatedNodeName().isEmpty() ? null : cluster.node(pod.nominatedNodeName());
        if (node == null || isHopeless.test(node)) {
            return null;
        }
        for (PodInfo other : node.pods()) {
            if (isLower(other) && other.terminating() && (other.preempted() || !waitsForPreemptedOnly)) {
                return Preemption.VICTIMS_ARE_GOING;
            }
        }
        return null;
    }

    private boolean isLower(PodInfo other) {
        return other.priority() < pod.priority();
    }

    private static Map<Misfit, Integer> counts(List<Misfit> misfits) {
        Map<Misfit, Integer> counts = new HashMap<>();
        misfits.forEach(misfit -> counts.merge(misfit, 1, Integer::sum));
        return counts;
    }

    /** Nodes that were not tried, and those without any reason, count as not helpful. */
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
            List<PodInfo> lower =
                    nominated.on(node).stream().filter(this::isLower).toList();
            if (!lower.isEmpty()) {
                clear.put(node, lower);
            }
        }
        return clear;
    }

    /** The search for the fewest victims on one node. */
    private final class Search {
        private final ExplainedTrial trial;
        private final List<PodInfo> victims;
        private int violations;

        Search(ExplainedTrial trial, List<PodInfo> victims) {
            this.trial = trial;
            this.victims = victims;
        }

        @Nullable
        Misfit run(NodeInfo node) {
            List<PodInfo> lower = new ArrayList<>();
            for (PodInfo other : node.pods()) {
                if (isLower(other)) {
                    lower.add(other);
                }
            }
            if (lower.isEmpty()) {
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
            Preemption.sortByImportance(lower);
            List<PodInfo> violating = new ArrayList<>();
            List<PodInfo> others = new ArrayList<>();
            BudgetCounts budgets = new BudgetCounts(cluster);
            for (PodInfo candidate : lower) {
                (budgets.isBrokenBy(candidate) ? violating : others).add(candidate);
            }
            if (!reprieve(violating)) {
                return failed(trial.error());
            }
            violations = victims.size();
            if (!reprieve(others)) {
                return failed(trial.error());
            }
            if (victims.isEmpty()) {
                return failed("expected at least one victim pod on node \"" + node.name() + "\"");
            }
            if (!violating.isEmpty() && !others.isEmpty()) {
                Preemption.sortByImportance(victims);
            }
            return null;
        }

        private static Misfit failed(String error) {
            return new Misfit(List.of(error), true);
        }

        /** Puts pods back as long as the preemptor still fits; false on an error. */
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
}
