package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.framework.insight.compare.CauseFinder.EvaluationPair;
import io.policyscheduler.framework.insight.compare.Difference.Cause;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Describes for users how an algorithm makes two schedulers differ. */
final class CauseTexts {
    private final SchedulerSpec reference;
    private final SchedulerSpec other;
    private final String referenceName;
    private final String otherName;

    CauseTexts(SchedulerSpec reference, SchedulerSpec other) {
        this.reference = reference;
        this.other = other;
        String one = reference.name();
        String two = other.name();
        boolean bare = !fileName(one, false).equals(fileName(two, false));
        boolean file = bare || !fileName(one, true).equals(fileName(two, true));
        this.referenceName = file ? fileName(one, !bare) : one;
        this.otherName = file ? fileName(two, !bare) : two;
    }

    /** The shortest unambiguous name without directories: {@code policy.json} or {@code legacy:policy.json}. */
    private static String fileName(String name, boolean withKind) {
        int colon = name.indexOf(':');
        String file = name.substring(Math.max(name.lastIndexOf('/'), colon) + 1);
        return withKind ? name.substring(0, colon + 1) + file : file;
    }

    private SchedulerSpec source(boolean ofReference) {
        return ofReference ? reference : other;
    }

    private String name(boolean ofReference) {
        return ofReference ? referenceName : otherName;
    }

    /** A filter of one of the two rejects a node. */
    Cause filter(AlgorithmConcept concept, CauseFinder.Rejection rejection) {
        boolean by = rejection.byReference();
        Set<String> others = AlgorithmConcept.members(source(!by), concept);
        String text =
                rejecting(AlgorithmConcept.members(source(by), concept), by) + " rejects " + rejection.node() + " ("
                        + String.join(", ", rejection.reasons()) + "), "
                        + (others.isEmpty() ? name(!by) + " has no such filter" : filters(others, !by) + " accepts it");
        return cause(Cause.Kind.FILTER, concept, rejection.node(), rejection.reasons(), text, "", List.of());
    }

    /** An algorithm of one of the two ends the attempt. */
    Cause error(AlgorithmConcept concept, CauseFinder.Rejection error) {
        boolean by = error.byReference();
        String text = filters(AlgorithmConcept.members(source(by), concept), by) + " fails with the error \""
                + String.join(", ", error.reasons()) + "\"";
        return cause(Cause.Kind.ERROR, concept, "", error.reasons(), text, "", List.of());
    }

    /** One of the two fails with an error that is not caused by an algorithm. */
    Cause check(boolean ofReference, String error) {
        return Cause.outside(
                Cause.Kind.CHECK,
                name(ofReference) + " fails with the error \"" + error + "\" for each set of algorithms");
    }

    private Cause cause(
            Cause.Kind kind,
            AlgorithmConcept concept,
            String node,
            List<String> reasons,
            String text,
            String note,
            List<Cause.ScorePair> scores) {
        Set<String> names = AlgorithmConcept.members(reference, concept);
        Set<String> otherNames = AlgorithmConcept.members(other, concept);
        return new Cause(kind, concept, names, otherNames, node, reasons, text, note, scores, null);
    }

    /**
     * Scores prefer different nodes.
     *
     * @param pair the scores, computed without the filters that are also causes
     * @param filters number of these filters
     */
    Cause score(AlgorithmConcept concept, EvaluationPair pair, int filters) {
        String one = pair.winner(true);
        String two = pair.winner(false);
        if (one == null || two == null) {
            // Only filters can have this effect, so their text comes first and contains it.
            String text = concept + " changes the selected node";
            return cause(Cause.Kind.FORMULA, concept, "", List.of(), text, "", List.of());
        }
        List<Cause.ScorePair> mine = scores(true, concept, pair.evaluation(true), one, two);
        List<Cause.ScorePair> others = scores(false, concept, pair.evaluation(false), one, two);
        Cause.Kind kind = kind(mine, others, pair);
        String without = filters == 0 ? "" : filters == 1 ? "Without this filter, " : "Without these filters, ";
        String text = without
                + switch (kind) {
                    case ONE_SIDED -> oneSided(mine, others, pair);
                    case WEIGHT -> weights(mine.get(0), others.get(0), pair);
                    default -> side(true, mine, pair) + ", " + side(false, others, pair);
                };
        List<Cause.ScorePair> all = new ArrayList<>(mine);
        all.addAll(others);
        String note = kind == Cause.Kind.FORMULA ? formula(mine, others, pair) : "";
        return cause(kind, concept, "", List.of(), text, note, all);
    }

