package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.Difference.Agreement;
import io.policyscheduler.framework.insight.compare.Difference.Cause;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import io.policyscheduler.framework.insight.compare.SnapshotSchedulers.SchedulerResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the cause of a difference between two schedulers for a pod in the same cluster state: a minimal set of algorithms without
 * which both agree. Candidates come from the two evaluations; each is verified by deciding without it.
 */
final class CauseFinder {
    private final SnapshotSchedulers reference;
    private final SnapshotSchedulers other;
    private final CauseTexts texts;
    private final WorkerPool workers;

    /** Both pools work on the same cluster, one after the other. */
    CauseFinder(SnapshotSchedulers reference, SnapshotSchedulers other) {
        this(reference, other, WorkerPool.ONE);
    }

    /** @param workers used if each pool has its own copy of the cluster */
    CauseFinder(SnapshotSchedulers reference, SnapshotSchedulers other, WorkerPool workers) {
        this.workers = workers;
        this.reference = reference;
        this.other = other;
        this.texts = new CauseTexts(reference.source(), other.source());
    }

    /**
     * The causes of a difference.
     *
     * @param found the evaluations of both schedulers, which differ
     */
    Difference find(PodInfo pod, NominatedPods nominated, EvaluationPair found) {
        return new Search(pod, nominated, found).run();
    }

    /** The rejection of a node by one of the two schedulers. */
    record Rejection(boolean byReference, String node, List<String> reasons) {}

    private final class Search {
        private final PodInfo pod;
        private final NominatedPods nominated;
        private final EvaluationPair found;
        private final Map<AlgorithmConcept, Rejection> rejections = new LinkedHashMap<>();
        private final Map<AlgorithmConcept, Rejection> errors = new LinkedHashMap<>();
        private Set<AlgorithmConcept> left = new LinkedHashSet<>();
        /** The results of both without {@link #left}. */
        private EvaluationPair now;

        Search(PodInfo pod, NominatedPods nominated, EvaluationPair found) {
            this.pod = pod;
            this.nominated = nominated;
            this.found = found;
            this.now = found;
        }

        Difference run() {
            while (!now.agreement().agrees()) {
                Set<AlgorithmConcept> more = new LinkedHashSet<>(left);
                if (!more.addAll(next())) {
                    return notFound();
                }
                now = without(more);
                left = more;
            }
            putBack();
            return new Difference(found.agreement(), describe(), now.common());
        }

        private EvaluationPair without(Collection<AlgorithmConcept> concepts) {
            List<SchedulerResult> results = workers.all(List.<Supplier<SchedulerResult>>of(
                    () -> evaluate(true, concepts), () -> evaluate(false, concepts)));
            return new EvaluationPair(results.get(0), results.get(1));
        }

        private SchedulerResult evaluate(boolean ofReference, Collection<AlgorithmConcept> concepts) {
            SnapshotSchedulers pool = ofReference ? reference : other;
            Adjustment adjustment = AlgorithmConcept.without(pool.source(), concepts);
            if (adjustment.isNone()) {
                return found.get(ofReference);
            }
            SchedulerResult known =
                    pool.source().independent() ? fromNow(ofReference, pool.source(), adjustment) : null;
            return known == null ? pool.decide(pod, nominated, adjustment) : known;
        }

        /** The result without further scores, if the adjustment only leaves out scores; null if the nodes have to be evaluated. */
        private @Nullable SchedulerResult fromNow(boolean ofReference, SchedulerSpec source, Adjustment adjustment) {
            Adjustment before = AlgorithmConcept.without(source, left);
            boolean onlyScores = adjustment.withoutFilters().equals(before.withoutFilters())
                    && adjustment.withoutScores().containsAll(before.withoutScores());
            return onlyScores
                    ? now.get(ofReference).weighted(weights -> without(weights, adjustment.withoutScores()))
                    : null;
        }

        private static Map<String, Long> without(Map<String, Long> weights, Set<String> names) {
            Map<String, Long> left = new LinkedHashMap<>(weights);
            left.keySet().removeAll(names);
            return left;
        }

        /** The algorithms to leave out next. */
        private Set<AlgorithmConcept> next() {
            if (now.agreement() == Agreement.ERROR) {
                return behindError(now.reference().best().isEmpty());
            }
            Set<AlgorithmConcept> rejecting = rejecting(true);
            if (rejecting.isEmpty()) {
                rejecting = rejecting(false);
            }
            return rejecting.isEmpty() ? ScoreSearch.fewest(now.evaluated(workers)) : rejecting;
        }

