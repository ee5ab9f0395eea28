package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.compiler.Excerpt;

/**
 * Something found in a rule.
 *
 * @param message what it is, naming the part
 * @param suggestion what to do about it
 * @param field field of the rule that the place belongs to: {@code expression}, {@code when}, or another one, then the place is
 *     the beginning of the expression
 * @param place where it begins
 */
public record Finding(LintCode code, String message, String suggestion, String field, Excerpt place) {
    /** One line without place: {@code L002: node.podCount >= 0 is always true; leave it out}. */
    public String text() {
        return code.code() + ": " + message + "; " + suggestion;
    }
}