    /** The same cause with another weight with which both agree. */
    Cause withWeight(Cause cause, Cause.WeightChange change) {
        String text = cause.text() + ". With weight " + change.to() + " instead of " + change.from() + " for "
                + scores(Set.of(change.algorithm()), change.ofReference()) + ", they agree";
        return new Cause(
                cause.kind(),
                cause.concept(),
                cause.reference(),
                cause.other(),
                cause.node(),
                cause.reasons(),
                text,
                cause.note(),
                cause.scores(),
                change);
    }

    private List<Cause.ScorePair> scores(
            boolean ofReference, AlgorithmConcept concept, Evaluation evaluation, String one, String two) {
        List<Cause.ScorePair> scores = new ArrayList<>();
        for (String algorithm : AlgorithmConcept.members(source(ofReference), concept)) {
            Map<String, Long> byNode = evaluation.scores().get(algorithm);
            scores.add(
                    byNode == null
                            ? new Cause.ScorePair(ofReference, algorithm, 0, 0, 0)
                            : new Cause.ScorePair(
                                    ofReference,
                                    algorithm,
                                    evaluation.weights().getOrDefault(algorithm, 1L),
                                    byNode.getOrDefault(one, 0L),
                                    byNode.getOrDefault(two, 0L)));
        }
        return scores;
    }

    private static Cause.Kind kind(List<Cause.ScorePair> mine, List<Cause.ScorePair> others, EvaluationPair pair) {
        if (sitsOut(mine) || sitsOut(others)) {
            return Cause.Kind.ONE_SIDED;
        }
        if (mine.size() == 1 && others.size() == 1) {
            Cause.ScorePair one = mine.get(0);
            Cause.ScorePair two = others.get(0);
            boolean isRejected = rejected(true, pair) != null || rejected(false, pair) != null;
            boolean same = isRejected
                    ? sameOnCommonNodes(one.algorithm(), two.algorithm(), pair)
                    : one.referenceNode() == two.referenceNode() && one.otherNode() == two.otherNode();
            return same && one.weight() != two.weight() ? Cause.Kind.WEIGHT : Cause.Kind.FORMULA;
        }
        return Cause.Kind.FORMULA;
    }

    /** Whether the scores are equal on the nodes that are feasible for both, so that the formulas are the same. */
    private static boolean sameOnCommonNodes(String mine, String others, EvaluationPair pair) {
        Map<String, Long> one = pair.evaluation(true).scores().getOrDefault(mine, NodeValues.NONE);
        Map<String, Long> two = pair.evaluation(false).scores().getOrDefault(others, NodeValues.NONE);
        int common = 0;
        for (Map.Entry<String, Long> score : one.entrySet()) {
            Long value = two.get(score.getKey());
            if (value != null && !value.equals(score.getValue())) {
                return false;
            }
            common += value == null ? 0 : 1;
        }
        return common > 0;
    }

    /** The node that the other one selects, if this one rejects it; null if it is feasible. */
    private static @Nullable String rejected(boolean byReference, EvaluationPair pair) {
        String node = pair.winner(!byReference);
        return node == null || pair.fits(byReference, node) ? null : node;
    }

    private static boolean sitsOut(List<Cause.ScorePair> scores) {
        return scores.stream().allMatch(pair -> pair.weight() == 0);
    }

    private String oneSided(List<Cause.ScorePair> mine, List<Cause.ScorePair> others, EvaluationPair pair) {
        boolean ofReference = !sitsOut(mine);
        List<Cause.ScorePair> missing = ofReference ? others : mine;
        String text = side(ofReference, ofReference ? mine : others, pair) + ", ";
        return text
                + (missing.isEmpty()
                        ? name(!ofReference) + " has no such score"
                        : scores(
                                        missing.stream()
                                                .map(Cause.ScorePair::algorithm)
                                                .toList(),
                                        !ofReference) + " is not computed for this pod");
    }