        /** The filters by which one of the two rejects all best nodes of the other one; empty if it does not reject all. */
        private Set<AlgorithmConcept> rejecting(boolean bestOfReference) {
            String winner = now.winner(bestOfReference);
            if (winner == null || now.fits(!bestOfReference, winner)) {
                return Set.of();
            }
            NodeFailure failure = now.get(!bestOfReference).failure(winner);
            if (failure == null) {
                return Set.of();
            }
            Set<AlgorithmConcept> concepts = AlgorithmConcept.rejecting(failure);
            for (AlgorithmConcept concept : concepts) {
                rejections.putIfAbsent(concept, new Rejection(!bestOfReference, winner, failure.reasons()));
            }
            return concepts;
        }

        /** The algorithm that ends the attempt with an error; all of them if several are required. */
        private Set<AlgorithmConcept> behindError(boolean ofReference) {
            SchedulerSpec source = (ofReference ? reference : other).source();
            Set<AlgorithmConcept> all = new LinkedHashSet<>();
            source.filters().forEach(filter -> all.addAll(AlgorithmConcept.ofFilter(filter)));
            source.scores().keySet().forEach(score -> all.add(AlgorithmConcept.ofScore(score)));
            all.removeAll(left);
            String error = String.valueOf(now.get(ofReference).ranking().error());
            for (AlgorithmConcept concept : all) {
                Set<AlgorithmConcept> tried = new LinkedHashSet<>(left);
                tried.add(concept);
                if (!isError(evaluate(ofReference, tried))) {
                    errors.put(concept, new Rejection(ofReference, "", List.of(error)));
                    return Set.of(concept);
                }
            }
            Set<AlgorithmConcept> everything = new LinkedHashSet<>(left);
            everything.addAll(all);
            if (isError(evaluate(ofReference, everything))) {
                return Set.of();
            }
            all.forEach(concept -> errors.putIfAbsent(concept, new Rejection(ofReference, "", List.of(error))));
            return all;
        }

        private boolean isError(SchedulerResult result) {
            return result.ranking().error() != null && !result.ranking().fitError();
        }

        private Difference notFound() {
            if (now.agreement() != Agreement.ERROR) {
                return new Difference(found.agreement(), List.of(), null);
            }
            boolean ofReference = now.reference().best().isEmpty();
            String error = String.valueOf(now.get(ofReference).ranking().error());
            return new Difference(found.agreement(), List.of(texts.check(ofReference, error)), null);
        }

        /** Removes algorithms that are not needed; scores alone are already minimal. */
        private void putBack() {
            boolean onlyScores = left.stream().allMatch(concept -> concept.role() == AlgorithmConcept.Role.SCORE);
            if (left.size() == 1 || (onlyScores && left.size() <= ScoreSearch.EXHAUSTIVE && errors.isEmpty())) {
                return;
            }
            while (putOneBack()) {
                // An algorithm may be needed only together with one that was put back.
            }
        }

        private boolean putOneBack() {
            for (AlgorithmConcept concept : left) {
                Set<AlgorithmConcept> fewer = new LinkedHashSet<>(left);
                fewer.remove(concept);
                EvaluationPair pair = without(fewer);
                if (pair.agreement().agrees()) {
                    left = fewer;
                    now = pair;
                    return true;
                }
            }
            return false;
        }

        private List<Cause> describe() {
            List<AlgorithmConcept> filters = left.stream()
                    .filter(concept -> concept.role() == AlgorithmConcept.Role.FILTER)
                    .toList();
            EvaluationPair scored = filters.isEmpty() || filters.size() == left.size() ? found : without(filters);
            List<Cause> causes = new ArrayList<>();
            for (AlgorithmConcept concept : left) {
                Rejection error = errors.get(concept);
                Rejection rejection = rejections.get(concept);
                if (error != null) {
                    causes.add(texts.error(concept, error));
                } else if (rejection != null) {
                    causes.add(texts.filter(concept, rejection));
                } else {
                    causes.add(score(concept, scored, filters.size()));
                }
            }
            return causes;
        }

        private Cause score(AlgorithmConcept concept, EvaluationPair scored, int filters) {
            Cause cause = texts.score(concept, scored, filters);
            Cause.WeightChange change = left.size() == 1 ? otherWeight(cause) : null;
            return change == null ? cause : texts.withWeight(cause, change);
        }

        /** A weight of one of the two, changed to that of the other one, with which both agree; null if there is none. */
        private Cause.@Nullable WeightChange otherWeight(Cause cause) {
            if (cause.kind() != Cause.Kind.WEIGHT) {
                return null;
            }
            Cause.ScorePair one = cause.scores().get(0);
            Cause.ScorePair two = cause.scores().get(1);
            SchedulerResult changed = weighing(false, two.algorithm(), one.weight());
            if (new EvaluationPair(found.reference(), changed).agreement().agrees()) {
                return new Cause.WeightChange(false, two.algorithm(), two.weight(), one.weight());
            }
            changed = weighing(true, one.algorithm(), two.weight());
            return new EvaluationPair(changed, found.other()).agreement().agrees()
                    ? new Cause.WeightChange(true, one.algorithm(), one.weight(), two.weight())
                    : null;
        }

