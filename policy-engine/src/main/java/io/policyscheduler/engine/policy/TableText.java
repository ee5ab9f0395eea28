package io.policyscheduler.engine.policy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import io.policyscheduler.engine.document.SourceDocument;
import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.PolicyTables.TableException;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.TableLimits;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import io.policyscheduler.engine.rules.data.TableValues;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the text of a table: CSV with a header, whose first column is the key, or an object in JSON or YAML. The name of the file
 * or key determines the format.
 */
public final class TableText {
    private static final Pattern NUMBER = Pattern.compile("[-+]?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]{1,3})?");
    private static final List<String> ENDINGS = List.of(".csv", ".json", ".yaml", ".yml");

    /**
     * The parsed text.
     *
     * @param types of the fields
     * @param values without defaults
     */
    public record Read(SortedMap<String, RuleType> types, TableValues values) {}

    private final TableDefinition definition;
    private final SortedMap<String, RuleType> types;

    private TableText(TableDefinition definition, SortedMap<String, RuleType> types) {
        this.definition = definition;
        this.types = types;
    }

    /**
     * The initial values of a table, with inferred types unless types are declared.
     *
     * @param name of the file or key; its extension determines the format
     * @param where its location, for messages
     * @throws TableException if the text is invalid
     */
    public static Read read(TableDefinition definition, String text, String name, String where) throws TableException {
        return new TableText(definition, definition.fields()).read(text, name, where);
    }

    /**
     * Later values of a table, defaults included.
     *
     * @throws TableException if the text is invalid, or does not match the schema
     */
    public static TableValues next(
            TableDefinition definition, TableSchema schema, String text, String name, String where)
            throws TableException {
        TableValues values = new TableText(definition, schema.fields())
                .read(text, name, where)
                .values();
        return values.withDefaults(definition.defaults());
    }

    private Read read(String text, String name, String where) throws TableException {
        TableCells cells = new TableCells(definition.name(), where, types);
        if (text.length() > TableLimits.MAX_TEXT) {
            throw cells.error(
                    "a text of " + text.length() + " characters",
                    "at most " + TableLimits.MAX_TEXT + " are read",
                    SourcePosition.UNKNOWN);
        }
        String lower = name.toLowerCase(Locale.ROOT);
        if (ENDINGS.stream().noneMatch(lower::endsWith)) {
            throw cells.error(
                    "the name \"" + name + "\" does not show its format",
                    "it ends in " + String.join(", ", ENDINGS),
                    SourcePosition.UNKNOWN);
        }
        if (lower.endsWith(".csv")) {
            csv(text, cells);
        } else {
            document(text, cells);
        }
        if (cells.types().isEmpty()) {
            throw cells.error(
                    "there are no values, so that their type is unknown",
                    "declare it: type: number",
                    SourcePosition.UNKNOWN);
        }
        return new Read(cells.types(), cells.values());
    }

    private static void document(String text, TableCells cells) throws TableException {
        SourceNode root;
        try {
            root = SourceDocument.parse(text).root();
        } catch (DocumentException e) {
            throw cells.error(e.text().replace('\n', ' '), "write keys with values", e.position());
        }
        object(root, cells);
    }

    /** Adds the members of an object. */
    static void object(SourceNode root, TableCells cells) throws TableException {
        if (root.kind() != SourceNode.Kind.OBJECT && root.kind() != SourceNode.Kind.NULL) {
            throw cells.error(
                    "found " + root.kind().goName() + " where keys with values are expected",
                    "write key: value, a line each",
                    root.position());
        }
        for (SourceNode.Member member : root.members()) {
            cells.add(member.key(), member.keyPosition(), member.value());
        }
    }

