package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.PolicyTables.TableException;
import io.policyscheduler.engine.rules.compiler.RuleException.PrintableText;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.Measuring;
import io.policyscheduler.engine.rules.data.TableDefinition.PlacedAmount;
import io.policyscheduler.engine.rules.data.TableDefinition.TableLimits;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import io.policyscheduler.engine.rules.data.TableDefinition.WhenStale;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the field {@code tables} of a policy or a library. */
public final class TableDeclarations {
    private static final List<String> SOURCES = List.of("values", "file", "configMap", "prometheus", "metricsApi");
    private static final List<String> KEYS = List.of(
            "values",
            "file",
            "configMap",
            "prometheus",
            "metricsApi",
            "type",
            "fields",
            "default",
            "staleAfter",
            "whenStale",
            "plusPlaced");
    private static final Map<String, RuleType> TYPES =
            Map.of("number", RuleType.NUMBER, "string", RuleType.STRING, "bool", RuleType.BOOL);

    private final String file;
    private final SortedMap<String, TableDefinition> tables = new TreeMap<>();
    private final List<Problem> problems = new ArrayList<>();

    private TableDeclarations(String file) {
        this.file = file;
    }

    /**
     * The result.
     *
     * @param tables the valid ones, by name
     * @param problems of the others
     */
    public record Declarations(SortedMap<String, TableDefinition> tables, List<Problem> problems) {}

    /**
     * Reads the tables of a document.
     *
     * @param document the whole policy or library
     * @param file its name, for messages
     */
    public static Declarations of(SourceNode document, String file) {
        TableDeclarations reading = new TableDeclarations(file);
        for (SourceNode.Member member : document.members()) {
            if (member.key().equals("tables")) {
                reading.all(member.value());
            }
        }
        return new Declarations(reading.tables, List.copyOf(reading.problems));
    }

    /** A table that consists of inline keys and values only. */
    static TableDefinition inline(SourceNode.Member member, String file) throws TableException {
        SourceNode.Member values = new SourceNode.Member("values", member.keyPosition(), member.value());
        SourceNode table = new SourceNode(
                SourceNode.Kind.OBJECT,
                "",
                List.of(values),
                List.of(),
                member.value().position());
        return new TableDeclarations(file).table(new SourceNode.Member(member.key(), member.keyPosition(), table));
    }

    /** Rejects an invalid table name. */
    static void requireName(String name, String file) throws TableException {
        if (!TableNames.isName(name)) {
            throw new TableException(
                    PrintableText.text(VisibleText.line(name)),
                    "no name for a table",
                    TableNames.HINT,
                    file,
                    SourcePosition.UNKNOWN);
        }
    }

    private void all(SourceNode node) {
        if (node.kind() == SourceNode.Kind.NULL) {
            return;
        }
        if (node.kind() != SourceNode.Kind.OBJECT) {
            problems.add(error("", "tables is a " + node.kind().goName(), "write tables: {name: {...}}", node)
                    .problem());
            return;
        }
        for (SourceNode.Member member : node.members()) {
            try {
                if (tables.size() == TableLimits.MAX_TABLES) {
                    throw error(
                            member.key(),
                            "the table after " + TableLimits.MAX_TABLES + " others",
                            "make one of several: a table may have fields",
                            member.value());
                }
                if (tables.containsKey(member.key())) {
                    throw error(member.key(), "stands twice", "leave one out", member.value());
                }
                tables.put(member.key(), table(member));
            } catch (TableException e) {
                problems.add(e.problem());
            }
        }
    }

    private TableException error(String table, String message, String hint, SourceNode node) {
        return new TableException(PrintableText.text(VisibleText.line(table)), message, hint, file, node.position());
    }

