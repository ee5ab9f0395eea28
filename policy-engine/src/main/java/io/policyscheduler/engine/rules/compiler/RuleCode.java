package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.LinearPattern;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.Locale;

/** The kinds of compiler errors. Codes are stable, because tools and users refer to them. */
public enum RuleCode {
    /** Only white space. */
    EMPTY(1),
    /** More characters than {@link RuleLimits#length()}. */
    TOO_LONG(2),
    /** A character that the language does not have. */
    CHARACTER(3),
    /** An unterminated string, or an invalid escape. */
    STRING(4),
    /** A malformed or too large number. */
    NUMBER(5),
    /** An unexpected token. */
    SYNTAX(6),
    /** Nested deeper than {@link RuleLimits#depth()}. */
    TOO_DEEP(7),
    /** More terms than {@link RuleLimits#terms()}. */
    TOO_MANY_TERMS(8),
    /** An unsupported keyword of MVEL or Java. */
    KEYWORD(9),
    /** An assignment to an existing name, increment or decrement. */
    ASSIGNMENT(10),
    /** A statement, block or comment that is not allowed. */
    STATEMENT(11),
    /** A name that is not bound. */
    UNKNOWN_NAME(12),
    /** A member that the type does not have. */
    UNKNOWN_MEMBER(13),
    /** A function that does not exist. */
    UNKNOWN_FUNCTION(14),
    /** A wrong number of arguments, or a missing literal. */
    ARGUMENTS(15),
    /** An operand of the wrong type. */
    TYPE(16),
    /** The whole expression is of the wrong type. */
    RESULT(17),
    /** A malformed or too large pattern of {@code matches}. */
    PATTERN(18),
    /** A string that is not a quantity where one is needed. */
    QUANTITY(19),
    /** A list that is empty, mixed or too long. */
    LIST(20),
    /** The estimated cost of an evaluation exceeds {@link RuleLimits#cost()}. */
    COST(21),
    /** {@code when} reads something other than the pod. */
    WHEN(22),
    /** A constant part of the expression always fails. */
    CONSTANT(23),
    /** An attempt to access a class or its members. */
    CLASS_ACCESS(24),
    /** An unknown parameter, or an invalid value. */
    PARAMETER(25),
    /** A definition with a missing, unknown or misplaced field. */
    DEFINITION(26),
    /** A missing or duplicate rule of a library. */
    LIBRARY(27),
    /** A path through the statements without a value. */
    NO_VALUE(28),
    /** An optional value where a value is required. */
    MISSING(29),
    /** A table with an invalid declaration, source or values. */
    TABLE(30);

    private final String code;

    RuleCode(int number) {
        this.code = String.format(Locale.ROOT, "R%03d", number);
    }

    /** The code that users see, {@code R001} and up. */
    public String code() {
        return code;
    }

    /**
     * The limits of rules. All but the budgets are checked at compile time.
     *
     * @param length characters of an expression
     * @param depth levels of nesting
     * @param terms operands and operators of an expression
     * @param listItems items of a list literal
     * @param cost estimated cost of one evaluation; one member access, operator or literal costs about 1
     * @param pods assumed number of pods of a node
     * @param elements likewise containers, taints and tolerations
     * @param patternSize characters and classes of a pattern of {@code matches}, at most {@value LinearPattern#MAX_SIZE}
     * @param evaluation maximum cost of an evaluation, in the units of {@code cost}
     * @param attempt maximum total cost of the evaluations of one pod for all nodes
     */
    public record RuleLimits(
            int length,
            int depth,
            int terms,
            int listItems,
            long cost,
            int pods,
            int elements,
            int patternSize,
            long evaluation,
            long attempt) {
        /** The default limits. */
        public static final RuleLimits DEFAULT =
                new RuleLimits(2_000, 32, 400, 64, 200_000, 500, 50, LinearPattern.MAX_SIZE, 200_000, 100_000_000);

        /** The assumed number of elements of a list. */
        public int elements(RuleType list) {
            return list == RuleType.PODS ? pods : elements;
        }

        /**
         * The budget of one evaluation in a cluster with this number of nodes. Each node gets the same share of an attempt, so that
         * its result depends neither on other nodes nor on the number of evaluated ones.
         */
        public long budget(int nodes) {
            return Math.min(evaluation, attempt / Math.max(1, nodes));
        }

        public RuleLimits {
            if (length < 1 || depth < 1 || terms < 1 || listItems < 1 || cost < 1 || patternSize < 1) {
                throw new IllegalArgumentException("limits start at 1");
            }
            if (pods < 1 || elements < 1) {
                throw new IllegalArgumentException("list limits start at 1");
            }
            if (evaluation < 1 || attempt < 1) {
                throw new IllegalArgumentException("budgets start at 1");
            }
            if (depth > 200) {
                throw new IllegalArgumentException(
                        "depth " + depth + " is more than the stack is good for; at most 200");
            }
            if (patternSize > LinearPattern.MAX_SIZE) {
                throw new IllegalArgumentException(
                        "pattern size " + patternSize + "; at most " + LinearPattern.MAX_SIZE);
            }
        }
    }
}
