package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.LinearPattern;
import io.policyscheduler.engine.rules.data.RuleType;

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
    /** The limits of a scheduler that is not told otherwise. */
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
            throw new IllegalArgumentException("depth " + depth + " is more than the stack is good for; at most 200");
        }
        if (patternSize > LinearPattern.MAX_SIZE) {
            throw new IllegalArgumentException("pattern size " + patternSize + "; at most " + LinearPattern.MAX_SIZE);
        }
    }
}
