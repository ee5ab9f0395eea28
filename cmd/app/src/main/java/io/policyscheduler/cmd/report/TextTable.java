package io.policyscheduler.cmd.report;

import io.policyscheduler.engine.cluster.VisibleText;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A table for terminals, in the manner of kubectl: columns as wide as their widest cell, three spaces between, no lines, no
 * trailing spaces. On a terminal that is too narrow, texts continue on a second line and are cut off after it, and columns of numbers
 * that do not fit are omitted, which is reported. Elsewhere, lines are as long as they need to be.
 */
public final class TextTable {
    static final String GAP = "   ";

    /** Maximum lines of a row, above which a table is hard to read. */
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
     * @param cells one for each column; printed by {@code toString}, control characters as spaces
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

    /** Whether there are no rows. */
    public boolean isEmpty() {
        return rows.isEmpty();
    }

    /**
     * Writes titles and rows; nothing without rows.
     *
     * @return the titles of the omitted columns
     */
    public List<String> print(PrintWriter out) {
        if (rows.isEmpty()) {
            return List.of();
        }
        int[] widths = new int[titles.size()];
        widen(widths, titles);
        rows.forEach(row -> widen(widths, row));
        int columns = out instanceof TerminalWriter writer ? writer.columns() : 0;
        List<String> omitted = columns == 0 ? List.of() : new TableFit(titles, right).fit(widths, columns);
        print(out, titles, widths);
        rows.forEach(row -> print(out, row, widths));
        if (!omitted.isEmpty()) {
            out.println("(not shown: " + String.join(", ", omitted) + "; -o wide shows all columns)");
        }
        return omitted;
    }

    private static void widen(int[] widths, List<String> row) {
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], width(row.get(i)));
        }
    }

    /** A column of width 0 is omitted. */
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

    /**
     * Fits a table to the width of a terminal: first narrows text columns to a readable minimum, then omits columns of numbers.
     */
    static final class TableFit {
        private static final int READABLE = 16;

        private final List<String> titles;
        private final List<Boolean> numbers;

        /** @param numbers columns of numbers, which are never broken */
        TableFit(List<String> titles, List<Boolean> numbers) {
            this.titles = List.copyOf(titles);
            this.numbers = List.copyOf(numbers);
        }

        /**
         * Reduces widths so that the table fits, as far as possible.
         *
         * @param widths of the columns; set to 0 for omitted ones
         * @return the titles of the omitted columns
         */
        List<String> fit(int[] widths, int columns) {
            int[] whole = widths.clone();
            narrow(widths, columns);
            List<String> omitted = new ArrayList<>();
            // The first columns identify the row and its result.
            for (int i = widths.length - 1; i > 1 && total(widths) > columns; i--) {
                if (numbers.get(i)) {
                    widths[i] = 0;
                    whole[i] = 0;
                    omitted.add(0, titles.get(i));
                }
            }
            if (!omitted.isEmpty()) {
                // The omitted columns leave room for the others.
                System.arraycopy(whole, 0, widths, 0, widths.length);
                narrow(widths, columns);
            }
            return List.copyOf(omitted);
        }

        private void narrow(int[] widths, int columns) {
            for (int over = total(widths) - columns; over > 0; over = total(widths) - columns) {
                int widest = -1;
                for (int i = 0; i < widths.length; i++) {
                    boolean canShrink = !numbers.get(i) && widths[i] > least(i);
                    if (canShrink && (widest < 0 || widths[i] > widths[widest])) {
                        widest = i;
                    }
                }
                if (widest < 0) {
                    return;
                }
                // One character at a time, so that wide columns share the reduction.
                widths[widest]--;
            }
        }

        private int least(int column) {
            return Math.max(READABLE, TextTable.width(titles.get(column)));
        }

        private static int total(int[] widths) {
            int total = 0;
            for (int width : widths) {
                total += width == 0 ? 0 : width + (total == 0 ? 0 : TextTable.GAP.length());
            }
            return total;
        }

        /** Splits a text into lines of a maximum width, after spaces, commas, and slashes if there are some. */
        static List<String> broken(String text, int width) {
            List<String> lines = new ArrayList<>();
            String rest = text;
            while (width > 0 && TextTable.width(rest) > width) {
                int end = rest.offsetByCodePoints(0, width);
                int place = end;
                while (place > 0 && " ,/".indexOf(rest.charAt(place - 1)) < 0) {
                    place--;
                }
                int at = place > end / 3 ? place : beforeCapital(rest, end);
                lines.add(rest.substring(0, at).stripTrailing());
                rest = rest.substring(at);
            }
            lines.add(rest);
            return lines;
        }

        /**
         * Returns the last position up to {@code end} where a part of a name such as {@code NodeAffinity} begins, or {@code end}.
         */
        private static int beforeCapital(String text, int end) {
            for (int place = end; place > end / 3; place--) {
                if (Character.isUpperCase(text.charAt(place)) && Character.isLowerCase(text.charAt(place - 1))) {
                    return place;
                }
            }
            return end;
        }
    }

    /** Formats percentages with one decimal, rounded to the nearest, but never to 0 or 100 unless the value is exact. */
    public static final class Percent {
        private static final double ALL = 100;
        private static final double STEP = 0.1;
        private static final double NEARLY_ALL = 99.9;

        private Percent() {}

        /** A number from 0 to 100, or above for overcommitted resources: {@code 99.9} for 99.96, {@code 0.1} for 0.01. */
        public static String of(double percent) {
            double shown = percent;
            if (percent < ALL && percent > NEARLY_ALL) {
                shown = NEARLY_ALL;
            } else if (percent > 0 && percent < STEP) {
                shown = STEP;
            }
            return String.format(Locale.ROOT, "%.1f", shown);
        }

        /** A percentage of a share between 0 and 1. */
        public static String ofShare(double share) {
            return of(share * ALL);
        }
    }
}
