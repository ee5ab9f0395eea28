package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.Evaluation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
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

    private final List<String> referenceNodes;
    private final List<String> otherNodes;
    /** Where a node of the reference stands among those of the other one, or -1. */
    private final int[] inOther;

    private final long[] referenceTotals;
    private final long[] otherTotals;
    private final List<Part> parts;

    private ScoreSearch(EvaluationPair pair) {
        referenceNodes = List.copyOf(pair.evaluation(true).totals().keySet());
        otherNodes = List.copyOf(pair.evaluation(false).totals().keySet());
        referenceTotals = totals(pair.evaluation(true));
        otherTotals = totals(pair.evaluation(false));
        Map<String, Integer> places = new HashMap<>();
        for (int i = 0; i < otherNodes.size(); i++) {
            places.put(otherNodes.get(i), i);
        }
        inOther = referenceNodes.stream()
                .mapToInt(node -> places.getOrDefault(node, -1))
                .toArray();
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

    private static long[] totals(Evaluation evaluation) {
        return evaluation.totals().values().stream().mapToLong(Long::longValue).toArray();
    }

    /** Those that can change something, the most suspicious first. */
    private List<Part> parts(EvaluationPair pair) {
        Map<Concept, Part> byConcept = new LinkedHashMap<>();
        add(pair.evaluation(true), referenceNodes, true, byConcept);
        add(pair.evaluation(false), otherNodes, false, byConcept);
        List<Part> all = new ArrayList<>(byConcept.values());
        all.removeIf(part -> isConstant(part.reference) && isConstant(part.other));
        String one = pair.winner(true);
        String two = pair.winner(false);
        if (one != null && two != null && pair.fits(false, one) && pair.fits(true, two)) {
            double referenceWeight = weight(pair.evaluation(true), all, true);
            double otherWeight = weight(pair.evaluation(false), all, false);
            for (Part part : all) {
                part.shift = preference(part.reference, referenceNodes, one, two) / referenceWeight
                        - preference(part.other, otherNodes, one, two) / otherWeight;
            }
        }
        all.sort(Comparator.comparingDouble((Part part) -> -part.shift).thenComparing(part -> part.concept));
        return all;
    }

    private void add(Evaluation evaluation, List<String> nodes, boolean ofReference, Map<Concept, Part> byConcept) {
        evaluation.scores().forEach((algorithm, scores) -> {
            long weight = evaluation.weights().getOrDefault(algorithm, 1L);
            Part part = byConcept.computeIfAbsent(
                    Concepts.ofScore(algorithm),
                    concept -> new Part(concept, referenceNodes.size(), otherNodes.size()));
            long[] values = ofReference ? part.reference : part.other;
            // Scores are there for the nodes that have a total, in the same order; looking each one up takes too long.
            int place = 0;
            for (Map.Entry<String, Long> score : scores.entrySet()) {
                while (!nodes.get(place).equals(score.getKey())) {
                    place++;
                }
                values[place] += weight * score.getValue();
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
    private static double weight(Evaluation evaluation, List<Part> parts, boolean ofReference) {
        double sum = 0;
        for (Map.Entry<String, Long> weight : evaluation.weights().entrySet()) {
            Concept concept = Concepts.ofScore(weight.getKey());
            for (Part part : parts) {
                if (part.concept.equals(concept) && !isConstant(ofReference ? part.reference : part.other)) {
                    sum += weight.getValue();
                }
            }
        }
        return sum == 0 ? 1 : sum;
    }

    private static double preference(long[] values, List<String> nodes, String one, String two) {
        return (double) values[nodes.indexOf(one)] - values[nodes.indexOf(two)];
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
