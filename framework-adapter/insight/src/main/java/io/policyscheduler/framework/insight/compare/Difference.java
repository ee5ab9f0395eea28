package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How another scheduler relates to the reference for one pod.
 *
 * @param agreement how the two results relate
 * @param causes why they differ; empty if they agree or no cause was found
 * @param agreeOn a node that is best for both without the causes; null if neither finds one then, and without causes
 * @param otherReasons neither finds a node, for different reasons
 */
public record Difference(
        Agreement agreement, List<Cause> causes, @Nullable String agreeOn, boolean otherReasons) {
    /** The label of a difference without causes. */
    public static final String NOT_FOUND = "cause not found";

    public Difference {
        causes = ImmutableList.copyOf(causes);
    }

    /** A relevant difference. */
    Difference(Agreement agreement, List<Cause> causes, @Nullable String agreeOn) {
        this(agreement, causes, agreeOn, false);
    }

    /** Both agree. */
    static Difference none(Agreement agreement, boolean otherReasons) {
        return new Difference(agreement, List.of(), null, otherReasons);
    }

    /**
     * The label for counting. If only one of the two finds a node, it is the cause why the other does not; the node without that
     * cause does not matter.
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

    /** The causes for users, and the result without them. */
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

    /** The difference between the formulas of {@link #label()} in the two releases; empty if none is known. */
    public String note() {
        return counted().stream()
                .map(Cause::note)
                .filter(note -> !note.isEmpty())
                .distinct()
                .collect(Collectors.joining(" "));
    }

    /**
     * An algorithm that makes two schedulers differ for a pod. Without all causes of a difference both agree; without all but one
     * of them they do not.
     *
     * @param kind why it is a cause
     * @param concept to leave out of both; null if nothing can be left out
     * @param reference the names to leave out of the reference, empty if it has none
     * @param other the names to leave out of the other one
     * @param node the node that a filter rejects; empty for other kinds
     * @param reasons of the filter, or the error
     * @param text for users
     * @param note the difference between the formulas of the two releases; empty if none is known
     * @param scores the scores of the two nodes in question; empty for filters
     * @param weight another weight with which both agree, or null
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
        /** The kinds of causes. */
        public enum Kind {
            /** One of the two rejects a node that is feasible for the other. */
            FILTER,
            /** An algorithm of one of the two ends the attempt. */
            ERROR,
            /** Only one of the two has the algorithm, or scores this pod with it. */
            ONE_SIDED,
            /** Both have equal scores with different weights. */
            WEIGHT,
            /** The scores differ. */
            FORMULA,
            /** Both decide equally; earlier placements differ. */
            EARLIER_PLACEMENTS,
            /** One of them rejects the pod before any algorithm runs. */
            CHECK;

            @Override
            public String toString() {
                return name().toLowerCase(Locale.ROOT).replace('_', '-');
            }
        }

        /**
         * The scores of one algorithm for the two nodes.
         *
         * @param ofReference whether the reference has it, or the other one
         * @param algorithm name of the priority or plugin
         * @param weight factor of the scores; 0 if the algorithm skipped this pod
         * @param referenceNode score of the best node of the reference, before the weight
         * @param otherNode score of the best node of the other one
         */
        public record ScorePair(
                boolean ofReference, String algorithm, long weight, long referenceNode, long otherNode) {}

        /**
         * Another weight.
         *
         * @param ofReference whether the reference is changed, or the other one
         */
        public record WeightChange(boolean ofReference, String algorithm, long from, long to) {}

        public Cause {
            reference = ImmutableSet.copyOf(reference);
            other = ImmutableSet.copyOf(other);
            reasons = ImmutableList.copyOf(reasons);
            scores = ImmutableList.copyOf(scores);
        }

        /** A cause that is not an algorithm. */
        static Cause outside(Kind kind, String text) {
            return new Cause(kind, null, Set.of(), Set.of(), "", List.of(), text, "", List.of(), null);
        }

        /** The label for counting. */
        public String label() {
            if (concept != null) {
                return concept.toString();
            }
            return kind == Kind.EARLIER_PLACEMENTS ? "earlier placements" : "checks before any algorithm";
        }

        /** Adds the cause to an adjustment of the reference or of the other one. */
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
     * How the results of two schedulers relate for one pod. The choice among equally good nodes is arbitrary, so the sets of best
     * nodes are compared.
     */
    public enum Agreement {
        /** The same best nodes. */
        SAME,
        /** Some best nodes are the same. */
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
        public static Agreement of(Ranking reference, Ranking other) {
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

        /** The first common element of two sorted lists; null if there is none. */
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

        /** True if both can select the same node. */
        public boolean agrees() {
            return this == SAME || this == TIE || this == NEITHER;
        }

        /** The name in machine-readable reports. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
