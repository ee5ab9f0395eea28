package io.policyscheduler.engine.document;

import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import org.jspecify.annotations.Nullable;

/**
 * One thing wrong with a document.
 *
 * @param code stable code: {@code P001} and up for policies, {@code C001} and up for configurations, {@code R001} and up for
 *     rules
 * @param message what kube-scheduler says about it, without the prefix of the start-up step
 * @param file name of the file, as given to the reader
 * @param position where in the file, unknown if the file does not say it
 * @param value the offending name or value, empty if there is none
 * @param suggestion what was probably meant, null if nothing is near
 * @param replacement what has replaced the value in this version, such as a field of another plugin; null if nothing has
 */
public record Problem(
        String code,
        String message,
        String file,
        SourcePosition position,
        String value,
        @Nullable String suggestion,
        @Nullable String replacement) {

    /** A problem without a replacement. */
    public Problem(
            String code,
            String message,
            String file,
            SourcePosition position,
            String value,
            @Nullable String suggestion) {
        this(code, message, file, position, value, suggestion, null);
    }

    /** A problem without a suggestion. */
    public static Problem at(String code, String message, String file, SourcePosition position, String value) {
        return new Problem(code, message, file, position, value, null);
    }

    /** A problem without a suggestion that is not about one value. */
    public static Problem at(String code, String message, String file, SourcePosition position) {
        return at(code, message, file, position, "");
    }

    /** The same problem with what was probably meant, null for nothing. */
    public Problem suggesting(@Nullable String better) {
        return new Problem(code, message, file, position, value, better, replacement);
    }

    /** The same problem with what has replaced the value. */
    public Problem replacedBy(String successor) {
        return new Problem(code, message, file, position, value, suggestion, successor);
    }

    /** 1-based line, 0 if unknown. */
    public int lineNumber() {
        return position.line();
    }

    /** 1-based column, 0 if unknown. */
    public int column() {
        return position.column();
    }

    /** The line of a rule's expression that is to blame and a caret under it, in two lines; empty for other problems. */
    public String excerpt() {
        return value.endsWith("^") && value.indexOf('\n') >= 0 ? value : "";
    }

    /**
     * One line: {@code FILE:LINE:COLUMN: message (did you mean "X"?)} or {@code message; X replaces it}; unknown parts of the position are
     * left out.
     */
    public String line() {
        String hint = suggestion == null ? "" : " (did you mean \"" + suggestion + "\"?)";
        return position.in(file) + ": " + message.replace("\n", " ").replace("\r", " ") + hint
                + (replacement == null ? "" : "; " + replacement + " replaces it");
    }
}
