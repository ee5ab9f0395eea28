package io.policyscheduler.engine.rules.data;

/**
 * How large tables may be. A table is meant for facts about hosts, instance types or teams; it is held in memory once for each
 * policy that names it, and read anew as a whole whenever it changes.
 */
public final class TableLimits {
    /** Tables of one policy. */
    public static final int MAX_TABLES = 64;
    /** Characters of the text of a table, a little more than a ConfigMap can hold (1 MiB). */
    public static final int MAX_TEXT = 1 << 21;
    /** Keys of a table: a row for each node of the largest clusters, several times over. */
    public static final int MAX_KEYS = 50_000;
    /** Characters of a key: the longest names of Kubernetes have 253, with a prefix. */
    public static final int MAX_KEY = 512;
    /** Characters of a string; what rules do with strings costs by their length. */
    public static final int MAX_STRING = 1_024;
    /** Fields of a record. */
    public static final int MAX_FIELDS = 32;
    /** Characters of the name of a table or field, which stand in expressions and metrics. */
    public static final int MAX_NAME = 63;

    private TableLimits() {}
}
