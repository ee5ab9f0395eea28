package io.policyscheduler.engine.policy;

import org.jspecify.annotations.Nullable;

/**
 * One thing wrong with a Policy file.
 *
 * @param code stable code, {@code P001} and up, or {@code R001} and up for rules
 * @param message what v1.17 says about it, without the prefix of the start-up step
 * @param file name of the file, as given to the reader
 * @param lineNumber 1-based line, 0 if unknown
 * @param column 1-based column, 0 if unknown
 * @param value the offending name or value, empty if there is none
 * @param suggestion what was probably meant, null if nothing is near
 */
public record PolicyProblem(
        String code,
        String message,
        String file,
        int lineNumber,
        int column,
        String value,
        @Nullable String suggestion) {

    /** The file cannot be parsed or decoded. */
    public static final String DECODE = "P001";
    /** kind or apiVersion is not one of a Policy. */
    public static final String KIND = "P002";
    /** A key that a Policy does not have. */
    public static final String UNKNOWN_FIELD = "P003";
    /** A key that stands twice in one object. */
    public static final String DUPLICATE_KEY = "P004";
    /** A value that fails validation. */
    public static final String INVALID = "P005";
    /** A predicate or priority that v1.17 does not know. */
    public static final String UNKNOWN_ALGORITHM = "P006";
    /** An entry with no or with several argument members. */
    public static final String ARGUMENT_COUNT = "P007";
    /** A bad utilization shape. */
    public static final String SHAPE = "P008";
    /** An extender whose HTTP client cannot be built. */
    public static final String EXTENDER = "P009";
    /** A weight or sum of weights out of range. */
    public static final String WEIGHT = "P010";
    /** An algorithm of v1.17 that this program does not contain. */
    public static final String NOT_BUILT_IN = "P011";
    /** A provider name that is not registered. */
    public static final String PROVIDER = "P012";

    static PolicyProblem at(String code, String message, String file, SourcePosition position, String value) {
        return new PolicyProblem(code, message, file, position.line(), position.column(), value, null);
    }

    PolicyProblem suggesting(@Nullable String better) {
        return new PolicyProblem(code, message, file, lineNumber, column, value, better);
    }

    /** The line of a rule's expression that is to blame and a caret under it, in two lines; empty for other problems. */
    public String excerpt() {
        return value.endsWith("^") && value.indexOf('\n') >= 0 ? value : "";
    }

    /** One line: {@code FILE:LINE:COLUMN: message (did you mean "X"?)}; unknown parts of the position are left out. */
    public String line() {
        StringBuilder text = new StringBuilder(file);
        if (lineNumber > 0) {
            text.append(':').append(lineNumber);
            if (column > 0) {
                text.append(':').append(column);
            }
        }
        text.append(": ").append(message.replace("\n", " ").replace("\r", " "));
        if (suggestion != null) {
            text.append(" (did you mean \"").append(suggestion).append("\"?)");
        }
        return text.toString();
    }
}
