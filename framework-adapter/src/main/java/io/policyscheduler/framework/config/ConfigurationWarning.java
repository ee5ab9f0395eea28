package io.policyscheduler.framework.config;

import io.policyscheduler.engine.policy.SourcePosition;

/**
 * Something in an accepted configuration that is probably not meant.
 *
 * @param code stable code, {@code W101} and up
 * @param message the text without position
 * @param position where in the file
 */
public record ConfigurationWarning(String code, String message, SourcePosition position) {
    /** A key that v1alpha1 drops in lenient decoding. */
    public static final String UNKNOWN_FIELD = "W101";
    /** A key that stands twice in v1alpha1; the last counts. */
    public static final String DUPLICATE_FIELD = "W102";
    /** Documents after the first, which are ignored. */
    public static final String MORE_DOCUMENTS = "W103";
    /** {@code disabled} lists of v1alpha1, which v1.17 ignores. */
    public static final String DISABLED_IGNORED = "W104";
    /** Both {@code provider} and {@code policy}; v1.17 takes the provider. */
    public static final String POLICY_IGNORED = "W105";
    /** A bind address that cannot be parsed, for which the default is taken. */
    public static final String BIND_ADDRESS = "W106";

    /** {@code FILE:LINE:COLUMN: warning CODE: message}. */
    public String line(String file) {
        String where = position.known() ? file + ":" + position : file;
        return where + ": warning " + code + ": " + message;
    }
}
