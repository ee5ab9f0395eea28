package io.policyscheduler.cmd.report;

import java.util.ArrayList;
import java.util.List;

/** Makes a table as narrow as a terminal: columns of text first, down to a width that can still be read, then fewer numbers. */
final class TableFit {
    private static final int READABLE = 16;

    private final List<String> titles;
    private final List<Boolean> numbers;

    /** @param numbers which columns are numbers, which are never broken */
    TableFit(List<String> titles, List<Boolean> numbers) {
        this.titles = List.copyOf(titles);
        this.numbers = List.copyOf(numbers);
    }

    /**
     * Changes widths so that the table fits, as far as it can.
     *
     * @param widths of the columns; one that is left out gets 0
     * @return how many columns are left out
     */
    int fit(int[] widths, int columns) {
        narrow(widths, columns);
        int hidden = 0;
        // The first columns say what a row is about and what came of it.
        for (int i = widths.length - 1; i > 1 && total(widths) > columns; i--) {
            if (numbers.get(i)) {
                widths[i] = 0;
                hidden++;
            }
        }
        return hidden;
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
            // One step at a time, so that wide columns share what is missing.
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

    /** A text in lines of at most a width, broken behind spaces, commas and slashes where there are some. */
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

    /** Returns the last place up to {@code end} where a word of a name such as {@code NodeAffinity} begins, or the end. */
    private static int beforeCapital(String text, int end) {
        for (int place = end; place > end / 3; place--) {
            if (Character.isUpperCase(text.charAt(place)) && Character.isLowerCase(text.charAt(place - 1))) {
                return place;
            }
        }
        return end;
    }
}
