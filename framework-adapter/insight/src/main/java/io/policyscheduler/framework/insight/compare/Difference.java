package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How another way of deciding relates to the reference for one pod.
 *
 * @param agreement how the two results relate
 * @param causes why they differ; empty when they agree, and when no cause was found
 * @param agreeOn a node that is best for both without the causes; null when neither finds one then, and when there are no
 *     causes
 * @param otherReasons neither finds a node, and what is in the way is not the same
 */
public record Difference(
        Agreement agreement, List<Cause> causes, @Nullable String agreeOn, boolean otherReasons) {
    /** Stands for the causes of a difference that has none. */
    public static final String NOT_FOUND = "cause not found";

    public Difference {
        causes = ImmutableList.copyOf(causes);
    }

    /** A difference that matters. */
    Difference(Agreement agreement, List<Cause> causes, @Nullable String agreeOn) {
        this(agreement, causes, agreeOn, false);
    }

    /** Both agree. */
    static Difference none(Agreement agreement, boolean otherReasons) {
        return new Difference(agreement, List.of(), null, otherReasons);
    }

    /** False for a difference of which the cause is not known. */
    public boolean isExplained() {
        return agreement.agrees() || !causes.isEmpty();
    }

    /**
     * What the difference is counted under. Where only one of the two finds a node, that is what keeps the other from it; where
     * the pod would go without that is another question.
     */
    public String label() {
        return causes.isEmpty()
                ? NOT_FOUND
                : counted().stream().map(Cause::label).sorted().collect(Collectors.joining(" + "));
    }

    private List<Cause> counted() {
        if (agreement != Agreement.ONLY_REFERENCE && agreement != Agreement.ONLY_OTHER) {
            return causes;
        }
        List<Cause> filters = causes.stream()
                .filter(cause -> cause.kind() == Cause.Kind.FILTER || cause.kind() == Cause.Kind.ERROR)
                .toList();
        return filters.isEmpty() ? causes : filters;
    }

    /** The causes in words, and what would be without them. */
    public String text() {
        if (agreement.agrees()) {
            return "";
        }
        if (causes.isEmpty()) {
            return NOT_FOUND;
        }
        String all = causes.stream().map(Cause::text).collect(Collectors.joining(". "));
        boolean removable = causes.stream().allMatch(cause -> cause.concept() != null);
        if (!removable) {
            return all;
        }
        return all + ". Without " + (causes.size() == 1 ? "it" : "these") + ", "
                + (agreeOn == null ? "neither finds a feasible node" : "both choose " + agreeOn) + ".";
    }

    /** How the formulas behind {@link #label()} differ in the two releases; empty where nothing is known to. */
    public String note() {
        return counted().stream()
                .map(Cause::note)
                .filter(note -> !note.isEmpty())
                .distinct()
                .collect(Collectors.joining(" "));
    }

    /**
     * One of the algorithms that make two ways of deciding differ about a pod. Of all causes of a difference together it is true
     * that both ways agree without them, and that they do not without all but one of them.
     *
     * @param kind what makes it one
     * @param concept what is to be left out of both; null where nothing can be left out
     * @param reference the names in the reference that are to be left out, empty when it has nothing of the kind
     * @param other the names in the other one
     * @param node the node that a filter rejects; empty for other kinds
     * @param reasons why it does, or the error
     * @param text all of it in words
     * @param note how the formulas of the two releases differ; empty where nothing is known to
     * @param scores what the algorithms give to the two nodes in question; empty for filters
     * @param weight another weight that makes both agree as well, or null
     */
    public record Cause(
            Kind kind,
            @Nullable AlgorithmConcept concept,
            Set<String> reference,
            Set<String> other,
            String node,
            List<String> reasons,
            String text,
            String note,
            List<ScorePair> scores,
            @Nullable WeightChange weight) {
        /** What makes an algorithm a cause. */
        public enum Kind {
            /** One of the two rejects a node that the other one takes. */
            FILTER,
            /** An algorithm of one of the two ends the attempt. */
            ERROR,
            /** Only one of the two has the algorithm, or counts it for this pod. */
            ONE_SIDED,
            /** Both give the same scores, which do not weigh the same. */
            WEIGHT,
            /** Both give different scores. */
            FORMULA,
            /** Both decide alike; what was placed before is elsewhere. */
            EARLIER_PLACEMENTS,
            /** One of them refuses the pod before any algorithm is asked. */
            CHECK;

            @Override
            public String toString() {
                return name().toLowerCase(Locale.ROOT).replace('_', '-');
            }
        }

        /**
         * What one algorithm gives to the two nodes.
         *
         * @param ofReference whether the reference has it, or the other one
         * @param algorithm name of the priority or plugin
         * @param weight factor of the scores; 0 when the algorithm sat out for this pod
         * @param referenceNode score of the node that the reference likes best, before the weight
         * @param otherNode score of the node that the other one likes best
         */
        public record ScorePair(
                boolean ofReference, String algorithm, long weight, long referenceNode, long otherNode) {}

        /**
         * Another weight.
         *
         * @param ofReference whether it is changed in the reference, or in the other one
         */
        public record WeightChange(boolean ofReference, String algorithm, long from, long to) {}

        public Cause {
            reference = ImmutableSet.copyOf(reference);
            other = ImmutableSet.copyOf(other);
            reasons = ImmutableList.copyOf(reasons);
            scores = ImmutableList.copyOf(scores);
        }

        /** A cause that is no algorithm. */
        static Cause outside(Kind kind, String text) {
            return new Cause(kind, null, Set.of(), Set.of(), "", List.of(), text, "", List.of(), null);
        }

        /** What it is counted under. */
        public String label() {
            if (concept != null) {
                return concept.toString();
            }
            return kind == Kind.EARLIER_PLACEMENTS ? "earlier placements" : "checks before any algorithm";
        }

        /** Leaves the cause out of the reference, or of the other one, besides what is left out already. */
        public Adjustment leaveOut(Adjustment adjustment, boolean ofReference) {
            if (concept == null) {
                return adjustment;
            }
            Set<String> names = ofReference ? reference : other;
            return concept.role() == AlgorithmConcept.Role.FILTER
                    ? adjustment.withoutFilters(names)
                    : adjustment.withoutScores(names);
        }
    }

    /**
     * How two ways of deciding relate for one pod. Which of several equally good nodes is taken is chance, so what counts are
     * the sets of best nodes.
     */
    public enum Agreement {
        /** The same best nodes. */
        SAME,
        /** Some best nodes are the same: they may agree. */
        TIE,
        /** No best node is the same. */
        DIFFERENT,
        /** Only the reference finds a node. */
        ONLY_REFERENCE,
        /** Only the other finds a node. */
        ONLY_OTHER,
        /** Neither finds a node. */
        NEITHER,
        /** One of them ends with an error, the other finds a node. */
        ERROR;

        /** How two results for one pod relate. */
        public static Agreement of(Evaluation reference, Evaluation other) {
            return of(Ranking.of(reference), Ranking.of(other));
        }

        /** The same of what the two come to. */
        static Agreement of(Ranking reference, Ranking other) {
            List<String> one = reference.best();
            List<String> two = other.best();
            if (one.isEmpty() && two.isEmpty()) {
                return NEITHER;
            }
            if (isError(reference) || isError(other)) {
                return ERROR;
            }
            if (two.isEmpty()) {
                return ONLY_REFERENCE;
            }
            if (one.isEmpty()) {
                return ONLY_OTHER;
            }
            if (one.equals(two)) {
                return SAME;
            }
            return common(one, two) == null ? DIFFERENT : TIE;
        }

        /** The first of two sorted lists that is in both; null when there is none. */
        static @Nullable String common(List<String> one, List<String> two) {
            int at = 0;
            for (String name : one) {
                while (at < two.size() && two.get(at).compareTo(name) < 0) {
                    at++;
                }
                if (at < two.size() && two.get(at).equals(name)) {
                    return name;
                }
            }
            return null;
        }

        private static boolean isError(Ranking ranking) {
            return ranking.error() != null && !ranking.fitError();
        }

        /** True when the switch from one to the other need not show. */
        public boolean agrees() {
            return this == SAME || this == TIE || this == NEITHER;
        }

        /** As in reports for programs. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
