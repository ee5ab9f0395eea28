package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeValues;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds the fewest scores without which two ways of deciding have a best node in common. As long as the same nodes fit,
 * leaving a score out takes its weighted values off the totals and changes nothing else, so that this is arithmetic.
 */
final class ScoreSearch {
    /** Up to this size every combination is tried; beyond, scores go one after the other. */
    static final int EXHAUSTIVE = 4;

    /** One concept's part of the totals. */
    private static final class Part {
        final Concept concept;
        final long[] reference;
        final long[] other;
        /** How much it makes the two disagree about their two winners. */
        double shift;

        Part(Concept concept, int referenceNodes, int otherNodes) {
            this.concept = concept;
            this.reference = new long[referenceNodes];
            this.other = new long[otherNodes];
        }
    }

    private final NodeValues ofReference;
    private final NodeValues ofOther;
    /** Where a node of the reference stands among those of the other one, or -1. */
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
     * The fewest scores to leave out; empty when nothing helps.
     *
     * @param pair results that do not agree, both with nodes that fit
     */
    static Set<Concept> fewest(EvaluationPair pair) {
        ScoreSearch search = new ScoreSearch(pair);
        for (int size = 1; size <= Math.min(EXHAUSTIVE, search.parts.size()); size++) {
            Set<Concept> found = search.combination(new ArrayList<>(), 0, size);
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

    /** Where each node of the one stands among those of the other, or -1; both are in the order of names. */
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

    /** Those that can change something, the most suspicious first. */
    private List<Part> parts(EvaluationPair pair) {
        Map<Concept, Part> byConcept = new LinkedHashMap<>();
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

    private void add(Evaluation evaluation, boolean isReference, Map<Concept, Part> byConcept) {
        evaluation.scores().forEach((algorithm, scores) -> {
            long weight = evaluation.weights().getOrDefault(algorithm, 1L);
            Part part = byConcept.computeIfAbsent(
                    Concepts.ofScore(algorithm), concept -> new Part(concept, ofReference.size(), ofOther.size()));
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

    /** The weights of what tells nodes apart: a huge weight of what does not must not hide the others. */
    private static double weight(Evaluation evaluation, List<Part> parts, boolean isReference) {
        double sum = 0;
        for (Map.Entry<String, Long> weight : evaluation.weights().entrySet()) {
            Concept concept = Concepts.ofScore(weight.getKey());
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

    private Set<Concept> combination(List<Part> chosen, int from, int size) {
        if (chosen.size() == size) {
            return meetWithout(chosen) ? concepts(chosen) : Set.of();
        }
        for (int i = from; i <= parts.size() - (size - chosen.size()); i++) {
            chosen.add(parts.get(i));
            Set<Concept> found = combination(chosen, i + 1, size);
            if (!found.isEmpty()) {
                return found;
            }
            chosen.remove(chosen.size() - 1);
        }
        return Set.of();
    }

    private Set<Concept> oneAfterTheOther() {
        List<Part> chosen = new ArrayList<>();
        for (Part part : parts) {
            chosen.add(part);
            if (meetWithout(chosen)) {
                return concepts(chosen);
            }
        }
        return Set.of();
    }

    private static Set<Concept> concepts(List<Part> chosen) {
        Set<Concept> concepts = new LinkedHashSet<>();
        chosen.forEach(part -> concepts.add(part.concept));
        return concepts;
    }

    /** True when some node is best for both without these parts. */
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
