package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.framework.insight.explain.NearestFits.Fit;
import io.policyscheduler.framework.insight.explain.NodeLifts.MoreOf;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Searches for what would make a pod fit. Lifts are proposed for every node, then applied to a copy of the cluster, where the
 * pod is placed: only what passes counts. Where it does not pass, what is then in the way is lifted too, a few times; what
 * turns out not to be needed is dropped.
 */
final class FitSearch {
    private static final int ROUNDS = 5;

    /** Lifts that take away their own obstacle and no other one. */
    private static final Set<Lift.Kind> INDEPENDENT =
            Set.of(Lift.Kind.RESOURCE, Lift.Kind.CORDON, Lift.Kind.TAINT, Lift.Kind.TOLERATION, Lift.Kind.LABEL);

    private static final Comparator<Plan> NEAREST = Comparator.<Plan>comparingInt(
                    plan -> plan.lifts().size())
            .thenComparingDouble(plan -> NearestFits.effort(plan.lifts()))
            .thenComparing(Plan::node);

    private final Trials trials;
    private final LabelDemands labels;
    private final int wanted;
    private int budget;

    private final List<Fit> fits = new ArrayList<>();
    private final SortedMap<String, List<Obstacle>> unknown = new TreeMap<>();

    /** What might do for a node. */
    private record Plan(String node, List<Lift> lifts) {
        boolean forAllNodes() {
            return lifts.stream().allMatch(lift -> lift.node() == null);
        }
    }

    /**
     * A search, to be run once.
     *
     * @param wanted nodes that are enough; those with the fewest changes are all found
     * @param budget how many times the pod may be placed on trial
     */
    public FitSearch(Trials trials, LabelDemands labels, int wanted, int budget) {
        this.trials = trials;
        this.labels = labels;
        this.wanted = wanted;
        this.budget = budget;
    }

    /**
     * Searches.
     *
     * @param obstacles node to everything in the way, for the nodes that are to be looked at
     */
    public NearestFits run(Situation situation, Map<String, List<Obstacle>> obstacles) {
        LiftFinder finder = new LiftFinder(new Scene(situation, trials, labels));
        List<Plan> plans = new ArrayList<>();
        obstacles.forEach((node, all) -> {
            List<Lift> lifts = finder.find(node, all);
            if (lifts.isEmpty()) {
                unknown.put(node, all);
            } else {
                plans.add(new Plan(node, lifts));
            }
        });
        plans.sort(NEAREST);
        int left = tryAll(situation, plans, obstacles);
        fits.sort(Comparator.<Fit>comparingInt(fit -> fit.lifts().size())
                .thenComparingDouble(Fit::effort)
                .thenComparing(Fit::node));
        return new NearestFits(fits, unknown, left);
    }

    /** Returns how many plans were not tried. */
    private int tryAll(Situation situation, List<Plan> plans, Map<String, List<Obstacle>> obstacles) {
        // A change of the pod holds for every node, so one trial tells of all of them.
        Map<List<Lift>, Evaluation> ofPod = new LinkedHashMap<>();
        for (int i = 0; i < plans.size(); i++) {
            Plan plan = plans.get(i);
            boolean enough = fits.size() >= wanted
                    && plan.lifts().size() > fits.get(0).lifts().size();
            if (enough || budget <= 0) {
                return plans.size() - i;
            }
            Evaluation first = plan.forAllNodes()
                    ? ofPod.computeIfAbsent(plan.lifts(), lifts -> place(situation, lifts))
                    : placeOn(situation, plan.node(), plan.lifts());
            List<Lift> enoughLifts = complete(situation, plan, first);
            if (enoughLifts == null) {
                unknown.put(plan.node(), obstacles.getOrDefault(plan.node(), List.of()));
            } else {
                fits.add(new Fit(plan.node(), pruned(situation, plan.node(), enoughLifts)));
            }
        }
        return 0;
    }

    private Evaluation place(Situation situation, List<Lift> lifts) {
        budget--;
        return trials.place(NearestFits.apply(lifts, situation));
    }

    private Evaluation placeOn(Situation situation, String node, List<Lift> lifts) {
        budget--;
        return trials.placeOn(NearestFits.apply(lifts, situation), node);
    }

    /** The plan's lifts and those that turn out to be needed besides; null when that comes to nothing. */
    private @Nullable List<Lift> complete(Situation situation, Plan plan, Evaluation first) {
        List<Lift> lifts = plan.lifts();
        Evaluation evaluation = first;
        for (int round = 0; round < ROUNDS; round++) {
            if (evaluation.feasible().contains(plan.node())) {
                return lifts;
            }
            Situation so = NearestFits.apply(lifts, situation);
            List<Lift> more = new LiftFinder(new Scene(so, trials, labels))
                    .find(plan.node(), List.of(obstacle(evaluation, plan.node())));
            List<Lift> merged = merge(lifts, more);
            if (more.isEmpty() || merged.equals(lifts)) {
                return null;
            }
            lifts = merged;
            evaluation = placeOn(situation, plan.node(), lifts);
        }
        return evaluation.feasible().contains(plan.node()) ? lifts : null;
    }

    private static Obstacle obstacle(Evaluation evaluation, String node) {
        NodeFailure failure = evaluation.failures().get(node);
        if (failure != null) {
            return new Obstacle(failure.plugin() == null ? "" : failure.plugin(), failure.reasons());
        }
        return new Obstacle("", List.of(evaluation.error() == null ? "" : evaluation.error()));
    }

    /** Both; what is missing of one resource of a node is added up. */
    private static List<Lift> merge(List<Lift> lifts, List<Lift> more) {
        List<Lift> merged = new ArrayList<>(lifts);
        for (Lift lift : more) {
            if (lift instanceof MoreOf added) {
                merged.replaceAll(known -> known instanceof MoreOf old && sameResource(old, added)
                        ? new MoreOf(
                                old.node(),
                                old.resource(),
                                Arithmetic.SATURATING.add(old.missing(), added.missing()),
                                old.asked(),
                                old.allocatable())
                        : known);
                if (merged.stream().anyMatch(known -> known instanceof MoreOf old && sameResource(old, added))) {
                    continue;
                }
            }
            if (!merged.contains(lift)) {
                merged.add(lift);
            }
        }
        return merged;
    }

    private static boolean sameResource(MoreOf a, MoreOf b) {
        return a.node().equals(b.node()) && a.resource().equals(b.resource());
    }

    /** Without the lifts that are not needed; the pod fits with what is left. */
    private List<Lift> pruned(Situation situation, String node, List<Lift> lifts) {
        List<Lift> needed = new ArrayList<>(lifts);
        boolean independent = lifts.stream().allMatch(lift -> INDEPENDENT.contains(lift.kind()));
        if (lifts.size() > 1 && !independent) {
            for (Lift lift : lifts) {
                List<Lift> fewer = new ArrayList<>(needed);
                fewer.remove(lift);
                if (!fewer.isEmpty()
                        && placeOn(situation, node, fewer).feasible().contains(node)) {
                    needed = fewer;
                }
            }
        }
        return needed;
    }
}
