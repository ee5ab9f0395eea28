package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.PolicyTables.TableException;
import io.policyscheduler.engine.policy.TableDeclarations.TableNames;
import io.policyscheduler.engine.rules.compiler.RuleException.PrintableText;
import io.policyscheduler.engine.rules.data.QuantityText;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition.TableLimits;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import io.policyscheduler.engine.rules.data.TableValues;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Collects the values of one table; every value must have the type of its field, which is declared or inferred from the first
 * value.
 */
final class TableCells {
    private final String table;
    private final String file;
    private final boolean declared;
    private final SortedMap<String, RuleType> types;
    private final Map<String, ImmutableMap<String, Object>> rows = new LinkedHashMap<>();

    /** @param declared the types of the fields; empty to infer them */
    TableCells(String table, String file, SortedMap<String, RuleType> declared) {
        this.table = table;
        this.file = file;
        this.declared = !declared.isEmpty();
        this.types = new TreeMap<>(declared);
    }

    /** The types of the fields. */
    SortedMap<String, RuleType> types() {
        return types;
    }

    TableValues values() {
        return TableValues.of(rows);
    }

    /** Whether rows have named fields; null while unknown. */
    @Nullable
    Boolean isRecord() {
        return types.isEmpty() ? null : !types.containsKey(TableSchema.VALUE);
    }

    /** Adds a key and its value. */
    void add(String key, SourcePosition keyPosition, SourceNode value) throws TableException {
        requireKey(key, keyPosition);
        if (value.kind() != SourceNode.Kind.OBJECT) {
            Object cell = cell(key, TableSchema.VALUE, value);
            rows.put(key, ImmutableMap.of(TableSchema.VALUE, cell));
            return;
        }
        Map<String, Object> row = new LinkedHashMap<>();
        for (SourceNode.Member field : value.members()) {
            requireName(field.key(), field.keyPosition());
            if (row.containsKey(field.key())) {
                throw error(
                        "field \"" + field.key() + "\" of \"" + PrintableText.text(key) + "\" stands twice",
                        "leave one out",
                        field.keyPosition());
            }
            // A field of a record may be missing.
            if (field.value().kind() != SourceNode.Kind.NULL) {
                row.put(field.key(), cell(key, field.key(), field.value()));
            }
        }
        rows.put(key, ImmutableMap.copyOf(row));
    }

    private void requireKey(String key, SourcePosition position) throws TableException {
        if (rows.size() == TableLimits.MAX_KEYS) {
            throw error("more than " + TableLimits.MAX_KEYS + " keys", "make several tables of it", position);
        }
        if (key.isEmpty() || key.length() > TableLimits.MAX_KEY || !VisibleText.isVisible(key)) {
            throw error(
                    "the key \"" + PrintableText.text(VisibleText.line(key)) + "\" of " + key.length() + " characters",
                    "a key has 1 to " + TableLimits.MAX_KEY + " visible characters",
                    position);
        }
        if (rows.containsKey(key)) {
            throw error("the key \"" + PrintableText.text(key) + "\" stands twice", "leave one out", position);
        }
    }

    /** Validates a name, which occurs in expressions and must not be a member of every Java object. */
    void requireName(String name, SourcePosition position) throws TableException {
        boolean known = types.containsKey(name);
        if (!known && !TableNames.isName(name)) {
            throw error("\"" + PrintableText.text(VisibleText.line(name)) + "\" is no name", TableNames.HINT, position);
        }
        if (!known && types.size() == TableLimits.MAX_FIELDS) {
            throw error("more than " + TableLimits.MAX_FIELDS + " fields", "make several tables of it", position);
        }
    }

    /** A value of its field's type. */
    Object cell(String key, String field, SourceNode value) throws TableException {
        Object cell = value(key, field, value);
        RuleType type = typeOf(cell);
        RuleType columnType = types.get(field);
        if (columnType == null) {
            requireForm(key, field, value);
            types.put(field, type);
        } else if (columnType == RuleType.NUMBER && declared && cell instanceof String text) {
            cell = quantity(key, text, value);
        } else if (columnType != type) {
            throw error(
                    what(key, field) + " is a " + type.label() + ", "
                            + (declared ? "declared is a " : "before it is a ") + columnType.label(),
                    "give values of one type",
                    value.position());
        }
        return cell;
    }

    /** Checks that plain values and records are not mixed, and that the field is declared, if any is. */
    private void requireForm(String key, String field, SourceNode value) throws TableException {
        Boolean record = isRecord();
        if (record != null && record == field.equals(TableSchema.VALUE)) {
            throw error(
                    "\"" + PrintableText.text(key) + "\" has "
                            + (record ? "a plain value, the others" : "a record, the others")
                            + (record ? " records" : " plain values"),
                    "give the same form to all",
                    value.position());
        }
        if (declared) {
            throw new TableException(
                    table,
                    "\"" + PrintableText.text(key) + "\" has a field \"" + field + "\" that is not declared",
                    "there are " + String.join(", ", types.keySet()),
                    file,
                    value.position(),
                    Suggestions.nearest(field, types.keySet()));
        }
    }

    static RuleType typeOf(Object cell) {
        if (cell instanceof Boolean) {
            return RuleType.BOOL;
        }
        return cell instanceof Double ? RuleType.NUMBER : RuleType.STRING;
    }

    private Double quantity(String key, String text, SourceNode value) throws TableException {
        double amount = QuantityText.parse(text);
        if (!Double.isFinite(amount)) {
            throw error(
                    "\"" + PrintableText.text(text) + "\" of \"" + PrintableText.text(key) + "\" is no number",
                    "write a number, or a quantity such as 512Mi",
                    value.position());
        }
        return amount + 0.0;
    }

    private Object value(String key, String field, SourceNode value) throws TableException {
        switch (value.kind()) {
            case BOOL -> {
                return Boolean.parseBoolean(value.text());
            }
            case NUMBER -> {
                double number = number(value.text());
                if (Double.isFinite(number)) {
                    // Rules have no negative zero.
                    return number + 0.0;
                }
                throw error(
                        what(key, field) + " is " + PrintableText.text(value.text()) + ", which is no finite number",
                        "write a number",
                        value.position());
            }
            case STRING -> {
                if (value.text().length() <= TableLimits.MAX_STRING && VisibleText.isVisible(value.text())) {
                    return value.text();
                }
                throw error(
                        what(key, field) + " is a string of " + value.text().length() + " characters",
                        "a string has at most " + TableLimits.MAX_STRING + " visible characters",
                        value.position());
            }
            default ->
                throw error(
                        what(key, field) + " is "
                                + (value.kind() == SourceNode.Kind.NULL ? "null" : "a list or an object"),
                        value.kind() == SourceNode.Kind.NULL
                                ? "leave the key out where there is no value"
                                : "values are numbers, strings, bools or records of them",
                        value.position());
        }
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    private static String what(String key, String field) {
        String of = "\"" + PrintableText.text(key) + "\"";
        return field.isEmpty() ? of : field + " of " + of;
    }

    TableException error(String message, String hint, SourcePosition position) {
        return new TableException(table, message, hint, file, position, null);
    }
}