    private void csv(String text, TableCells cells) throws TableException {
        CsvMapper mapper = CsvMapper.builder()
                .enable(CsvParser.Feature.WRAP_AS_ARRAY)
                .enable(CsvParser.Feature.TRIM_SPACES)
                .enable(CsvParser.Feature.SKIP_EMPTY_LINES)
                .build();
        List<List<String>> lines = new ArrayList<>();
        List<Integer> numbers = new ArrayList<>();
        try (MappingIterator<String[]> rows = mapper.readerFor(String[].class).readValues(text)) {
            while (rows.hasNextValue()) {
                numbers.add(rows.getCurrentLocation().getLineNr());
                lines.add(List.of(rows.nextValue()));
            }
        } catch (JsonProcessingException e) {
            throw cells.error(
                    e.getOriginalMessage().replace('\n', ' '),
                    "write comma-separated values",
                    new SourcePosition(Math.max(0, e.getLocation().getLineNr()), 0));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        if (lines.isEmpty() || lines.get(0).size() < 2) {
            throw cells.error(
                    "no line with the names of at least two columns",
                    "the first line names them: key,value",
                    new SourcePosition(1, 0));
        }
        for (String name : lines.get(0).subList(1, lines.get(0).size())) {
            if (kind(name) != SourceNode.Kind.STRING) {
                throw cells.error(
                        "\"" + name + "\" where the name of a column is expected",
                        "the first line names the columns: key,value",
                        new SourcePosition(1, 0));
            }
        }
        new CsvRows(cells, lines.get(0), types.isEmpty() ? null : types).add(lines, numbers);
    }

    /** The type of a non-empty cell; a quoted number is a number, too, because CSV does not distinguish them. */
    static SourceNode.Kind kind(String cell) {
        if (NUMBER.matcher(cell).matches()) {
            return SourceNode.Kind.NUMBER;
        }
        return cell.equals("true") || cell.equals("false") ? SourceNode.Kind.BOOL : SourceNode.Kind.STRING;
    }

    /**
     * The rows of a CSV text. With two columns, and no fields declared, the second one is the value; else each further column is a
     * field. An empty cell is a missing field. A column consists of numbers or booleans if all of its cells are, else of strings.
     */
    static final class CsvRows {
        private final TableCells cells;
        private final List<String> names;
        private final @Nullable SortedMap<String, RuleType> declared;
        private final boolean plain;

        /**
         * @param names of the columns
         * @param declared null to infer types
         */
        CsvRows(TableCells cells, List<String> names, @Nullable SortedMap<String, RuleType> declared) {
            this.cells = cells;
            this.names = names;
            this.declared = declared;
            this.plain = declared == null ? names.size() == 2 : declared.containsKey(TableSchema.VALUE);
        }

        /** Adds all lines but the header. */
        void add(List<List<String>> lines, List<Integer> numbers) throws TableException {
            List<SourceNode.Kind> kinds = new ArrayList<>();
            for (int column = 0; column < names.size(); column++) {
                kinds.add(kind(lines, column));
            }
            for (int i = 1; i < lines.size(); i++) {
                add(lines.get(i), kinds, new SourcePosition(numbers.get(i), 1));
            }
        }

        private SourceNode.Kind kind(List<List<String>> lines, int column) {
            RuleType type = declared == null ? null : declared.get(plain ? TableSchema.VALUE : names.get(column));
            if (type == RuleType.STRING) {
                return SourceNode.Kind.STRING;
            }
            SourceNode.Kind found = null;
            for (int i = 1; i < lines.size(); i++) {
                List<String> line = lines.get(i);
                if (column < line.size() && !line.get(column).isEmpty()) {
                    SourceNode.Kind one = TableText.kind(line.get(column));
                    found = found == null || found == one ? one : SourceNode.Kind.STRING;
                }
            }
            return found == null ? SourceNode.Kind.STRING : found;
        }

        private void add(List<String> line, List<SourceNode.Kind> kinds, SourcePosition position)
                throws TableException {
            if (line.size() != names.size() || (plain && line.size() != 2)) {
                throw cells.error(
                        "a line of " + line.size() + " cells, the first line has " + names.size()
                                + (plain && names.size() != 2 ? ", and the table has one value for each key" : ""),
                        plain && names.size() != 2 ? "declare the fields: fields: {...}" : "leave a cell empty: a,,b",
                        position);
            }
            if (plain) {
                cells.add(line.get(0), position, node(line.get(1), kinds.get(1), position));
                return;
            }
            List<SourceNode.Member> fields = new ArrayList<>();
            for (int column = 1; column < line.size(); column++) {
                SourceNode cell = node(line.get(column), kinds.get(column), position);
                fields.add(new SourceNode.Member(names.get(column), position, cell));
            }
            cells.add(
                    line.get(0),
                    position,
                    new SourceNode(SourceNode.Kind.OBJECT, "", List.copyOf(fields), List.of(), position));
        }

        private static SourceNode node(String cell, SourceNode.Kind column, SourcePosition position) {
            if (cell.isEmpty()) {
                return SourceNode.scalar(SourceNode.Kind.NULL, "", position);
            }
            // A cell that does not match its column keeps its own type, so that the error reports this cell.
            SourceNode.Kind kind = column == SourceNode.Kind.STRING ? column : TableText.kind(cell);
            return SourceNode.scalar(kind, cell, position);
        }
    }
}