        private SchedulerResult weighing(boolean ofReference, String algorithm, long weight) {
            SnapshotSchedulers pool = ofReference ? reference : other;
            SchedulerResult known = pool.source().independent()
                    ? found.get(ofReference).weighted(weights -> with(weights, algorithm, weight))
                    : null;
            return known == null ? pool.decide(pod, nominated, Adjustment.NONE.withWeight(algorithm, weight)) : known;
        }

        private static Map<String, Long> with(Map<String, Long> weights, String algorithm, long weight) {
            Map<String, Long> changed = new LinkedHashMap<>(weights);
            changed.put(algorithm, weight);
            return changed;
        }
    }

    /**
     * Finds the fewest scores without which two schedulers have a common best node. As long as the same nodes are feasible, leaving
     * out a score only subtracts its weighted values from the totals, so no evaluation is needed.
     */
    static final class ScoreSearch {
        /** Up to this number of scores, all combinations are tried; above, scores are left out one after the other. */
        static final int EXHAUSTIVE = 4;

        /** The summand of one concept. */
        private static final class Part {
            final AlgorithmConcept concept;
            final long[] reference;
            final long[] other;
            /** Its contribution to the difference between the two winners. */
            double shift;

            Part(AlgorithmConcept concept, int referenceNodes, int otherNodes) {
                this.concept = concept;
                this.reference = new long[referenceNodes];
                this.other = new long[otherNodes];
            }
        }

        private final NodeValues ofReference;
        private final NodeValues ofOther;
        /** The index of each node of the reference in the other result, or -1. */
        private final int[] inOther;

        private final long[] referenceTotals;
        private final long[] otherTotals;
        private final List<Part> parts;

        private ScoreSearch(EvaluationPair pair) {
            ofReference = pair.evaluation(true).totals();
            ofOther = pair.evaluation(false).totals();
            referenceTotals = values(ofReference);
            otherTotals = values(ofOther);
            inOther = places(ofReference, ofOther);
            parts = parts(pair);
        }

        /**
         * The fewest scores to leave out; empty if none helps.
         *
         * @param pair results that do not agree, both with feasible nodes
         */
        static Set<AlgorithmConcept> fewest(EvaluationPair pair) {
            ScoreSearch search = new ScoreSearch(pair);
            for (int size = 1; size <= Math.min(EXHAUSTIVE, search.parts.size()); size++) {
                Set<AlgorithmConcept> found = search.combination(new ArrayList<>(), 0, size);
                if (!found.isEmpty()) {
                    return found;
                }
            }
            return search.oneAfterTheOther();
        }

        private static long[] values(NodeValues totals) {
            long[] values = new long[totals.size()];
            Arrays.setAll(values, totals::value);
            return values;
        }

        /** The index of each node of one result in the other, or -1; both are sorted by name. */
        private static int[] places(NodeValues one, NodeValues two) {
            int[] places = new int[one.size()];
            int at = 0;
            for (int i = 0; i < places.length; i++) {
                while (at < two.size() && isBefore(two.name(at), one.name(i))) {
                    at++;
                }
                places[i] = at < two.size() && two.name(at).equals(one.name(i)) ? at : -1;
            }
            return places;
        }

        private static boolean isBefore(String one, String two) {
            return !one.equals(two) && one.compareTo(two) < 0;
        }

        /** The summands that can change the result, the most likely first. */
        private List<Part> parts(EvaluationPair pair) {
            Map<AlgorithmConcept, Part> byConcept = new LinkedHashMap<>();
            add(pair.evaluation(true), true, byConcept);
            add(pair.evaluation(false), false, byConcept);
            List<Part> all = new ArrayList<>(byConcept.values());
            all.removeIf(part -> isConstant(part.reference) && isConstant(part.other));
            String one = pair.winner(true);
            String two = pair.winner(false);
            if (one != null && two != null && pair.fits(false, one) && pair.fits(true, two)) {
                double referenceWeight = weight(pair.evaluation(true), all, true);
                double otherWeight = weight(pair.evaluation(false), all, false);
                for (Part part : all) {
                    part.shift = preference(part.reference, ofReference, one, two) / referenceWeight
                            - preference(part.other, ofOther, one, two) / otherWeight;
                }
            }
            all.sort(Comparator.comparingDouble((Part part) -> -part.shift).thenComparing(part -> part.concept));
            return all;
        }

