package io.policyscheduler.cmd.report;

import java.util.Locale;

/** How a command shows its result. */
public enum OutputFormat {
    /** For people. */
    TABLE,
    /** The same with all columns and rows, however wide they are. */
    WIDE,
    /** One JSON document. */
    JSON,
    /** The same document as YAML. */
    YAML,
    /** A report in Markdown, for a comment. */
    MARKDOWN;

    /** As written on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
