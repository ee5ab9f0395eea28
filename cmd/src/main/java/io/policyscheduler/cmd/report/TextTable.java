package io.policyscheduler.cmd.report;

import io.policyscheduler.engine.cluster.VisibleText;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * A table for terminals, in the manner of kubectl: columns as wide as their widest cell, three spaces between, no lines, no
 * trailing spaces. Cells are never cut or broken.
 */
public final class TextTable {
    private static final String GAP = "   ";

    private final List<String> titles = new ArrayList<>();
    private final List<Boolean> right = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    /** Adds a column of text. */
    public TextTable text(String title) {
        titles.add(title);
        right.add(false);
        return this;
    }

    /** Adds a column of numbers, aligned to the right. */
    public TextTable number(String title) {
        titles.add(title);
        right.add(true);
        return this;
    }

    /**
     * Adds a row.
     *
     * @param cells one for each column; shown by {@code toString}, control characters as spaces
     */
    public void row(Object... cells) {
        if (cells.length != titles.size()) {
            throw new IllegalArgumentException(cells.length + " cells for " + titles.size() + " columns");
        }
        List<String> row = new ArrayList<>(cells.length);
        for (Object cell : cells) {
            row.add(VisibleText.withoutPasswords(VisibleText.line(oneLine(String.valueOf(cell)))));
        }
        rows.add(row);
    }

    /** True when there is no row. */
    public boolean isEmpty() {
        return rows.isEmpty();
    }

    /** Writes titles and rows; nothing at all when there is no row. */
    public void print(PrintWriter out) {
        if (rows.isEmpty()) {
            return;
        }
        int[] widths = new int[titles.size()];
        widen(widths, titles);
        rows.forEach(row -> widen(widths, row));
        print(out, titles, widths);
        rows.forEach(row -> print(out, row, widths));
    }

    private static void widen(int[] widths, List<String> row) {
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], width(row.get(i)));
        }
    }

    private void print(PrintWriter out, List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = row.get(i);
            String padding = " ".repeat(widths[i] - width(cell));
            line.append(i == 0 ? "" : GAP);
            line.append(right.get(i) ? padding + cell : cell + padding);
        }
        out.println(line.toString().stripTrailing());
    }

    private static int width(String cell) {
        return cell.codePointCount(0, cell.length());
    }

    private static String oneLine(String cell) {
        for (int i = 0; i < cell.length(); i++) {
            if (Character.isISOControl(cell.charAt(i))) {
                return cell.replaceAll("\\p{Cntrl}+", " ");
            }
        }
        return cell;
    }
}
