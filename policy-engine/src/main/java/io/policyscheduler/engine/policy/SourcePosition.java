package io.policyscheduler.engine.policy;

/**
 * Where something stands in a Policy file.
 *
 * @param line 1-based line, 0 if unknown
 * @param column 1-based column in characters, 0 if unknown
 */
public record SourcePosition(int line, int column) {
    public static final SourcePosition UNKNOWN = new SourcePosition(0, 0);

    public boolean known() {
        return line > 0;
    }

    @Override
    public String toString() {
        return known() ? line + ":" + column : "?";
    }
}