    private String weights(Cause.ScorePair mine, Cause.ScorePair others, EvaluationPair pair) {
        String text = scores(Set.of(mine.algorithm()), true) + " (weight " + mine.weight() + ") and "
                + scores(Set.of(others.algorithm()), false) + " (weight " + others.weight() + ") both give ";
        boolean byReference = rejected(true, pair) != null;
        if (!byReference && rejected(false, pair) == null) {
            return text + pair.winner(true) + " " + mine.referenceNode() + " and " + pair.winner(false) + " "
                    + mine.otherNode();
        }
        // The winner of the one that rejects is feasible for both, unless each of them rejects the other's.
        String common = pair.winner(byReference);
        boolean isCommon = common != null && pair.fits(!byReference, common);
        String displayed = isCommon
                ? common + " " + (byReference ? mine.referenceNode() : mine.otherNode())
                : "the same scores to the nodes that are feasible for both";
        return text + displayed + noScore(true, pair) + noScore(false, pair);
    }

    private String formula(List<Cause.ScorePair> mine, List<Cause.ScorePair> others, EvaluationPair pair) {
        boolean current = reference.kind() == SchedulerSpec.Kind.MODERN;
        if (current != (other.kind() == SchedulerSpec.Kind.MODERN)) {
            List<Cause.ScorePair> old = current ? others : mine;
            String known = Formulas.difference(
                    old.stream().map(Cause.ScorePair::algorithm).toList(),
                    source(!current).names()::score);
            if (known != null) {
                return known;
            }
        }
        int nodes = pair.reference().ranking().feasible().size();
        int otherNodes = pair.other().ranking().feasible().size();
        return nodes == otherNodes
                ? ""
                : "The scores depend on the number of feasible nodes: " + nodes + " with " + referenceName + ", "
                        + otherNodes + " with " + otherName + ".";
    }

    private String side(boolean ofReference, List<Cause.ScorePair> scores, EvaluationPair pair) {
        String rejected = rejected(ofReference, pair);
        return scores.stream()
                        .filter(score -> score.weight() != 0)
                        .map(score -> scores(Set.of(score.algorithm()), ofReference) + " (weight " + score.weight()
                                + ") gives "
                                + (rejected == null
                                        ? pair.winner(true) + " " + score.referenceNode() + " and " + pair.winner(false)
                                                + " " + score.otherNode()
                                        : pair.winner(ofReference) + " "
                                                + (ofReference ? score.referenceNode() : score.otherNode())))
                        .collect(Collectors.joining(", "))
                + noScore(ofReference, pair);
    }

    /** The reason why one of the two does not score a node; empty if it is feasible. */
    private String noScore(boolean ofReference, EvaluationPair pair) {
        String node = rejected(ofReference, pair);
        if (node == null) {
            return "";
        }
        Set<String> filters = new LinkedHashSet<>();
        NodeFailure failure = pair.get(ofReference).failure(node);
        if (failure != null) {
            AlgorithmConcept.rejecting(failure)
                    .forEach(concept -> filters.addAll(AlgorithmConcept.members(source(ofReference), concept)));
        }
        return " (" + node + " has no score, because "
                + (filters.isEmpty() ? name(ofReference) : rejecting(filters, ofReference)) + " rejects it)";
    }

    /** The filters that reject a node. A plugin does not report which of its merged entries rejects. */
    private String rejecting(Collection<String> algorithms, boolean ofReference) {
        return named(
                        algorithms,
                        algorithm ->
                                source(ofReference).names().filter(algorithm).replace(", ", " or ")) + " of "
                + name(ofReference);
    }

    /** Filters with their names in the policy, and the scheduler. */
    private String filters(Collection<String> algorithms, boolean ofReference) {
        return named(algorithms, source(ofReference).names()::filter) + " of " + name(ofReference);
    }

    /** Scores with their names in the policy, and the scheduler. */
    private String scores(Collection<String> algorithms, boolean ofReference) {
        return named(algorithms, source(ofReference).names()::score) + " of " + name(ofReference);
    }

