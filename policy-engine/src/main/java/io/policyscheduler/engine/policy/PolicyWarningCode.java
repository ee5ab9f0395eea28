package io.policyscheduler.engine.policy;

/** The codes of traps in an accepted policy: what v1.17 ignores, merges, refuses or dies on, or what is probably not meant. */
public final class PolicyWarningCode {
    /** alwaysCheckAllPredicates, which v1.17 ignores. */
    public static final String ALWAYS_CHECK_ALL = "W001";
    /** hardPodAffinitySymmetricWeight of the file, which v1.17 ignores. */
    public static final String HARD_WEIGHT = "W002";
    /** PodFitsPorts, which v1.17 never runs. */
    public static final String POD_FITS_PORTS = "W003";
    /** GeneralPredicates beside one of its parts, on which v1.17 dies. */
    public static final String GENERAL_AND_PART = "W004";
    /** The same name or argument twice. */
    public static final String DUPLICATE_NAME = "W005";
    /** ServiceSpreadingPriority, which scores as SelectorSpreadPriority. */
    public static final String SERVICE_SPREADING = "W006";
    /** A weight beyond 32 bits, which v1.17 truncates. */
    public static final String TRUNCATED_WEIGHT = "W007";
    /** No predicate looks at resources. */
    public static final String NO_RESOURCE_CHECK = "W008";
    /** The argument of an entry decides, not its well-known name. */
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
    /** A label required or preferred both present and absent, on which v1.17 dies. */
    public static final String LABEL_CONFLICT = "W017";
    /** A gate is on, but the explicit list does not name its algorithm. */
    public static final String GATE_NOT_LISTED = "W018";
    /** A plain entry that replaces an accumulated weight. */
    public static final String WEIGHT_REPLACED = "W019";
    /** An extender without URL or verbs. */
    public static final String INERT_EXTENDER = "W020";
    /** A name of another release, which is another one today, is always done, needs no gate or says nothing any more. */
    public static final String NAME_CHANGED = "W021";
    /** A form that other releases took: no kind or apiVersion, keys in another case, a duration in words. */
    public static final String FORM = "W022";
    /** A field that no release had, which is left out. */
    public static final String LEFT_OUT = "W023";
    /** A key twice in one object, of which the last counts. */
    public static final String DUPLICATE_KEY = "W024";
    /** Preferences of different weights, which v1.17 refuses. */
    public static final String DIFFERENT_WEIGHTS = "W025";
    /** Values were given of a table that the policy does not have. */
    public static final String NO_SUCH_TABLE = "W026";
    /** A file without anything in it. */
    public static final String SAYS_NOTHING = "W027";
    /** A field that came after v1.17 and that somebody wants left out of account. */
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

    /** A KubeSchedulerConfiguration in the file of a policy. */
    public static final String CONFIGURATION_BESIDES = "W037";
    /** Bytes of a JSON file that are not UTF-8. */
    public static final String NOT_UTF8 = "W038";

    private PolicyWarningCode() {}
}
