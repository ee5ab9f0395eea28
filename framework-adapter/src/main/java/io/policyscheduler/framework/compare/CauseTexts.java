package io.policyscheduler.framework.compare;

import io.policyscheduler.engine.algorithm.Evaluation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Says in words how an algorithm makes two ways of deciding differ. */
final class CauseTexts {
    private final DeciderSource reference;
    private final DeciderSource other;

    CauseTexts(DeciderSource reference, DeciderSource other) {
        this.reference = reference;
        this.other = other;
    }

    private DeciderSource source(boolean ofReference) {
        return ofReference ? reference : other;
    }

    /** A filter of one of the two rejects a node. */
    Cause filter(Concept concept, CauseFinder.Rejection rejection) {
        boolean byReference = rejection.byReference();
        Set<String> others = Concepts.members(source(!byReference), concept);
        String without = source(!byReference).name();
        String text = who(concept, byReference) + " rejects " + rejection.node() + " ("
                + String.join(", ", rejection.reasons()) + "); "
                + (others.isEmpty()
                        ? without + " has nothing like it"
                        : join(others) + " of " + without + " takes it");
        return cause(Cause.Kind.FILTER, concept, rejection.node(), rejection.reasons(), text);
    }

    /** An algorithm of one of the two ends the attempt. */
    Cause error(Concept concept, CauseFinder.Rejection error) {
        String text = who(concept, error.byReference()) + " ends with the error \"" + String.join(", ", error.reasons())
                + "\"";
        return cause(Cause.Kind.ERROR, concept, "", error.reasons(), text);
    }

    private String who(Concept concept, boolean ofReference) {
        return join(Concepts.members(source(ofReference), concept)) + " of " + source(ofReference).name();
    }

    private Cause cause(Cause.Kind kind, Concept concept, String node, List<String> reasons, String text) {
        return new Cause(
                kind,
                concept,
                Concepts.members(reference, concept),
                Concepts.members(other, concept),
                node,
                reasons,
                text,
                List.of(),
                null);
    }

    /** Scores pull the two to different nodes. */
    Cause score(Concept concept, EvaluationPair pair) {
        Set<String> names = Concepts.members(reference, concept);
        Set<String> otherNames = Concepts.members(other, concept);
        String one = pair.winner(true);
        String two = pair.winner(false);
        if (one == null || two == null) {
            // Only filters can do that, so that the text of theirs comes first and says it.
            return cause(Cause.Kind.FORMULA, concept, "", List.of(), concept + " makes them differ about the node");
        }
        List<Cause.ScorePair> mine = scores(true, names, pair.reference(), one, two);
        List<Cause.ScorePair> others = scores(false, otherNames, pair.other(), one, two);
        Cause.Kind kind = kind(mine, others);
        String text =
                switch (kind) {
                    case ONE_SIDED -> oneSided(mine, others, one, two);
                    case WEIGHT ->
                        mine.get(0).algorithm() + " of " + reference.name() + " and "
                                + others.get(0).algorithm() + " of " + other.name() + " give "
                                + given(mine.get(0), one, two) + ", with weight "
                                + mine.get(0).weight() + " and "
                                + others.get(0).weight();
                    default -> formula(mine, others, pair, one, two);
                };
        List<Cause.ScorePair> all = new ArrayList<>(mine);
        all.addAll(others);
        return new Cause(kind, concept, names, otherNames, "", List.of(), text, all, null);
    }

    /** The same cause, of which another weight is known with which both agree. */
    Cause withWeight(Cause cause, Cause.WeightChange change) {
        return new Cause(
                cause.kind(),
                cause.concept(),
                cause.reference(),
                cause.other(),
                cause.node(),
                cause.reasons(),
                cause.text() + " (with weight " + change.to() + " instead of " + change.from() + " for "
                        + change.algorithm() + " of " + source(change.ofReference()).name() + " they agree)",
                cause.scores(),
                change);
    }

    private static List<Cause.ScorePair> scores(
            boolean ofReference, Set<String> names, Evaluation evaluation, String one, String two) {
        List<Cause.ScorePair> scores = new ArrayList<>();
        for (String name : names) {
            Map<String, Long> byNode = evaluation.scores().get(name);
            scores.add(
                    byNode == null
                            ? new Cause.ScorePair(ofReference, name, 0, 0, 0)
                            : new Cause.ScorePair(
                                    ofReference,
                                    name,
                                    evaluation.weights().getOrDefault(name, 1L),
                                    byNode.getOrDefault(one, 0L),
                                    byNode.getOrDefault(two, 0L)));
        }
        return scores;
    }

    private static Cause.Kind kind(List<Cause.ScorePair> mine, List<Cause.ScorePair> others) {
        if (mine.stream().allMatch(pair -> pair.weight() == 0)
                || others.stream().allMatch(pair -> pair.weight() == 0)) {
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

    private String oneSided(List<Cause.ScorePair> mine, List<Cause.ScorePair> others, String one, String two) {
        boolean ofReference = mine.stream().anyMatch(pair -> pair.weight() != 0);
        List<Cause.ScorePair> missing = ofReference ? others : mine;
        String text = side(ofReference, ofReference ? mine : others, one, two);
        String without = source(!ofReference).name();
        if (missing.isEmpty()) {
            return text + "; " + without + " has nothing like it";
        }
        return text + "; " + join(missing.stream().map(Cause.ScorePair::algorithm).toList()) + " of " + without
                + " does not count for this pod";
    }

    private String formula(
            List<Cause.ScorePair> mine, List<Cause.ScorePair> others, EvaluationPair pair, String one, String two) {
        boolean current = reference.kind() == DeciderSource.Kind.CURRENT;
        @Nullable String why = null;
        if (current != (other.kind() == DeciderSource.Kind.CURRENT)) {
            List<Cause.ScorePair> old = current ? others : mine;
            why = Formulas.difference(
                    old.stream().map(Cause.ScorePair::algorithm).toList());
        }
        int nodes = pair.reference().feasible().size();
        int otherNodes = pair.other().feasible().size();
        if (why == null && nodes != otherNodes) {
            why = "the same formula over other nodes: " + nodes + " fit here, " + otherNodes + " there";
        }
        return side(true, mine, one, two) + "; " + side(false, others, one, two) + (why == null ? "" : " (" + why + ")");
    }

    private String side(boolean ofReference, List<Cause.ScorePair> scores, String one, String two) {
        String given = scores.stream()
                .filter(pair -> pair.weight() != 0)
                .map(pair -> pair.algorithm() + " (weight " + pair.weight() + ") " + given(pair, one, two))
                .collect(Collectors.joining(", "));
        return source(ofReference).name() + ": " + given;
    }

    private static String given(Cause.ScorePair pair, String one, String two) {
        return one + " " + pair.referenceNode() + " and " + two + " " + pair.otherNode();
    }

    private static String join(Iterable<String> names) {
        return String.join(" and ", names);
    }
}