    private TableDefinition table(SourceNode.Member member) throws TableException {
        String name = member.key();
        SourceNode node = member.value();
        if (!TableNames.isName(name)) {
            throw error(name, "no name for a table", TableNames.HINT, node);
        }
        TableFields fields = new TableFields(name, file);
        Map<String, SourceNode> given = fields.of(node, KEYS);
        List<String> sources = SOURCES.stream().filter(given::containsKey).toList();
        if (sources.size() != 1) {
            throw error(
                    name,
                    sources.isEmpty()
                            ? "nothing gives its values"
                            : "values come from " + String.join(" and ", sources),
                    "give one of " + String.join(", ", SOURCES),
                    node);
        }
        TableOrigin origin = new TableOrigins(fields).of(sources.get(0), given);
        SortedMap<String, RuleType> types = types(name, given);
        MeasuredFields.complete(fields, origin, types, given);
        SourceNode values = given.get("values");
        TableCells cells = new TableCells(name, file, types);
        if (values != null) {
            TableText.object(values, cells);
        }
        Map<String, Object> defaults = defaults(name, given.get("default"), cells, types);
        if (values != null && cells.types().isEmpty()) {
            throw error(name, "there are no values, so that their type is unknown", "type: number", values);
        }
        SourcePosition position = member.keyPosition();
        return new TableDefinition(
                name,
                origin,
                // Later values have the type of a plain default.
                values != null || defaults.containsKey(TableSchema.VALUE) ? cells.types() : types,
                defaults,
                cells.values().withDefaults(defaults),
                MeasuredFields.measuring(fields, origin, sources.get(0), types, given),
                new TableDefinition.Place(file, position.line(), position.column()));
    }

    private SortedMap<String, RuleType> types(String table, Map<String, SourceNode> given) throws TableException {
        SortedMap<String, RuleType> types = new TreeMap<>();
        SourceNode type = given.get("type");
        SourceNode fields = given.get("fields");
        if (type != null && fields != null) {
            throw error(table, "it has type and fields", "type is for plain values, fields for records", type);
        }
        if (type != null) {
            types.put(TableSchema.VALUE, type(table, type));
        }
        if (fields != null) {
            TableCells names = new TableCells(table, file, new TreeMap<>());
            for (SourceNode.Member field : fields.members()) {
                names.requireName(field.key(), field.keyPosition());
                types.put(field.key(), type(table, field.value()));
            }
            if (types.isEmpty() || types.size() > TableLimits.MAX_FIELDS) {
                throw error(
                        table,
                        types.size() + " fields",
                        "1 to " + TableLimits.MAX_FIELDS + " are possible: fields: {watts: number}",
                        fields);
            }
        }
        return types;
    }

    private RuleType type(String table, SourceNode node) throws TableException {
        RuleType type = TYPES.get(node.text());
        if (node.kind() != SourceNode.Kind.STRING || type == null) {
            throw error(
                    table,
                    "the type \"" + PrintableText.text(VisibleText.line(node.text())) + "\"",
                    "there are number, string and bool",
                    node);
        }
        return type;
    }

    /** The default values; without declared types, they also determine types. */
    private Map<String, Object> defaults(
            String table, @Nullable SourceNode node, TableCells cells, SortedMap<String, RuleType> declared)
            throws TableException {
        Map<String, Object> defaults = new TreeMap<>();
        if (node == null) {
            return defaults;
        }
        Boolean record = cells.isRecord();
        boolean object = node.kind() == SourceNode.Kind.OBJECT;
        if (record != null && record != object) {
            throw error(
                    table,
                    "the default is "
                            + (object ? "a record, the values are plain" : "a plain value, the values are records"),
                    "give the same form to both",
                    node);
        }
        if (!object) {
            defaults.put(TableSchema.VALUE, cells.cell("default", TableSchema.VALUE, node));
            return defaults;
        }
        for (SourceNode.Member field : node.members()) {
            cells.requireName(field.key(), field.keyPosition());
            if (record != null && !cells.types().containsKey(field.key())) {
                throw new TableException(
                        table,
                        "the default has a field \"" + field.key() + "\" that the table does not have",
                        "there are " + String.join(", ", cells.types().keySet()),
                        file,
                        field.keyPosition(),
                        Suggestions.nearest(field.key(), declared.keySet()));
            }
            defaults.put(field.key(), cells.cell("default", field.key(), field.value()));
        }
        return defaults;
    }

    /** The names of tables and fields in expressions. */
    static final class TableNames {
        static final String HINT = "a name has up to " + TableLimits.MAX_NAME
                + " letters, digits and _, starts with a letter, and is no word of the language";

