package io.policyscheduler.engine.policy;

/** The codes of what can be wrong with a policy. */
public final class PolicyProblemCode {
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

    /** A document that is empty or has no field of a policy. */
    public static final String NO_CONTENT = "P013";

    private PolicyProblemCode() {}
}
