package io.policyscheduler.cmd.report;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * The table of weighted scores: a row for each algorithm and a column for each of the best nodes, so that a column adds up to its total.
 * It has as many nodes as fit on the terminal, but at least two and at most five.
 */
public final class ScoreTable {
    private static final int FEWEST_NODES = 2;
    private static final int MOST_NODES = 5;

    private final List<Row> rows = new ArrayList<>();
    private final List<String> nodes;
    private final List<Long> totals;
    private final int feasible;

    /**
     * @param name the algorithm as the user knows it
     * @param weighted the score of each node times the weight
     */
    private record Row(String name, long weight, List<Long> weighted) {}

    /**
     * A table without rows.
     *
     * @param nodes the best nodes, the chosen one first
     * @param totals their totals
     * @param feasible the number of feasible nodes, of which {@code nodes} may be a part
     */
    public ScoreTable(List<String> nodes, List<Long> totals, int feasible) {
        this.nodes = List.copyOf(nodes);
        this.totals = List.copyOf(totals);
        this.feasible = feasible;
    }

    /**
     * Adds the scores of an algorithm.
     *
     * @param weighted for each node, already multiplied by the weight
     */
    public void row(String name, long weight, List<Long> weighted) {
        rows.add(new Row(name, weight, List.copyOf(weighted)));
    }

    /** Prints the table, and how many feasible nodes it does not show. */
    public void print(PrintWriter out) {
        int shown = shown(out instanceof TerminalWriter writer ? writer.columns() : 0);
        TextTable table = new TextTable().text("ALGORITHM").number("WEIGHT");
        nodes.subList(0, shown).forEach(table::number);
        for (Row row : rows) {
            List<Object> cells = new ArrayList<>(List.of(row.name(), row.weight()));
            cells.addAll(row.weighted().subList(0, shown));
            table.row(cells.toArray());
        }
        List<Object> sums = new ArrayList<>(List.of("total", ""));
        sums.addAll(totals.subList(0, shown));
        table.row(sums.toArray());
        table.print(out);
        int more = feasible - shown;
        if (more > 0) {
            out.println("(Each cell is score × weight. " + more
                    + (more == 1 ? " more node is feasible.)" : " more nodes are feasible.)"));
        } else {
            out.println("(Each cell is score × weight.)");
        }
    }

    /** Returns how many nodes have room next to whole names of algorithms. */
    private int shown(int columns) {
        int most = Math.min(MOST_NODES, nodes.size());
        int width =
                rows.stream().mapToInt(row -> TextTable.width(row.name())).max().orElse(0)
                        + TextTable.GAP.length()
                        + "WEIGHT".length();
        for (int i = 0; i < most && columns > 0; i++) {
            width += TextTable.GAP.length()
                    + Math.max(
                            TextTable.width(nodes.get(i)),
                            Long.toString(totals.get(i)).length());
            if (width > columns) {
                return Math.max(i, Math.min(FEWEST_NODES, most));
            }
        }
        return most;
    }
}
