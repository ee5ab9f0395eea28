package io.policyscheduler.engine.rules.compiler;

import org.jspecify.annotations.Nullable;

/**
 * Why a rule is refused.
 *
 * @param code the stable code
 * @param message what is wrong, naming the value
 * @param hint the way out; null when the message says it
 * @param expression the text that the position belongs to
 * @param offset 0-based offset in {@code expression} of the first character to blame
 */
public record RuleProblem(
        RuleCode code, String message, @Nullable String hint, String expression, int offset) {
    /** Where it is. */
    public Excerpt excerpt() {
        return new Excerpt(expression, offset);
    }

    /** 1-based line in the expression. */
    public int line() {
        return excerpt().line();
    }

    /** 1-based column in that line, in characters. */
    public int column() {
        return excerpt().column();
    }

    /** One line without position: {@code R013: pod has no member 'lable'; did you mean "label"?}. */
    public String text() {
        return code.code() + ": " + message + (hint == null ? "" : "; " + hint);
    }

    /** The line of the expression that is to blame, and under it a caret. */
    public String caret() {
        return excerpt().caret();
    }

    /** Position, text and caret: {@code line:column: R013: ...} and the source below. */
    public String format() {
        return line() + ":" + column() + ": " + text() + "\n"
                + caret().indent(2).stripTrailing();
    }
}
