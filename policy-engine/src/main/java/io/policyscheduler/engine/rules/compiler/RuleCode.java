package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.LinearPattern;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.Locale;

/** The kinds of refusal. Codes are stable: tools and people match on them. */
public enum RuleCode {
    /** Nothing but white space. */
    EMPTY(1),
    /** More characters than {@link RuleLimits#length()}. */
    TOO_LONG(2),
    /** A character that the language does not have. */
    CHARACTER(3),
    /** A string that does not end, or a bad escape in it. */
    STRING(4),
    /** A malformed or too large number. */
    NUMBER(5),
    /** A token where it cannot stand. */
    SYNTAX(6),
    /** Nested deeper than {@link RuleLimits#depth()}. */
    TOO_DEEP(7),
    /** More terms than {@link RuleLimits#terms()}. */
    TOO_MANY_TERMS(8),
    /** A word of MVEL or Java that rules do not have. */
    KEYWORD(9),
    /** An assignment to something that is there already, increment or decrement. */
    ASSIGNMENT(10),
    /** A statement or block where none can stand, and comments. */
    STATEMENT(11),
    /** A name that is not bound. */
    UNKNOWN_NAME(12),
    /** A member that the type does not have. */
    UNKNOWN_MEMBER(13),
    /** A function that does not exist. */
    UNKNOWN_FUNCTION(14),
    /** A wrong number of arguments, or one that is no literal where it must be. */
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
    /** The evaluation may cost more than {@link RuleLimits#cost()}. */
    COST(21),
    /** {@code when} looks at something other than the pod. */
    WHEN(22),
    /** A constant part of the expression fails whenever it is evaluated. */
    CONSTANT(23),
    /** An attempt to reach a class or its members. */
    CLASS_ACCESS(24),
    /** An unknown parameter, or a value that does not fit. */
    PARAMETER(25),
    /** A definition with a missing, unknown or misplaced field. */
    DEFINITION(26),
    /** A rule of a library that is not there, or is there twice. */
    LIBRARY(27),
    /** A path through the statements that ends without a value. */
    NO_VALUE(28),
    /** A value that may be missing where one is needed. */
    MISSING(29),
    /** A table whose declaration, source or values are refused. */
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
     * The limits of rules. All but the budgets is known before the rule runs for the first time.
     *
     * @param length characters of an expression
     * @param depth levels of nesting
     * @param terms operands and operators of an expression
     * @param listItems items of a list that is written out
     * @param cost estimated cost of one evaluation; one member access, operator or literal costs about 1
     * @param pods pods of a node that a list operation is estimated to visit
     * @param elements likewise containers, taints and tolerations
     * @param patternSize characters and classes of a pattern of {@code matches}, at most {@value LinearPattern#MAX_SIZE}
     * @param evaluation what an evaluation may really cost, in the units of {@code cost}
     * @param attempt what the evaluations of one pod for all nodes may really cost together
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

        /** How many elements of a list are estimated to be visited. */
        public int elements(RuleType list) {
            return list == RuleType.PODS ? pods : elements;
        }

        /**
         * What the estimated cost of one evaluation is in a cluster of so many nodes. Each node gets the same share of an attempt, so that its
         * answer depends neither on the nodes before it nor on how many of them are looked at.
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
