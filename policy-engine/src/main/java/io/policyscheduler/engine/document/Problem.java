package io.policyscheduler.engine.document;

import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import org.jspecify.annotations.Nullable;

/**
 * An error in a document.
 *
 * @param code stable code: {@code P001} and up for policies, {@code C001} and up for configurations, {@code R001} and up for rules
 * @param message the message of kube-scheduler, without the prefix of the start-up step
 * @param file name of the file, as given to the reader
 * @param position in the file, unknown if it is not from the file
 * @param value the invalid name or value, empty if there is none
 * @param suggestion the probably intended name, null if none is near
 * @param replacement what has replaced the value in this version, such as a field of another plugin; null for none
 * @param explanation the cause and the way out, where the message of kube-scheduler does not name them; empty for none
 */
public record Problem(
        String code,
        String message,
        String file,
        SourcePosition position,
        String value,
        @Nullable String suggestion,
        @Nullable String replacement,
        String explanation) {

    /** A problem without a replacement and an explanation. */
    public Problem(
            String code,
            String message,
            String file,
            SourcePosition position,
            String value,
            @Nullable String suggestion) {
        this(code, message, file, position, value, suggestion, null, "");
    }

    /** A problem without a suggestion. */
    public static Problem at(String code, String message, String file, SourcePosition position, String value) {
        return new Problem(code, message, file, position, value, null);
    }

    /** A problem without a suggestion and value. */
    public static Problem at(String code, String message, String file, SourcePosition position) {
        return at(code, message, file, position, "");
    }

    /** A copy with a suggestion, null for none. */
    public Problem suggesting(@Nullable String better) {
        return new Problem(code, message, file, position, value, better, replacement, explanation);
    }

    /** A copy with a replacement. */
    public Problem replacedBy(String successor) {
        return new Problem(code, message, file, position, value, suggestion, successor, explanation);
    }

    /** A copy with an explanation. */
    public Problem explained(String text) {
        return new Problem(code, message, file, position, value, suggestion, replacement, text);
    }

    /** The message and the explanation. */
    public String explainedMessage() {
        return explanation.isEmpty() ? message : message + "; " + explanation;
    }

    /** 1-based line, 0 if unknown. */
    public int lineNumber() {
        return position.line();
    }

    /** 1-based column, 0 if unknown. */
    public int column() {
        return position.column();
    }

    /** The line of a rule's expression with the error and a caret under it, in two lines; empty for other problems. */
    public String excerpt() {
        return value.endsWith("^") && value.indexOf('\n') >= 0 ? value : "";
    }

    /**
     * One line: {@code FILE:LINE:COLUMN: message (did you mean "X"?)} or {@code message; X replaces it}; unknown parts of the
     * position are omitted.
     */
    public String line() {
        String hint = suggestion == null ? "" : " (did you mean \"" + suggestion + "\"?)";
        return position.in(file) + ": " + explainedMessage().replace("\n", " ").replace("\r", " ") + hint
                + (replacement == null ? "" : "; " + replacement + " replaces it");
    }
}
