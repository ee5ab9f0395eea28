package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.VisibleText;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A table as a policy or a library declares it.
 *
 * @param name what rules call it
 * @param origin where the values come from
 * @param fields the declared types, as in {@link TableSchema#fields()}; empty when the first values tell
 * @param defaults what counts where a value is missing, by field; empty for none
 * @param inline the values of a table that is written in the policy, else {@link TableValues#EMPTY}
 * @param measuring how values that have an age are taken
 * @param place where it stands, for messages
 */
public record TableDefinition(
        String name,
        TableOrigin origin,
        SortedMap<String, RuleType> fields,
        Map<String, Object> defaults,
        TableValues inline,
        Measuring measuring,
        Place place) {
    /**
     * The place of a table declaration.
     *
     * @param file name of the file
     * @param line 1-based line, 0 if unknown
     * @param column 1-based column
     */
    public record Place(String file, int line, int column) {}

    public TableDefinition {
        fields = Collections.unmodifiableSortedMap(new TreeMap<>(fields));
        defaults = Collections.unmodifiableMap(new TreeMap<>(defaults));
    }

    /** The same, standing elsewhere. */
    public TableDefinition in(Place other) {
        return new TableDefinition(name, origin, fields, defaults, inline, measuring, other);
    }

    /** What rules may ask for, once the types are known. */
    public TableSchema schema(SortedMap<String, RuleType> types) {
        return new TableSchema(name, types, new TreeMap<>(defaults).navigableKeySet(), measuring.plusPlaced());
    }

    /**
     * The settings for measured values, which have an age.
     *
     * @param staleAfter the age from which a value counts as missing, above 0; null for never
     * @param whenStale what holds then
     * @param plusPlaced by field, what is added for the pods that were placed on the node since; empty for nothing
     */
    public record Measuring(
            @Nullable Duration staleAfter, WhenStale whenStale, SortedMap<String, PlacedAmount> plusPlaced) {
        /** For values that have no age. */
        public static final Measuring NONE = new Measuring(null, WhenStale.DEFAULT, new TreeMap<>());

        public Measuring {
            plusPlaced = Collections.unmodifiableSortedMap(new TreeMap<>(plusPlaced));
        }
    }

    /** The effect of outdated values on rules. */
    public enum WhenStale {
        /** A value that is too old is missing; the table's default counts, if it has one. */
        DEFAULT,
        /** The same, and a rule that reads a table without a single value takes no part: all nodes fit, all score 0. */
        SKIP
    }

    /** The requests that are added to a measured value for pods that were placed later. */
    public enum PlacedAmount {
        /** Their CPU requests, in cores. */
        CPU("requested.cpu"),
        /** Their memory requests, in bytes. */
        MEMORY("requested.memory"),
        /** Their number. */
        PODS("pods");

        private final String text;

        PlacedAmount(String text) {
            this.text = text;
        }

        /** As policies write it. */
        public String text() {
            return text;
        }
    }

    /** The source of the values of a table. */
    public sealed interface TableOrigin {
        /** For users: {@code file prices.csv}. */
        String text();

        /** True when the values are asked for again and again, and each has the time at which it was true. */
        default boolean isMeasured() {
            return false;
        }

        /** Written in the policy itself. */
        record Inline() implements TableOrigin {
            @Override
            public String text() {
                return "the policy";
            }
        }

        /**
         * A file.
         *
         * @param path as written; relative to the file that has the table
         */
        record File(String path) implements TableOrigin {
            @Override
            public String text() {
                return "file " + path;
            }
        }

        /**
         * A key of a ConfigMap; how its text is read is told by the end of the key.
         *
         * @param key name of the entry of {@code data}
         */
        record ConfigMap(String namespace, String name, String key) implements TableOrigin {
            @Override
            public String text() {
                return "configmap " + namespace + "/" + name + "[" + key + "]";
            }
        }

        /**
         * The answer of a Prometheus server, or of one that speaks like it, to an instant query.
         *
         * @param url base, without a trailing slash and without {@code /api/v1}
         * @param label whose value is the key of a sample
         * @param interval from the end of one question to the next one
         * @param timeout for one question
         * @param bearerTokenFile read anew as it changes, relative to the file that has the table; null for none
         * @param caFile authorities in PEM, likewise; null for those that the Java machine trusts
         * @param verify whether the server's certificate is verified
         */
        record Prometheus(
                String url,
                String query,
                String label,
                Duration interval,
                Duration timeout,
                @Nullable String bearerTokenFile,
                @Nullable String caFile,
                boolean verify)
                implements TableOrigin {
            @Override
            public String text() {
                return "prometheus " + VisibleText.withoutPasswords(url);
            }

            @Override
            public boolean isMeasured() {
                return true;
            }
        }

        /**
         * What the API of metrics.k8s.io says that nodes use: records of cpu (cores) and memory (bytes) by the node's name.
         *
         * @param interval from the end of one question to the next one
         */
        record NodeMetrics(Duration interval) implements TableOrigin {
            @Override
            public String text() {
                return "metricsApi nodes";
            }

            @Override
            public boolean isMeasured() {
                return true;
            }
        }
    }

    /**
     * The size limits of tables. A table is meant for facts about hosts, instance types or teams; it is held in memory once for each
     * policy that names it, and read anew as a whole whenever it changes.
     */
    public static final class TableLimits {
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

    /**
     * The schema of a table: its name, its fields, and their types. Immutable; values that come later must fit it.
     *
     * @param name by which rules name it: {@code tables.NAME}
     * @param fields type of each field, a BOOL, NUMBER or STRING; a table of plain values has one field, {@link #VALUE}
     * @param defaults the fields that have a default, so that they are never missing
     * @param plusPlaced by field, what pods that were placed on the node since add to its number; empty for nothing
     */
    public record TableSchema(
            String name,
            SortedMap<String, RuleType> fields,
            SortedSet<String> defaults,
            SortedMap<String, PlacedAmount> plusPlaced) {
        /** The one field of a table of plain values. */
        public static final String VALUE = "";

        public TableSchema {
            fields = Collections.unmodifiableSortedMap(new TreeMap<>(fields));
            defaults = Collections.unmodifiableSortedSet(new TreeSet<>(defaults));
            plusPlaced = Collections.unmodifiableSortedMap(new TreeMap<>(plusPlaced));
            if (fields.isEmpty() || (fields.containsKey(VALUE) && fields.size() > 1)) {
                throw new IllegalArgumentException("fields " + fields.keySet());
            }
            for (RuleType type : fields.values()) {
                if (!type.isScalar()) {
                    throw new IllegalArgumentException("a field that is a " + type);
                }
            }
        }

        /** Of values that stay as they are when pods are placed. */
        public TableSchema(String name, SortedMap<String, RuleType> fields, SortedSet<String> defaults) {
            this(name, fields, defaults, new TreeMap<>());
        }

        /** A table of plain values without a default. */
        public static TableSchema ofValues(String name, RuleType type) {
            return new TableSchema(name, new TreeMap<>(Collections.singletonMap(VALUE, type)), new TreeSet<>(Set.of()));
        }

        /** True when each key has a record of named fields, false when it has one value. */
        public boolean isRecord() {
            return !fields.containsKey(VALUE);
        }

        /**
         * Type of what a rule gets for a field: one that may be missing, unless there is a default.
         *
         * @throws IllegalArgumentException when there is no such field
         */
        public RuleType type(String field) {
            RuleType type = fields.get(field);
            if (type == null) {
                throw new IllegalArgumentException("table " + name + " has no field " + field);
            }
            return defaults.contains(field) ? type : type.maybe();
        }
    }
}
