package io.policyscheduler.engine.policy.table;

import io.policyscheduler.engine.document.SourceNode;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.rules.table.TableSchema;
import io.policyscheduler.engine.rules.value.RuleType;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a CSV text. With two columns, and no fields declared, the second one is the value; else each further column is a
 * field. An empty cell is a field that is missing. A column is of numbers or bools when all of its cells are, else of strings.
 */
final class CsvRows {
    private final TableCells cells;
    private final List<String> names;
    private final @Nullable SortedMap<String, RuleType> declared;
    private final boolean plain;

    /**
     * @param names of the columns
     * @param declared null when the cells tell
     */
    CsvRows(TableCells cells, List<String> names, @Nullable SortedMap<String, RuleType> declared) {
        this.cells = cells;
        this.names = names;
        this.declared = declared;
        this.plain = declared == null ? names.size() == 2 : declared.containsKey(TableSchema.VALUE);
    }

    /** Takes all lines but the first. */
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
        RuleType wanted = declared == null ? null : declared.get(plain ? TableSchema.VALUE : names.get(column));
        if (wanted == RuleType.STRING) {
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

    private void add(List<String> line, List<SourceNode.Kind> kinds, SourcePosition position) throws TableException {
        if (line.size() != names.size() || (plain && line.size() != 2)) {
            throw cells.refusal(
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
        // One that does not fit its column is what it is, so that it is the one to blame.
        SourceNode.Kind kind = column == SourceNode.Kind.STRING ? column : TableText.kind(cell);
        return SourceNode.scalar(kind, cell, position);
    }
}
