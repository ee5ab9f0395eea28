package io.policyscheduler.framework.config;

/** The codes of what can be wrong with a configuration. */
final class ConfigurationProblemCode {
    /** The file cannot be parsed, or a value does not fit its field. */
    public static final String DECODE = "C001";
    /** kind or apiVersion is not one of a scheduler configuration. */
    public static final String KIND = "C002";
    /** A key that the version does not know. */
    public static final String UNKNOWN_FIELD = "C003";
    /** A key that stands twice in one object. */
    public static final String DUPLICATE_FIELD = "C004";
    /** A value that fails validation. */
    public static final String INVALID = "C005";
    /** Plugins from which no profile can be built. */
    public static final String PLUGINS = "C006";

    private ConfigurationProblemCode() {}
}
