package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.VisibleText;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A table as declared in a policy or a library.
 *
 * @param name in rules
 * @param origin the source of its values
 * @param fields the declared types, as in {@link TableSchema#fields()}; empty to infer them from the initial values
 * @param defaults the defaults of missing values, by field; empty for none
 * @param inline the values of an inline table, else {@link TableValues#EMPTY}
 * @param measuring the settings of measured values
 * @param place its position, for messages
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

    /** A copy with another position. */
    public TableDefinition in(Place other) {
        return new TableDefinition(name, origin, fields, defaults, inline, measuring, other);
    }

    /** The schema, once the types are known. */
    public TableSchema schema(SortedMap<String, RuleType> types) {
        return new TableSchema(name, types, new TreeMap<>(defaults).navigableKeySet(), measuring.plusPlaced());
    }

    /**
     * The settings for measured values, which have an age.
     *
     * @param staleAfter the age from which a value counts as missing, above 0; null for never
     * @param whenStale the effect of missing values
     * @param plusPlaced by field, the requests that are added for pods placed on the node since; empty for none
     */
    public record Measuring(
            @Nullable Duration staleAfter, WhenStale whenStale, SortedMap<String, PlacedAmount> plusPlaced) {
        /** The settings of values without an age. */
        public static final Measuring NONE = new Measuring(null, WhenStale.DEFAULT, new TreeMap<>());

        public Measuring {
            plusPlaced = Collections.unmodifiableSortedMap(new TreeMap<>(plusPlaced));
        }
    }

    /** The effect of outdated values on rules. */
    public enum WhenStale {
        /** A value that is too old is missing; the table's default applies, if it has one. */
        DEFAULT,
        /** The same, and rules that read a table without any value are excluded: all nodes are feasible, all score 0. */
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

        /** The name in policies. */
        public String text() {
            return text;
        }
    }

    /** The source of the values of a table. */
    public sealed interface TableOrigin {
        /** For users: {@code file prices.csv}. */
        String text();

        /** True if the values are read repeatedly, and each has a timestamp. */
        default boolean isMeasured() {
            return false;
        }

        /** Inline in the policy. */
        record Inline() implements TableOrigin {
            @Override
            public String text() {
                return "the policy";
            }
        }

        /**
         * A file.
         *
         * @param path as written; relative to the file with the declaration
         */
        record File(String path) implements TableOrigin {
            @Override
            public String text() {
                return "file " + path;
            }
        }

        /**
         * A key of a ConfigMap, whose extension determines the format.
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
         * The result of an instant query to a Prometheus server, or a compatible one.
         *
         * @param url base URL, without a trailing slash and without {@code /api/v1}
         * @param label the label whose value is the key of a sample
         * @param interval from the end of one query to the next one
         * @param timeout of one query
         * @param bearerTokenFile read again when it changes, relative to the file with the declaration; null for none
         * @param caFile certificate authorities in PEM, likewise; null for those of the JVM
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

            /** Returns whether a text is the base URL of a server: http or https with a host, without user and query. */
            public static boolean isBase(String text) {
                try {
                    URI url = new URI(text);
                    return ("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
                            && url.getHost() != null
                            && url.getRawUserInfo() == null
                            && url.getRawQuery() == null
                            && url.getRawFragment() == null;
                } catch (URISyntaxException e) {
                    return false;
                }
            }

            @Override
            public boolean isMeasured() {
                return true;
            }
        }

        /**
         * Node metrics of the API metrics.k8s.io: records of cpu (cores) and memory (bytes) by node name.
         *
         * @param interval from the end of one request to the next one
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
     * The size limits of tables. A table is meant for facts about hosts, instance types or teams; each policy has its own copy in
     * memory, which is read completely on each change.
     */
    public static final class TableLimits {
        /** Tables of one policy. */
        public static final int MAX_TABLES = 64;
        /** Characters of the text of a table, slightly more than a ConfigMap can contain (1 MiB). */
        public static final int MAX_TEXT = 1 << 21;
        /** Keys of a table: several rows for each node of the largest clusters. */
        public static final int MAX_KEYS = 50_000;
        /** Characters of a key: the longest names in Kubernetes have 253, plus a prefix. */
        public static final int MAX_KEY = 512;
        /** Characters of a string, because the cost of string operations depends on the length. */
        public static final int MAX_STRING = 1_024;
        /** Fields of a record. */
        public static final int MAX_FIELDS = 32;
        /** Characters of the name of a table or field, which occur in expressions and metrics. */
        public static final int MAX_NAME = 63;

        private TableLimits() {}
    }

    /**
     * The schema of a table: its name, its fields, and their types. Immutable; later values must match it.
     *
     * @param name in rules: {@code tables.NAME}
     * @param fields type of each field, a BOOL, NUMBER or STRING; a table of plain values has one field, {@link #VALUE}
     * @param defaults the fields with a default, which are never missing
     * @param plusPlaced by field, the requests that are added for recently placed pods; empty for none
     */
    public record TableSchema(
            String name,
            SortedMap<String, RuleType> fields,
            SortedSet<String> defaults,
            SortedMap<String, PlacedAmount> plusPlaced) {
        /** The only field of a table of plain values. */
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

        /** A schema of values that do not depend on placed pods. */
        public TableSchema(String name, SortedMap<String, RuleType> fields, SortedSet<String> defaults) {
            this(name, fields, defaults, new TreeMap<>());
        }

        /** True if each key has a record of named fields, false if it has one value. */
        public boolean isRecord() {
            return !fields.containsKey(VALUE);
        }

        /**
         * The type of a field in rules: optional, unless there is a default.
         *
         * @throws IllegalArgumentException if there is no such field
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