        private static final Pattern NAME =
                Pattern.compile("[A-Za-z][A-Za-z0-9_]{0," + (TableLimits.MAX_NAME - 1) + "}");
        /** Reserved words of the lexer or the checker, and members of every Java object. */
        private static final Set<String> WORDS = Set.of(
                "true",
                "false",
                "null",
                "nil",
                "empty",
                "in",
                "if",
                "else",
                "and",
                "or",
                "contains",
                "return",
                "var",
                "class",
                "getClass",
                "hashCode",
                "toString",
                "equals",
                "clone",
                "finalize",
                "notify",
                "notifyAll",
                "wait",
                "get",
                "getOrDefault",
                "containsKey",
                "size",
                "isEmpty",
                "new",
                "this",
                "is",
                "instanceof",
                "soundslike",
                "strsim",
                "convertable_to",
                "isdef",
                "import",
                "def",
                "function",
                "proto",
                "for",
                "foreach",
                "while",
                "until",
                "do",
                "switch",
                "case",
                "with",
                "assert",
                "static",
                "untyped",
                "try",
                "catch",
                "throw",
                "super",
                "import_static");

        private TableNames() {}

        static boolean isName(String text) {
            return NAME.matcher(text).matches() && !WORDS.contains(text);
        }
    }

    /** Reads the source of a table's values. */
    record TableOrigins(TableFields fields) {
        private static final Duration INTERVAL = Duration.ofSeconds(30);
        private static final Duration LEAST_INTERVAL = Duration.ofSeconds(1);
        private static final Duration MOST_INTERVAL = Duration.ofHours(1);
        private static final Duration TIMEOUT = Duration.ofSeconds(10);
        private static final Duration LEAST_TIMEOUT = Duration.ofMillis(100);
        private static final Duration MOST_TIMEOUT = Duration.ofMinutes(1);
        /** In characters; the query is part of a URL. */
        private static final int MAX_QUERY = 4_096;

        /**
         * The source.
         *
         * @param source the field that determines it
         */
        TableOrigin of(String source, Map<String, SourceNode> given) throws TableException {
            SourceNode node = given.get(source);
            if (node == null) {
                throw new IllegalArgumentException(source);
            }
            return switch (source) {
                case "file" -> new TableOrigin.File(fields.text("file", node, node));
                case "configMap" -> configMap(node);
                case "prometheus" -> prometheus(node);
                case "metricsApi" -> metrics(node);
                default -> new TableOrigin.Inline();
            };
        }

        private TableOrigin configMap(SourceNode node) throws TableException {
            Map<String, SourceNode> map = fields.of(node, List.of("namespace", "name", "key"));
            return new TableOrigin.ConfigMap(
                    fields.text("configMap.namespace", map.get("namespace"), node),
                    fields.text("configMap.name", map.get("name"), node),
                    fields.text("configMap.key", map.get("key"), node));
        }

        private TableOrigin prometheus(SourceNode node) throws TableException {
            Map<String, SourceNode> given = fields.of(
                    node,
                    List.of(
                            "url",
                            "query",
                            "label",
                            "interval",
                            "timeout",
                            "bearerTokenFile",
                            "caFile",
                            "insecureSkipTLSVerify"));
            String url = fields.text("prometheus.url", given.get("url"), node);
            if (!TableOrigin.Prometheus.isBase(url)) {
                throw fields.error(
                        "prometheus.url is no address of a server",
                        "write http://HOST:PORT or https://HOST:PORT, with a path before /api/v1 if there is one,"
                                + " without user and query",
                        given.getOrDefault("url", node));
            }
            SourceNode query = given.get("query");
            if (query == null
                    || query.kind() != SourceNode.Kind.STRING
                    || query.text().isBlank()
                    || query.text().length() > MAX_QUERY) {
                throw fields.error(
                        "prometheus.query is missing or no text of up to " + MAX_QUERY + " characters",
                        "write an instant query such as sum by (node) (rate(cpu_seconds_total[2m]))",
                        query == null ? node : query);
            }
            return new TableOrigin.Prometheus(
                    url.replaceFirst("/+$", ""),
                    query.text(),
                    fields.text("prometheus.label", given.get("label"), node),
                    interval("prometheus.interval", given),
                    fields.time("prometheus.timeout", given.get("timeout"), TIMEOUT, LEAST_TIMEOUT, MOST_TIMEOUT),
                    fields.optionalText("prometheus.bearerTokenFile", given.get("bearerTokenFile")),
                    fields.optionalText("prometheus.caFile", given.get("caFile")),
                    !fields.flag("prometheus.insecureSkipTLSVerify", given.get("insecureSkipTLSVerify")));
        }

