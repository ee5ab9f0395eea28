package io.policyscheduler.engine.policy;

/** Codes of warnings about an accepted policy: what v1.17 ignores, merges, rejects or fails on, or what is probably unintended. */
public final class PolicyWarningCode {
    /** alwaysCheckAllPredicates, which v1.17 ignores. */
    public static final String ALWAYS_CHECK_ALL = "W001";
    /** hardPodAffinitySymmetricWeight of the file, which v1.17 ignores. */
    public static final String HARD_WEIGHT = "W002";
    /** PodFitsPorts, which v1.17 never runs. */
    public static final String POD_FITS_PORTS = "W003";
    /** GeneralPredicates next to one of its parts, on which v1.17 exits. */
    public static final String GENERAL_AND_PART = "W004";
    /** The same name or argument twice. */
    public static final String DUPLICATE_NAME = "W005";
    /** ServiceSpreadingPriority, which scores as SelectorSpreadPriority. */
    public static final String SERVICE_SPREADING = "W006";
    /** A weight beyond 32 bits, which v1.17 truncates. */
    public static final String TRUNCATED_WEIGHT = "W007";
    /** No predicate checks resources. */
    public static final String NO_RESOURCE_CHECK = "W008";
    /** The argument of an entry determines the algorithm, not its built-in name. */
    public static final String NAME_OVERRIDDEN = "W009";
    /** A label or label list that is empty or cannot match. */
    public static final String LABELS = "W010";
    /** ResourceLimitsPriority or its gate. */
    public static final String RESOURCE_LIMITS = "W011";
    /** EqualPriority, which is skipped. */
    public static final String EQUAL_PRIORITY = "W012";
    /** A negative weight of a resource. */
    public static final String NEGATIVE_RESOURCE_WEIGHT = "W013";
    /** The same resource twice in one list. */
    public static final String DUPLICATE_RESOURCE = "W014";
    /** An httpTimeout that looks like milliseconds or seconds but is nanoseconds. */
    public static final String SMALL_TIMEOUT = "W015";
    /** Documents after the first, which are ignored. */
    public static final String MORE_DOCUMENTS = "W016";
    /** A label required or preferred both present and absent, on which v1.17 exits. */
    public static final String LABEL_CONFLICT = "W017";
    /** A gate is enabled, but the explicit list does not contain its algorithm. */
    public static final String GATE_NOT_LISTED = "W018";
    /** A plain entry that replaces an accumulated weight. */
    public static final String WEIGHT_REPLACED = "W019";
    /** An extender without URL or verbs. */
    public static final String INERT_EXTENDER = "W020";
    /** A name of another release that was renamed, is mandatory, needs no gate or has no effect today. */
    public static final String NAME_CHANGED = "W021";
    /** A form of other releases: no kind or apiVersion, keys in another case, a duration as string. */
    public static final String FORM = "W022";
    /** A field that no release had, which is ignored. */
    public static final String LEFT_OUT = "W023";
    /** A duplicate key, of which the last applies. */
    public static final String DUPLICATE_KEY = "W024";
    /** Preferences with different weights, which v1.17 rejects. */
    public static final String DIFFERENT_WEIGHTS = "W025";
    /** Values of a table that the policy does not have. */
    public static final String NO_SUCH_TABLE = "W026";
    /** An empty file. */
    public static final String SAYS_NOTHING = "W027";
    /** A field newer than v1.17 that is ignored on request. */
    public static final String FIELD_IGNORED = "W030";
    /** An extender over TLS without a CA, which v1.17 does not verify. */
    public static final String EXTENDER_WITHOUT_CA = "W031";

    /** A policy in a ConfigMap under a key that kube-scheduler does not read. */
    public static final String OTHER_KEY = "W032";

    /** A resource that no node has, of a RequestedToCapacityRatio priority. */
    public static final String UNKNOWN_RESOURCE = "W033";
    /** A label argument without presence, which means absent. */
    public static final String NO_PRESENCE = "W034";
    /** A resource of weight 0, which means 1. */
    public static final String WEIGHT_ZERO = "W035";

    /** Extenders that an offline command does not call. */
    public static final String EXTENDERS = "W036";

    /** A KubeSchedulerConfiguration next to a policy. */
    public static final String CONFIGURATION_BESIDES = "W037";
    /** Bytes of a JSON file that are not UTF-8. */
    public static final String NOT_UTF8 = "W038";

    private PolicyWarningCode() {}
}