    private static String named(Collection<String> algorithms, UnaryOperator<String> name) {
        return algorithms.stream().map(name).distinct().collect(Collectors.joining(" and "));
    }

    /** The differences between the formulas of score plugins of current releases and the priorities of v1.17 that they replace. */
    static final class Formulas {
        private static final String SPREAD =
                "v1.17 compares a node with the feasible node that has the most pods, and its zone with the zone that"
                        + " has the most. The zone has 2/3 of the weight. Current releases count the pods on all nodes,"
                        + " with logarithmic weights. They use only the zone label topology.kubernetes.io/zone.";
        private static final String RATIO =
                "v1.17 rounds the utilization up, and treats a resource that the node does not have as full. Current"
                        + " releases round it down, and ignore such a resource. Their default scoringStrategy is"
                        + " LeastAllocated.";

        private static final ImmutableMap<String, String> BY_PRIORITY = table();

        private Formulas() {}

        /**
         * The difference of the formulas. If there are several, each begins with the names of its algorithms.
         *
         * @param algorithms priorities or plugins of v1.17
         * @param name their names in the policy
         * @return null if the formula is the same, or nothing is known
         */
        static @Nullable String difference(Collection<String> algorithms, UnaryOperator<String> name) {
            Map<String, Set<String>> names = new LinkedHashMap<>();
            for (String algorithm : algorithms) {
                String text = BY_PRIORITY.get(algorithm);
                if (text != null) {
                    names.computeIfAbsent(text, known -> new LinkedHashSet<>()).add(name.apply(algorithm));
                }
            }
            if (names.size() < 2) {
                return names.isEmpty() ? null : names.keySet().iterator().next();
            }
            return names.entrySet().stream()
                    .map(one -> String.join("/", one.getValue()) + ": " + one.getKey())
                    .collect(Collectors.joining(" "));
        }

        private static ImmutableMap<String, String> table() {
            ImmutableMap.Builder<String, String> table = ImmutableMap.builder();
            String least =
                    "v1.17 gives 0 points for a resource that the node does not have. Current releases ignore such a"
                            + " resource. The scoringStrategy of the configuration can also be different.";
            table.put("LeastRequestedPriority", least);
            String most = "v1.17 prefers full nodes. Current releases prefer empty nodes, unless the scoringStrategy is"
                    + " MostAllocated.";
            table.put("MostRequestedPriority", most);
            table.put("RequestedToCapacityRatioPriority", RATIO);
            table.put(KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO, RATIO);
            String balance =
                    "v1.17 subtracts the difference between the shares of CPU and memory, uses default requests, and"
                            + " gives 0 points to full nodes. Current releases subtract half of the difference, and use"
                            + " the actual requests.";
            table.put("BalancedResourceAllocation", balance);
            table.put("SelectorSpreadPriority", SPREAD);
            table.put(KnownAlgorithms.SERVICE_SPREADING_PRIORITY, SPREAD);
            table.put(
                    KnownAlgorithms.SERVICE_AFFINITY,
                    "v1.17 gives a label value more points if more pods of the service run on nodes with other values."
                            + " PodTopologySpread gives 100 points to the value with the fewest pods and the fewest points"
                            + " to the one with the most.");
            String even = "v1.17 counts the pods of all namespaces, and terminating pods. Current releases weight the"
                    + " constraints, and count only pods of the same namespace.";
            table.put(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY, even);
            String pods =
                    "v1.17 scales the sums from 0 to the highest sum. Current releases scale them from the lowest to"
                            + " the highest sum.";
            table.put("InterPodAffinityPriority", pods);
            String images =
                    "v1.17 counts regular containers, with one limit for all of them. Current releases also count init"
                            + " containers. Their limit is higher for pods with more containers.";
            table.put("ImageLocalityPriority", images);
            Map<String, String> texts = table.buildOrThrow();
            for (KnownAlgorithm priority : KnownAlgorithms.priorityRows()) {
                String text = texts.get(priority.name());
                if (text != null && !priority.plugin().isEmpty()) {
                    table.put(priority.plugin(), text);
                }
            }
            return table.buildKeepingLast();
        }
    }
}
