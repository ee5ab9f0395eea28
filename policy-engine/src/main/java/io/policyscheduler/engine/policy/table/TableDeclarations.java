package io.policyscheduler.engine.policy.table;

import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceNode;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.rules.syntax.Shown;
import io.policyscheduler.engine.rules.table.TableDefinition;
import io.policyscheduler.engine.rules.table.TableLimits;
import io.policyscheduler.engine.rules.table.TableOrigin;
import io.policyscheduler.engine.rules.table.TableSchema;
import io.policyscheduler.engine.rules.value.RuleType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
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
     * What was found.
     *
     * @param tables those that are in order, by name
     * @param problems with the others
     */
    public record Found(SortedMap<String, TableDefinition> tables, List<Problem> problems) {}

    /**
     * Reads the tables of a document.
     *
     * @param document the whole policy or library
     * @param file its name, for messages
     */
    public static Found of(SourceNode document, String file) {
        TableDeclarations reading = new TableDeclarations(file);
        for (SourceNode.Member member : document.members()) {
            if (member.key().equals("tables")) {
                reading.all(member.value());
            }
        }
        return new Found(reading.tables, List.copyOf(reading.problems));
    }

    /** A table that is nothing but keys and values. */
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

    /** Refuses what is no name for a table. */
    static void requireName(String name, String file) throws TableException {
        if (!TableNames.isName(name)) {
            throw new TableException(
                    Shown.text(VisibleText.line(name)),
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
            problems.add(refusal("", "tables is a " + node.kind().goName(), "write tables: {name: {...}}", node)
                    .problem());
            return;
        }
        for (SourceNode.Member member : node.members()) {
            try {
                if (tables.size() == TableLimits.MAX_TABLES) {
                    throw refusal(
                            member.key(),
                            "the table after " + TableLimits.MAX_TABLES + " others",
                            "make one of several: a table may have fields",
                            member.value());
                }
                if (tables.containsKey(member.key())) {
                    throw refusal(member.key(), "stands twice", "leave one out", member.value());
                }
                tables.put(member.key(), table(member));
            } catch (TableException e) {
                problems.add(e.problem());
            }
        }
    }

    private TableException refusal(String table, String message, String hint, SourceNode node) {
        return new TableException(Shown.text(VisibleText.line(table)), message, hint, file, node.position());
    }

    private TableDefinition table(SourceNode.Member member) throws TableException {
        String name = member.key();
        SourceNode node = member.value();
        if (!TableNames.isName(name)) {
            throw refusal(name, "no name for a table", TableNames.HINT, node);
        }
        TableFields fields = new TableFields(name, file);
        Map<String, SourceNode> given = fields.of(node, KEYS);
        List<String> sources = SOURCES.stream().filter(given::containsKey).toList();
        if (sources.size() != 1) {
            throw refusal(
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
            throw refusal(name, "there are no values, so that nothing tells their type", "type: number", values);
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
            throw refusal(table, "it has type and fields", "type is for plain values, fields for records", type);
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
                throw refusal(
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
            throw refusal(
                    table,
                    "the type \"" + Shown.text(VisibleText.line(node.text())) + "\"",
                    "there are number, string and bool",
                    node);
        }
        return type;
    }

    /** A default is a value like any other; where nothing is declared it tells the type, too. */
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
            throw refusal(
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
}
