package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.KnownAlgorithm;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.framework.insight.compare.CauseFinder.EvaluationPair;
import io.policyscheduler.framework.insight.compare.Difference.Cause;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Says in words how an algorithm makes two ways of deciding differ. */
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

    /** A name without the folders, as short as it can be said: {@code policy.json} or {@code legacy:policy.json}. */
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
        String text = filters(AlgorithmConcept.members(source(by), concept), by) + " rejects " + rejection.node() + " ("
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

    /** One of the two ends with an error that is nobody's. */
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

    /** Scores pull the two to different nodes. */
    Cause score(AlgorithmConcept concept, EvaluationPair pair) {
        String one = pair.winner(true);
        String two = pair.winner(false);
        if (one == null || two == null) {
            // Only filters can do that, so that the text of theirs comes first and says it.
            String text = concept + " changes the selected node";
            return cause(Cause.Kind.FORMULA, concept, "", List.of(), text, "", List.of());
        }
        List<Cause.ScorePair> mine = scores(true, concept, pair.evaluation(true), one, two);
        List<Cause.ScorePair> others = scores(false, concept, pair.evaluation(false), one, two);
        Cause.Kind kind = kind(mine, others);
        String text = switch (kind) {
            case ONE_SIDED -> oneSided(mine, others, one, two);
            case WEIGHT -> weights(mine.get(0), others.get(0), one, two);
            default -> side(true, mine, one, two) + ", " + side(false, others, one, two);
        };
        List<Cause.ScorePair> all = new ArrayList<>(mine);
        all.addAll(others);
        String note = kind == Cause.Kind.FORMULA ? formula(mine, others, pair) : "";
        return cause(kind, concept, "", List.of(), text, note, all);
    }

    /** The same cause, of which another weight is known with which both agree. */
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

    private static Cause.Kind kind(List<Cause.ScorePair> mine, List<Cause.ScorePair> others) {
        if (sitsOut(mine) || sitsOut(others)) {
            return Cause.Kind.ONE_SIDED;
        }
        if (mine.size() == 1 && others.size() == 1) {
            Cause.ScorePair one = mine.get(0);
            Cause.ScorePair two = others.get(0);
            boolean same = one.referenceNode() == two.referenceNode() && one.otherNode() == two.otherNode();
            return same && one.weight() != two.weight() ? Cause.Kind.WEIGHT : Cause.Kind.FORMULA;
        }
        return Cause.Kind.FORMULA;
    }

    private static boolean sitsOut(List<Cause.ScorePair> scores) {
        return scores.stream().allMatch(pair -> pair.weight() == 0);
    }

    private String oneSided(List<Cause.ScorePair> mine, List<Cause.ScorePair> others, String one, String two) {
        boolean ofReference = !sitsOut(mine);
        List<Cause.ScorePair> missing = ofReference ? others : mine;
        String text = side(ofReference, ofReference ? mine : others, one, two) + ", ";
        return text
                + (missing.isEmpty()
                        ? name(!ofReference) + " has no such score"
                        : scores(
                                        missing.stream()
                                                .map(Cause.ScorePair::algorithm)
                                                .toList(),
                                        !ofReference) + " is not computed for this pod");
    }

    private String weights(Cause.ScorePair mine, Cause.ScorePair others, String one, String two) {
        return scores(Set.of(mine.algorithm()), true) + " (weight " + mine.weight() + ") and "
                + scores(Set.of(others.algorithm()), false) + " (weight " + others.weight() + ") both give " + one + " "
                + mine.referenceNode() + " and " + two + " " + mine.otherNode();
    }

    private String formula(List<Cause.ScorePair> mine, List<Cause.ScorePair> others, EvaluationPair pair) {
        boolean current = reference.kind() == SchedulerSpec.Kind.MODERN;
        if (current != (other.kind() == SchedulerSpec.Kind.MODERN)) {
            List<Cause.ScorePair> old = current ? others : mine;
            String known = Formulas.difference(
                    old.stream().map(Cause.ScorePair::algorithm).toList());
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

    private String side(boolean ofReference, List<Cause.ScorePair> scores, String one, String two) {
        return scores.stream()
                .filter(pair -> pair.weight() != 0)
                .map(pair -> scores(Set.of(pair.algorithm()), ofReference) + " (weight " + pair.weight() + ") gives "
                        + one + " " + pair.referenceNode() + " and " + two + " " + pair.otherNode())
                .collect(Collectors.joining(", "));
    }

    /** Filters with the names that they have in the policy, and the scheduler. */
    private String filters(Collection<String> algorithms, boolean ofReference) {
        return named(algorithms, source(ofReference).names()::filter) + " of " + name(ofReference);
    }

    /** Scores with the names that they have in the policy, and the scheduler. */
    private String scores(Collection<String> algorithms, boolean ofReference) {
        return named(algorithms, source(ofReference).names()::score) + " of " + name(ofReference);
    }

    private static String named(Collection<String> algorithms, UnaryOperator<String> name) {
        return algorithms.stream().map(name).distinct().collect(Collectors.joining(" and "));
    }

    /** The differences between the formulas of score plugins of current releases and the priorities of v1.17 that they replace. */
    static final class Formulas {
        private static final String SPREAD =
                "v1.17 compares a node with the feasible node that has the most pods, and its zone with the zone that has the"
                        + " most. The zone has 2/3 of the weight. Current releases count the pods on all nodes, with logarithmic"
                        + " weights. They use only the zone label topology.kubernetes.io/zone.";
        private static final String RATIO =
                "v1.17 rounds the utilization up, and treats a resource that the node does not have as full. Current releases"
                        + " round it down, and ignore such a resource. Their default scoringStrategy is LeastAllocated.";

        private static final ImmutableMap<String, String> BY_PRIORITY = table();

        private Formulas() {}

        /**
         * What differs in the formula.
         *
         * @param algorithms priorities or plugins of v1.17
         * @return null where the formula is the same, or nothing is known
         */
        static @Nullable String difference(Collection<String> algorithms) {
            Set<String> texts = new LinkedHashSet<>();
            for (String algorithm : algorithms) {
                String text = BY_PRIORITY.get(algorithm);
                if (text != null) {
                    texts.add(text);
                }
            }
            return texts.isEmpty() ? null : String.join(" ", texts);
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
                            + " gives 0 points to full nodes. Current releases subtract half of the difference, and use the actual"
                            + " requests.";
            table.put("BalancedResourceAllocation", balance);
            table.put("SelectorSpreadPriority", SPREAD);
            table.put(KnownAlgorithms.SERVICE_SPREADING_PRIORITY, SPREAD);
            table.put(
                    KnownAlgorithms.SERVICE_AFFINITY,
                    "v1.17 gives a label value more points if more pods of the service run on other values. The current plugin"
                            + " gives 100 points to the value with the fewest pods and the fewest points to the one with the most.");
            String even = "v1.17 counts the pods of all namespaces, and terminating pods. Current releases weight the"
                    + " constraints, and count only pods of the same namespace.";
            table.put(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY, even);
            String pods =
                    "v1.17 scales the sums from 0 to the highest sum. Current releases scale them from the lowest to the"
                            + " highest sum.";
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