        private void add(Evaluation evaluation, boolean isReference, Map<AlgorithmConcept, Part> byConcept) {
            evaluation.scores().forEach((algorithm, scores) -> {
                long weight = evaluation.weights().getOrDefault(algorithm, 1L);
                Part part = byConcept.computeIfAbsent(
                        AlgorithmConcept.ofScore(algorithm),
                        concept -> new Part(concept, ofReference.size(), ofOther.size()));
                long[] values = isReference ? part.reference : part.other;
                int[] places = scores.isOfSameNodes(evaluation.totals()) ? null : places(scores, evaluation.totals());
                for (int i = 0; i < scores.size(); i++) {
                    int place = places == null ? i : places[i];
                    values[place] += weight * scores.value(i);
                }
            });
        }

        private static boolean isConstant(long[] values) {
            for (long value : values) {
                if (value != values[0]) {
                    return false;
                }
            }
            return true;
        }

        /**
         * The total weight of the summands that differ between nodes, so that a huge weight of a constant summand does not hide the
         * others.
         */
        private static double weight(Evaluation evaluation, List<Part> parts, boolean isReference) {
            double sum = 0;
            for (Map.Entry<String, Long> weight : evaluation.weights().entrySet()) {
                AlgorithmConcept concept = AlgorithmConcept.ofScore(weight.getKey());
                for (Part part : parts) {
                    if (part.concept.equals(concept) && !isConstant(isReference ? part.reference : part.other)) {
                        sum += weight.getValue();
                    }
                }
            }
            return sum == 0 ? 1 : sum;
        }

        private static double preference(long[] values, NodeValues nodes, String one, String two) {
            return (double) values[nodes.placeOf(one)] - values[nodes.placeOf(two)];
        }

        private Set<AlgorithmConcept> combination(List<Part> chosen, int from, int size) {
            if (chosen.size() == size) {
                return meetWithout(chosen) ? concepts(chosen) : Set.of();
            }
            for (int i = from; i <= parts.size() - (size - chosen.size()); i++) {
                chosen.add(parts.get(i));
                Set<AlgorithmConcept> found = combination(chosen, i + 1, size);
                if (!found.isEmpty()) {
                    return found;
                }
                chosen.remove(chosen.size() - 1);
            }
            return Set.of();
        }

        private Set<AlgorithmConcept> oneAfterTheOther() {
            List<Part> chosen = new ArrayList<>();
            for (Part part : parts) {
                chosen.add(part);
                if (meetWithout(chosen)) {
                    return concepts(chosen);
                }
            }
            return Set.of();
        }

        private static Set<AlgorithmConcept> concepts(List<Part> chosen) {
            Set<AlgorithmConcept> concepts = new LinkedHashSet<>();
            chosen.forEach(part -> concepts.add(part.concept));
            return concepts;
        }

        /** True if some node is best for both without these summands. */
        private boolean meetWithout(List<Part> chosen) {
            long[] one = referenceTotals.clone();
            long[] two = otherTotals.clone();
            for (Part part : chosen) {
                subtract(one, part.reference);
                subtract(two, part.other);
            }
            long highestOfOne = highest(one);
            long highestOfTwo = highest(two);
            for (int i = 0; i < one.length; i++) {
                if (one[i] == highestOfOne && inOther[i] >= 0 && two[inOther[i]] == highestOfTwo) {
                    return true;
                }
            }
            return false;
        }

        private static void subtract(long[] from, long[] values) {
            for (int i = 0; i < from.length; i++) {
                from[i] -= values[i];
            }
        }

        private static long highest(long[] values) {
            long highest = Long.MIN_VALUE;
            for (long value : values) {
                highest = Math.max(highest, value);
            }
            return highest;
        }
    }

    /** The results of the reference and another scheduler for the same pod. */
    record EvaluationPair(SchedulerResult reference, SchedulerResult other) {
        Agreement agreement() {
            return Agreement.of(reference.ranking(), other.ranking());
        }

        SchedulerResult get(boolean ofReference) {
            return ofReference ? reference : other;
        }

        /** Evaluates both in full, in parallel if each has its own cluster. */
        EvaluationPair evaluated(WorkerPool workers) {
            workers.all(List.<Supplier<Evaluation>>of(reference::evaluation, other::evaluation));
            return this;
        }

        /** The full evaluation of one of the two. */
        Evaluation evaluation(boolean ofReference) {
            return get(ofReference).evaluation();
        }

        /** A best node of one of the two, if possible one that is feasible for the other; null if none is feasible. */
        @Nullable
        String winner(boolean ofReference) {
            List<String> best = get(ofReference).best();
            for (String node : best) {
                if (fits(!ofReference, node)) {
                    return node;
                }
            }
            return best.isEmpty() ? null : best.get(0);
        }

        boolean fits(boolean ofReference, String node) {
            return get(ofReference).ranking().total(node).isPresent();
        }

        /** The first node by name that is best for both; null if there is none. */
        @Nullable
        String common() {
            return Agreement.common(reference.best(), other.best());
        }
    }
}
