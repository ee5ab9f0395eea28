package io.policyscheduler.engine.document;

/**
 * Something in an accepted document that is probably not meant.
 *
 * @param code stable code: {@code W001} and up for policies, {@code W201} and up for configurations
 * @param message the text without position
 * @param position where in the file
 */
public record Warning(String code, String message, SourcePosition position) {
    /** {@code FILE:LINE:COLUMN: warning CODE: message}. */
    public String line(String file) {
        return position.in(file) + ": warning " + code + ": " + message;
    }
}
