package io.policyscheduler.engine.document;

/**
 * A position in a document.
 *
 * @param line 1-based line, 0 if unknown
 * @param column 1-based column in characters, 0 if unknown
 */
public record SourcePosition(int line, int column) {
    /** Nowhere. */
    public static final SourcePosition UNKNOWN = new SourcePosition(0, 0);

    /** Whether it is a place at all. */
    public boolean known() {
        return line > 0;
    }

    /** With the name of the file: {@code FILE:LINE:COLUMN}; what is unknown is left out. */
    public String in(String file) {
        return file + (line > 0 ? ":" + line : "") + (line > 0 && column > 0 ? ":" + column : "");
    }

    @Override
    public String toString() {
        return known() ? line + ":" + column : "?";
    }
}
