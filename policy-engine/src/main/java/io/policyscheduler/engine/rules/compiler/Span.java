package io.policyscheduler.engine.rules.compiler;

/**
 * A piece of the text of a rule.
 *
 * @param start offset of its first character
 * @param end offset after its last character
 */
public record Span(int start, int end) {
    /** The piece itself. */
    public String of(String text) {
        return text.substring(start, end);
    }
}
