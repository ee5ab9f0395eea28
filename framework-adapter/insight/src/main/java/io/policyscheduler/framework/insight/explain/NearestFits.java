package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.framework.insight.explain.Explanation.Obstacle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The smallest changes that make a pod schedulable.
 *
 * @param fits nodes with the changes that make them feasible, the fewest changes first; each was tested
 * @param unknown nodes for which no change is known, with their obstacles
 * @param notTried the number of nodes that need more changes than others, or that are too many to test
 */
public record NearestFits(List<Fit> fits, SortedMap<String, List<Obstacle>> unknown, int notTried) {
    /**
     * A node on which the pod fits after some changes.
     *
     * @param remedies none can be left out
     */
    public record Fit(String node, List<Remedy> remedies) {
        public Fit {
            remedies = List.copyOf(remedies);
        }

        /** The situation after all changes. */
        public Remedy.Situation apply(Remedy.Situation before) {
            return NearestFits.apply(remedies, before);
        }

        double effort() {
            return NearestFits.effort(remedies);
        }
    }

    public NearestFits {
        fits = List.copyOf(fits);
        unknown = Collections.unmodifiableSortedMap(new TreeMap<>(unknown));
    }

    /**
     * The node that comes closest if each node is too small for the pod even when it is empty; empty if a node is large enough, or if
     * other changes are needed that do not concern resources.
     */
    public Optional<Fit> tooSmall() {
        boolean all = !fits.isEmpty()
                && unknown.isEmpty()
                && fits.stream().allMatch(fit -> fit.remedies().stream().anyMatch(Remedy::exceedsNode));
        return all ? fits.stream().min(Comparator.comparingDouble(NearestFits::excess)) : Optional.empty();
    }

    /** Returns the same changes in the order of what the empty nodes lack, the least first; see {@link #tooSmall}. */
    public NearestFits smallestShortfallFirst() {
        return new NearestFits(
                fits.stream()
                        .sorted(Comparator.comparingDouble(NearestFits::excess))
                        .toList(),
                unknown,
                notTried);
    }

    private static double excess(Fit fit) {
        return fit.remedies().stream()
                .filter(Remedy::exceedsNode)
                .mapToDouble(Remedy::effort)
                .sum();
    }

    /** Fits by their changes, as texts, in the order of {@link #fits}. */
    public Map<List<String>, List<Fit>> groups() {
        Map<List<String>, List<Fit>> groups = new LinkedHashMap<>();
        for (Fit fit : fits) {
            groups.computeIfAbsent(fit.remedies().stream().map(Remedy::text).toList(), key -> new ArrayList<>())
                    .add(fit);
        }
        return groups;
    }

    static Remedy.Situation apply(List<Remedy> remedies, Remedy.Situation before) {
        Remedy.Situation after = before;
        for (Remedy remedy : remedies) {
            after = remedy.apply(after);
        }
        return after;
    }

    static double effort(List<Remedy> remedies) {
        return remedies.stream().mapToDouble(Remedy::effort).sum();
    }

    /**
     * A search for the fewest remedies that make a pod schedulable. It proposes remedies for each node, applies them to a copy of the
     * snapshot, and schedules the pod there, so that each result is tested. If another filter then rejects the node, it adds remedies for
     * this filter, a few times. It removes remedies that are not needed.
     */
    static final class Search {
        private static final int ROUNDS = 5;

        /** Remedies that remove their own obstacle only. */
        private static final Set<Remedy.Kind> INDEPENDENT = Set.of(
                Remedy.Kind.RESOURCE, Remedy.Kind.CORDON, Remedy.Kind.TAINT, Remedy.Kind.TOLERATION, Remedy.Kind.LABEL);

        private static final Comparator<Plan> NEAREST = Comparator.<Plan>comparingInt(
                        plan -> plan.remedies().size())
                .thenComparingDouble(plan -> NearestFits.effort(plan.remedies()))
                .thenComparing(Plan::node);

        private final TrialScheduler trials;
        private final Explainer.RequiredLabels labels;
        private final int limit;
        private int budget;

        private final List<Fit> fits = new ArrayList<>();
        private final SortedMap<String, List<Obstacle>> unknown = new TreeMap<>();

        /** The proposed remedies of a node. */
        private record Plan(String node, List<Remedy> remedies) {
            boolean forAllNodes() {
                return remedies.stream().allMatch(remedy -> remedy.node() == null);
            }
        }

        /**
         * A search, to be run once.
         *
         * @param limit number of nodes that is enough; nodes with the fewest changes are always complete
         * @param budget maximum number of trials
         */
        Search(TrialScheduler trials, Explainer.RequiredLabels labels, int limit, int budget) {
            this.trials = trials;
            this.labels = labels;
            this.limit = limit;
            this.budget = budget;
        }