        /** {@code nodes}, or an object with a period. */
        private TableOrigin metrics(SourceNode node) throws TableException {
            if (node.kind() == SourceNode.Kind.STRING) {
                requireNodes(node);
                return new TableOrigin.NodeMetrics(INTERVAL);
            }
            Map<String, SourceNode> given = fields.of(node, List.of("resource", "interval"));
            requireNodes(given.getOrDefault("resource", node));
            return new TableOrigin.NodeMetrics(interval("metricsApi.interval", given));
        }

        private void requireNodes(SourceNode node) throws TableException {
            if (node.kind() != SourceNode.Kind.STRING || !node.text().equals("nodes")) {
                throw fields.error("metricsApi is not about nodes", "write metricsApi: nodes", node);
            }
        }

        private Duration interval(String what, Map<String, SourceNode> given) throws TableException {
            return fields.time(what, given.get("interval"), INTERVAL, LEAST_INTERVAL, MOST_INTERVAL);
        }
    }

    /** The fields of tables with measured values. */
    static final class MeasuredFields {
        private static final Duration LEAST_AGE = Duration.ofSeconds(1);
        private static final Duration MOST_AGE = Duration.ofDays(7);

        private MeasuredFields() {}

        /** Adds the types of measured values, which are unknown when the policy is read; rejects other types. */
        static void complete(
                TableFields fields,
                TableOrigin origin,
                SortedMap<String, RuleType> declared,
                Map<String, SourceNode> given)
                throws TableException {
            SortedMap<String, RuleType> measured = new TreeMap<>();
            if (origin instanceof TableOrigin.Prometheus) {
                measured.put(TableSchema.VALUE, RuleType.NUMBER);
            } else if (origin instanceof TableOrigin.NodeMetrics) {
                measured.put("cpu", RuleType.NUMBER);
                measured.put("memory", RuleType.NUMBER);
            } else {
                return;
            }
            SourceNode types = given.getOrDefault("type", given.get("fields"));
            if (types != null && !declared.equals(measured)) {
                throw fields.error(
                        "the values of " + origin.text() + " are "
                                + (measured.containsKey(TableSchema.VALUE) ? "numbers" : "records of cpu and memory"),
                        "omit type and fields",
                        types);
            }
            declared.putAll(measured);
        }

        /**
         * The settings of the measurement.
         *
         * @param source the field with the source
         * @param types of the fields
         */
        static Measuring measuring(
                TableFields fields,
                TableOrigin origin,
                String source,
                SortedMap<String, RuleType> types,
                Map<String, SourceNode> given)
                throws TableException {
            for (String name : List.of("staleAfter", "whenStale", "plusPlaced")) {
                SourceNode node = given.get(name);
                if (node != null && !origin.isMeasured()) {
                    throw fields.error(
                            name + " with " + source, "only values that are measured have an age; leave it out", node);
                }
            }
            SourceNode age = given.get("staleAfter");
            Duration staleAfter = age == null ? null : fields.time("staleAfter", age, LEAST_AGE, LEAST_AGE, MOST_AGE);
            return new Measuring(
                    staleAfter,
                    whenStale(fields, given.get("whenStale")),
                    plusPlaced(fields, types, given.get("plusPlaced")));
        }

        private static WhenStale whenStale(TableFields fields, @Nullable SourceNode node) throws TableException {
            if (node == null || node.text().equals("default")) {
                return WhenStale.DEFAULT;
            }
            if (node.text().equals("skip")) {
                return WhenStale.SKIP;
            }
            throw fields.error(
                    "whenStale \"" + PrintableText.text(VisibleText.line(node.text())) + "\"",
                    "write default, for missing values, or skip, to ignore rules without a value",
                    node);
        }

