package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.RuleException.PrintableText;
import io.policyscheduler.engine.rules.compiler.RuleException.ProblemFactory;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A rule in a Policy file or a library.
 *
 * @param name for users
 * @param use name of the library rule whose expression it uses, empty if it has its own
 * @param expression the expression, empty when {@code use} is given
 * @param when condition over the pod under which the rule applies, null for always
 * @param params values of {@code params.NAME}: Boolean, Double, String, or a list of Doubles or Strings
 * @param reason text of a failing predicate, null for the default
 * @param resolvable true when preemption may help a failing predicate, null to derive it from what the rule reads
 * @param normalize a word of {@link Normalize}; null for {@link Normalize#NONE}
 * @param onError a word of {@link OnError}; null for the default
 * @param place its position, for messages
 */
public record RuleDefinition(
        String name,
        String use,
        String expression,
        @Nullable String when,
        Map<String, Object> params,
        @Nullable String reason,
        @Nullable Boolean resolvable,
        @Nullable String normalize,
        @Nullable String onError,
        Place place) {
    /**
     * The place of a rule.
     *
     * @param file name of the file
     * @param line 1-based line of the rule, 0 if unknown
     * @param column 1-based column of the rule
     */
    public record Place(String file, int line, int column) {}

    public RuleDefinition {
        params = Collections.unmodifiableMap(new LinkedHashMap<>(params));
    }

    /**
     * A copy with the values of the library rule for everything that is not set here.
     *
     * @throws RuleException if it sets a parameter that the library rule does not have, or one of another type
     */
    public RuleDefinition over(RuleDefinition library) throws RuleException {
        Map<String, Object> merged = new LinkedHashMap<>(library.params());
        for (Map.Entry<String, Object> param : params.entrySet()) {
            Object known = library.params().get(param.getKey());
            if (known == null || !kind(known).equals(kind(param.getValue()))) {
                throw new ProblemFactory(library.expression())
                        .at(
                                RuleCode.PARAMETER,
                                0,
                                "rule " + library.name() + " has no parameter '" + PrintableText.text(param.getKey())
                                        + "'" + (known == null ? "" : " that is a " + kind(param.getValue())),
                                known == null
                                        ? "it has: "
                                                + String.join(
                                                        ", ", library.params().keySet())
                                        : "give a " + kind(known));
            }
            merged.put(param.getKey(), param.getValue());
        }
        return new RuleDefinition(
                name,
                use,
                library.expression(),
                when == null ? library.when() : when,
                merged,
                reason == null ? library.reason() : reason,
                resolvable == null ? library.resolvable() : resolvable,
                normalize == null ? library.normalize() : normalize,
                onError == null ? library.onError() : onError,
                place);
    }

    private static String kind(Object value) {
        if (value instanceof Boolean) {
            return "bool";
        }
        return value instanceof Number ? "number" : value instanceof String ? "string" : "list";
    }

    /** The effect of a failure of a rule on a node. */
    public enum OnError {
        /** A predicate rejects the node. The default of predicates. */
        REJECT,
        /** A priority scores the node 0 after normalizing. The default of priorities. */
        ZERO,
        /** The rule is ignored: a predicate passes the node; a priority that fails for any node scores 0 for all of them. */
        IGNORE;

        /** The word in a Policy file. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The value of a word in a Policy file. */
        public static Optional<OnError> of(String word) {
            for (OnError value : values()) {
                if (value.word().equals(word)) {
                    return Optional.of(value);
                }
            }
            return Optional.empty();
        }

        /**
         * The value of a definition.
         *
         * @param usual the default; this and {@link #IGNORE} are allowed
         * @throws RuleException for another value
         */
        static OnError of(RuleDefinition definition, OnError usual, String user) throws RuleException {
            String word = definition.onError();
            if (word == null) {
                return usual;
            }
            OnError value = of(word).orElse(null);
            if (value != usual && value != IGNORE) {
                throw new ProblemFactory(definition.expression())
                        .at(
                                RuleCode.DEFINITION,
                                0,
                                "onError '" + PrintableText.text(word) + "'",
                                "for a " + user + " there are " + usual.word() + " and ignore");
            }
            return value;
        }
    }

    /** The normalization of the values of a priority to scores from 0 to 100. */
    public enum Normalize {
        /** Rounded to integers and clamped to 0..100. */
        NONE,
        /** The greatest number becomes 100, 0 stays 0, negative ones become 0. */
        MAX,
        /** The smallest number becomes 0, the greatest 100; all are 0 if they are equal. */
        MINMAX,
        /** 100 minus {@link #MAX}: the smaller the number the better; all are 100 if none is above 0. */
        REVERSE;

        /** The word in a Policy file. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The value of a word in a Policy file. */
        public static Optional<Normalize> of(String word) {
            for (Normalize value : values()) {
                if (value.word().equals(word)) {
                    return Optional.of(value);
                }
            }
            return Optional.empty();
        }

        /**
         * Converts the bits of numbers to scores, in place; a failed rule, marked by NaN, scores 0.
         *
         * @param together whether one failure makes all scores 0
         */
        void apply(long[] scores, boolean together) {
            double min = Double.POSITIVE_INFINITY;
            double max = Double.NEGATIVE_INFINITY;
            for (long bits : scores) {
                double number = Double.longBitsToDouble(bits);
                if (together && Double.isNaN(number)) {
                    Arrays.fill(scores, 0);
                    return;
                }
                // Both are false for NaN.
                min = number < min ? number : min;
                max = number > max ? number : max;
            }
            // Many nodes have the number of the node before them.
            long lastBits = Double.doubleToLongBits(Double.NaN);
            long lastScore = 0;
            for (int i = 0; i < scores.length; i++) {
                if (scores[i] != lastBits) {
                    lastBits = scores[i];
                    double number = Double.longBitsToDouble(lastBits);
                    lastScore = Double.isNaN(number) ? 0 : score(number, min, max);
                }
                scores[i] = lastScore;
            }
        }

        private long score(double number, double min, double max) {
            return switch (this) {
                case NONE -> cut(number);
                case MAX -> max <= 0 ? 0 : cut(100 * (number / max));
                case MINMAX -> max <= min ? 0 : cut(100 * (number / 2 - min / 2) / (max / 2 - min / 2));
                case REVERSE -> max <= 0 ? 100 : 100 - cut(100 * (number / max));
            };
        }

        /** Rounds half up and clamps. */
        private static long cut(double number) {
            return Math.max(0, Math.min(100, Math.round(number)));
        }
    }
}