        /**
         * Runs the search.
         *
         * @param obstacles all obstacles by node, for the nodes to search
         */
        NearestFits run(Remedy.Situation situation, Map<String, List<Obstacle>> obstacles) {
            RemedyFinder finder = new RemedyFinder(situation, trials, labels);
            List<Plan> plans = new ArrayList<>();
            obstacles.forEach((node, all) -> {
                List<Remedy> remedies = finder.find(node, all);
                if (remedies.isEmpty()) {
                    unknown.put(node, all);
                } else {
                    plans.add(new Plan(node, remedies));
                }
            });
            plans.sort(NEAREST);
            int left = tryAll(situation, plans, obstacles);
            fits.sort(Comparator.<Fit>comparingInt(fit -> fit.remedies().size())
                    .thenComparingDouble(Fit::effort)
                    .thenComparing(Fit::node));
            return new NearestFits(fits, unknown, left);
        }

        /** Returns the number of plans that were not tried. */
        private int tryAll(Remedy.Situation situation, List<Plan> plans, Map<String, List<Obstacle>> obstacles) {
            // A change of the pod applies to every node, so one trial covers all of them.
            Map<List<Remedy>, Evaluation> ofPod = new LinkedHashMap<>();
            for (int i = 0; i < plans.size(); i++) {
                Plan plan = plans.get(i);
                boolean enough = fits.size() >= limit
                        && plan.remedies().size() > fits.get(0).remedies().size();
                if (enough || budget <= 0) {
                    return plans.size() - i;
                }
                Evaluation first = plan.forAllNodes()
                        ? ofPod.computeIfAbsent(plan.remedies(), remedies -> place(situation, remedies))
                        : placeOn(situation, plan.node(), plan.remedies());
                List<Remedy> enoughRemedies = complete(situation, plan, first);
                if (enoughRemedies == null) {
                    unknown.put(plan.node(), obstacles.getOrDefault(plan.node(), List.of()));
                } else {
                    fits.add(new Fit(plan.node(), pruned(situation, plan.node(), enoughRemedies)));
                }
            }
            return 0;
        }

        private Evaluation place(Remedy.Situation situation, List<Remedy> remedies) {
            budget--;
            return trials.place(NearestFits.apply(remedies, situation));
        }

        private Evaluation placeOn(Remedy.Situation situation, String node, List<Remedy> remedies) {
            budget--;
            return trials.placeOn(NearestFits.apply(remedies, situation), node);
        }

        /** The plan's remedies and additional ones that turn out to be needed; null if there is no solution. */
        private @Nullable List<Remedy> complete(Remedy.Situation situation, Plan plan, Evaluation first) {
            List<Remedy> remedies = plan.remedies();
            Evaluation evaluation = first;
            for (int round = 0; round < ROUNDS; round++) {
                if (evaluation.feasible().contains(plan.node())) {
                    return remedies;
                }
                Remedy.Situation so = NearestFits.apply(remedies, situation);
                List<Remedy> more = new RemedyFinder(so, trials, labels)
                        .find(plan.node(), List.of(obstacle(evaluation, plan.node())));
                List<Remedy> merged = merge(remedies, more);
                if (more.isEmpty() || merged.equals(remedies)) {
                    return null;
                }
                remedies = merged;
                evaluation = placeOn(situation, plan.node(), remedies);
            }
            return evaluation.feasible().contains(plan.node()) ? remedies : null;
        }

        private static Obstacle obstacle(Evaluation evaluation, String node) {
            NodeFailure failure = evaluation.failures().get(node);
            if (failure != null) {
                return new Obstacle(failure.plugin() == null ? "" : failure.plugin(), failure.reasons());
            }
            return new Obstacle("", List.of(evaluation.error() == null ? "" : evaluation.error()));
        }

        /** Merges both; shortages of one resource of a node are added up. */
        private static List<Remedy> merge(List<Remedy> remedies, List<Remedy> more) {
            List<Remedy> merged = new ArrayList<>(remedies);
            for (Remedy remedy : more) {
                Remedy.Shortage added = remedy.shortage();
                boolean isMerged = false;
                for (int i = 0; i < merged.size() && added != null; i++) {
                    Remedy.Shortage old = merged.get(i).shortage();
                    String node = merged.get(i).node();
                    if (old != null
                            && node != null
                            && node.equals(remedy.node())
                            && old.resource().equals(added.resource())) {
                        long missing = Arithmetic.SATURATING.add(old.missing(), added.missing());
                        merged.set(
                                i,
                                Remedy.moreOf(
                                        node,
                                        new Remedy.Shortage(
                                                old.resource(), missing, old.requested(), old.allocatable())));
                        isMerged = true;
                    }
                }
                if (!isMerged && !merged.contains(remedy)) {
                    merged.add(remedy);
                }
            }
            return merged;
        }

        /** Removes the remedies that are not needed. */
        private List<Remedy> pruned(Remedy.Situation situation, String node, List<Remedy> remedies) {
            List<Remedy> needed = new ArrayList<>(remedies);
            boolean independent = remedies.stream().allMatch(remedy -> INDEPENDENT.contains(remedy.kind()));
            if (remedies.size() > 1 && !independent) {
                for (Remedy remedy : remedies) {
                    List<Remedy> fewer = new ArrayList<>(needed);
                    fewer.remove(remedy);
                    if (!fewer.isEmpty()
                            && placeOn(situation, node, fewer).feasible().contains(node)) {
                        needed = fewer;
                    }
                }
            }
            return needed;
        }
    }
}
