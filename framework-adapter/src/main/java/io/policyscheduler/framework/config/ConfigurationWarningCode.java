package io.policyscheduler.framework.config;

/** The codes of what an accepted configuration says that is probably not meant. */
final class ConfigurationWarningCode {
    /** A key that v1alpha1 drops in lenient decoding. */
    public static final String UNKNOWN_FIELD = "W201";
    /** A key that stands twice in v1alpha1; the last counts. */
    public static final String DUPLICATE_FIELD = "W202";
    /** Documents after the first, which are ignored. */
    public static final String MORE_DOCUMENTS = "W203";
    /** {@code disabled} lists of v1alpha1, which v1.17 ignores. */
    public static final String DISABLED_IGNORED = "W204";
    /** Both {@code provider} and {@code policy}; v1.17 takes the provider. */
    public static final String POLICY_IGNORED = "W205";
    /** A bind address that cannot be parsed, for which the default is taken. */
    public static final String BIND_ADDRESS = "W206";

    private ConfigurationWarningCode() {}
}
