package io.policyscheduler.cmd.report;

import io.policyscheduler.engine.cluster.VisibleText;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * A table for terminals, in the manner of kubectl: columns as wide as their widest cell, three spaces between, no lines, no
 * trailing spaces. On a terminal that is too narrow, texts continue on a second line and are cut off after it, and columns of numbers
 * that do not fit are omitted, which is reported. Elsewhere, lines are as long as they need to be.
 */
public final class TextTable {
    static final String GAP = "   ";

    /** A row that takes more lines can no longer be read as a row. */
    private static final int MOST_LINES = 2;

    private static final String CUT = "…";

    private final List<String> titles = new ArrayList<>();
    private final List<Boolean> right = new ArrayList<>();
    private final List<Boolean> whole = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    /** Adds a column of text. */
    public TextTable text(String title) {
        titles.add(title);
        right.add(false);
        whole.add(false);
        return this;
    }

    /** Adds a column of messages, which are never shortened, because they are quoted from kube-scheduler or must be copied. */
    public TextTable message(String title) {
        titles.add(title);
        right.add(false);
        whole.add(true);
        return this;
    }

    /** Adds a column of numbers, aligned to the right. */
    public TextTable number(String title) {
        titles.add(title);
        right.add(true);
        whole.add(false);
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
        int columns = out instanceof TerminalWriter writer ? writer.columns() : 0;
        int hidden = columns == 0 ? 0 : new TableFit(titles, right).fit(widths, columns);
        print(out, titles, widths);
        rows.forEach(row -> print(out, row, widths));
        if (hidden > 0) {
            out.println(
                    "(" + hidden + (hidden == 1 ? " column has" : " columns have") + " no room; -o wide shows all)");
        }
    }

    private static void widen(int[] widths, List<String> row) {
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], width(row.get(i)));
        }
    }

    /** A column of width 0 is left out. */
    private void print(PrintWriter out, List<String> row, int[] widths) {
        List<List<String>> cells = new ArrayList<>(row.size());
        int lines = 1;
        for (int i = 0; i < widths.length; i++) {
            List<String> cell = lines(row.get(i), widths[i], whole.get(i));
            cells.add(cell);
            lines = widths[i] == 0 ? lines : Math.max(lines, cell.size());
        }
        for (int n = 0; n < lines; n++) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                if (widths[i] == 0) {
                    continue;
                }
                String cell = n < cells.get(i).size() ? cells.get(i).get(n) : "";
                String padding = " ".repeat(Math.max(0, widths[i] - width(cell)));
                line.append(i == 0 ? "" : GAP);
                line.append(right.get(i) ? padding + cell : cell + padding);
            }
            out.println(line.toString().stripTrailing());
        }
    }

    private static List<String> lines(String text, int width, boolean whole) {
        List<String> lines = TableFit.broken(text, width);
        if (whole || lines.size() <= MOST_LINES) {
            return lines;
        }
        List<String> kept = new ArrayList<>(lines.subList(0, MOST_LINES));
        String last = kept.get(MOST_LINES - 1);
        int end = last.offsetByCodePoints(0, Math.min(width(last), width - 1));
        kept.set(MOST_LINES - 1, last.substring(0, end) + CUT);
        return kept;
    }

    static int width(String cell) {
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