        private static SortedMap<String, PlacedAmount> plusPlaced(
                TableFields fields, SortedMap<String, RuleType> types, @Nullable SourceNode node)
                throws TableException {
            SortedMap<String, PlacedAmount> amounts = new TreeMap<>();
            if (node == null) {
                return amounts;
            }
            if (types.containsKey(TableSchema.VALUE)) {
                amounts.put(TableSchema.VALUE, amount(fields, node));
                return amounts;
            }
            for (Map.Entry<String, SourceNode> field :
                    fields.of(node, List.copyOf(types.keySet())).entrySet()) {
                amounts.put(field.getKey(), amount(fields, field.getValue()));
            }
            return amounts;
        }

        private static PlacedAmount amount(TableFields fields, SourceNode node) throws TableException {
            for (PlacedAmount amount : PlacedAmount.values()) {
                if (node.kind() == SourceNode.Kind.STRING && node.text().equals(amount.text())) {
                    return amount;
                }
            }
            throw fields.error(
                    "plusPlaced \"" + PrintableText.text(VisibleText.line(node.text())) + "\"",
                    "there are "
                            + Arrays.stream(PlacedAmount.values())
                                    .map(PlacedAmount::text)
                                    .collect(Collectors.joining(", ")),
                    node);
        }
    }

    /**
     * Reads the fields of a declaration, and rejects unknown ones.
     *
     * @param table its name, for messages
     * @param file its file, for messages
     */
    record TableFields(String table, String file) {
        /** The fields of an object, in order; rejects unknown ones. */
        Map<String, SourceNode> of(SourceNode node, List<String> known) throws TableException {
            if (node.kind() != SourceNode.Kind.OBJECT) {
                throw error(
                        "a " + node.kind().goName() + " where an object is expected",
                        "it has " + String.join(", ", known),
                        node);
            }
            Map<String, SourceNode> fields = new LinkedHashMap<>();
            for (SourceNode.Member field : node.members()) {
                if (!known.contains(field.key())) {
                    throw new TableException(
                            table,
                            "unknown field \"" + PrintableText.text(VisibleText.line(field.key())) + "\"",
                            "there are " + String.join(", ", known),
                            file,
                            field.keyPosition(),
                            Suggestions.nearest(field.key(), known));
                }
                fields.put(field.key(), field.value());
            }
            return fields;
        }

        /** A non-empty text on one line. */
        String text(String what, @Nullable SourceNode node, SourceNode around) throws TableException {
            boolean given = node != null
                    && node.kind() == SourceNode.Kind.STRING
                    && !node.text().isEmpty();
            if (node == null || !given || !VisibleText.isVisible(node.text())) {
                throw error(what + " is missing or no text", "name it", node == null ? around : node);
            }
            return node.text();
        }

        /** The same, null when absent. */
        @Nullable
        String optionalText(String what, @Nullable SourceNode node) throws TableException {
            return node == null ? null : text(what, node, node);
        }

        /** A duration in this range; the default when absent. */
        Duration time(String what, @Nullable SourceNode node, Duration standard, Duration least, Duration most)
                throws TableException {
            if (node == null) {
                return standard;
            }
            Duration time;
            try {
                time = GoDuration.parse(node.text());
            } catch (DateTimeException e) {
                throw error(what + ": " + e.getMessage(), "write a time such as 5m", node);
            }
            if (time.compareTo(least) < 0 || time.compareTo(most) > 0) {
                throw error(
                        what + " " + node.text(),
                        "write a time from " + GoDuration.format(least) + " to " + GoDuration.format(most),
                        node);
            }
            return time;
        }

        /** A boolean, false when absent. */
        boolean flag(String what, @Nullable SourceNode node) throws TableException {
            if (node == null) {
                return false;
            }
            if (node.kind() != SourceNode.Kind.BOOL) {
                throw error(what + " is a " + node.kind().goName(), "write true or false", node);
            }
            return node.text().equals("true");
        }

        TableException error(String message, String hint, SourceNode node) {
            return new TableException(
                    PrintableText.text(VisibleText.line(table)), message, hint, file, node.position());
        }
    }
}
