package io.policyscheduler.engine.rules.direct;

/**
 * One part of an expression and what it came to.
 *
 * @param depth level of nesting, 0 for the whole expression
 * @param text the part, in the words of the rule language with all parentheses
 * @param value {@code true}, {@code 7.5}, {@code 'underlay'}, {@code 3 elements}, or {@code failed: division by zero}
 */
public record TraceStep(int depth, String text, String value) {}
