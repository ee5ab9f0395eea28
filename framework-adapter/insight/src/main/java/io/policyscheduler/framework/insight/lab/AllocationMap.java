package io.policyscheduler.framework.insight.lab;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The allocation of nodes over time in a bounded number of cells. A row is one node, or several nodes with adjacent names; a column is a
 * part of the run. A cell has the integrals of the requests and of the allocatable amounts of its nodes over its time, so that it is
 * exact, however short a pod runs.
 */
public final class AllocationMap {
    /** Columns of a run; each has the same length, except for the last one. */
    public static final int COLUMNS = 200;
    /** Rows of the nodes that are known at the start. */
    private static final int FIRST_ROWS = 100;
    /** Rows after nodes were added; then, each two adjacent ones become one. */
    private static final int MOST_ROWS = 150;

    /** The cells without nodes, or without the resource. */
    static final char NONE = '.';
    /** The cells by their tenth, from below 10 % to at least 100 %. */
    static final String TENTHS = "0123456789F";

    /** The order of the rows: as texts, but with numbers in their order, so that {@code node-2} is before {@code node-10}. */
    static final Comparator<String> BY_NAME = AllocationMap::compareNames;

    private final int resources;
    private final long end;
    private final long width;
    private final int columns;
    private final Map<String, Place> places = new HashMap<>();
    /** By the first name. */
    private final TreeMap<String, Row> rows = new TreeMap<>(BY_NAME);

    private int nodesPerRow;

    /**
     * A row of the result.
     *
     * @param first the first name
     * @param last the last name
     * @param nodes number of the nodes
     * @param mean integral of the requests divided by that of the allocatable amounts; null if no node has the resource
     * @param cells one character for each column: {@code .} without nodes, else the tenth {@code 0} to {@code 9}, or {@code F} from 100 % on
     */
    public record NodeRow(
            String first, String last, int nodes, @Nullable Double mean, String cells) {}

    /** A node, also one that is not there. */
    private static final class Place {
        private final long[] allocated;
        private @Nullable Row row;
        /** Null while it is not there. */
        private long @Nullable [] capacity;

        Place(int resources) {
            allocated = new long[resources];
        }
    }

    /** Integrals by resource and column, and what they grow by. */
    private final class Row {
        private final String first;
        private String last;
        private int nodes;
        private long settled;
        private final long[] allocatedNow = new long[resources];
        private final long[] capacityNow = new long[resources];
        private final double[][] allocated = new double[resources][columns];
        private final double[][] capacity = new double[resources][columns];

        Row(String name) {
            first = name;
            last = name;
        }

        void add(String name) {
            nodes++;
            last = BY_NAME.compare(name, last) > 0 ? name : last;
        }

        void settle(long nanos) {
            while (settled < nanos) {
                int column = (int) (settled / width);
                long until = Math.min(nanos, (column + 1) * width);
                for (int r = 0; r < resources; r++) {
                    allocated[r][column] += (double) allocatedNow[r] * (until - settled);
                    capacity[r][column] += (double) capacityNow[r] * (until - settled);
                }
                settled = until;
            }
        }

        /** Takes the nodes of the next row, which is settled at the same time. */
        void addAll(Row next) {
            nodes += next.nodes;
            last = next.last;
            for (int r = 0; r < resources; r++) {
                allocatedNow[r] += next.allocatedNow[r];
                capacityNow[r] += next.capacityNow[r];
                for (int column = 0; column < columns; column++) {
                    allocated[r][column] += next.allocated[r][column];
                    capacity[r][column] += next.capacity[r][column];
                }
            }
        }

        NodeRow of(int resource) {
            StringBuilder cells = new StringBuilder(columns);
            for (int column = 0; column < columns; column++) {
                cells.append(cell(allocated[resource][column], capacity[resource][column]));
            }
            double all = Arrays.stream(capacity[resource]).sum();
            return new NodeRow(
                    first,
                    last,
                    nodes,
                    all == 0
                            ? null
                            : (Double) (Arrays.stream(allocated[resource]).sum() / all),
                    cells.toString());
        }
    }

    private static char cell(double allocated, double capacity) {
        if (capacity == 0) {
            return NONE;
        }
        // Without the sum of roundings, which would put an exact tenth below itself.
        int tenth = (int) (10 * allocated / capacity + 1e-9);
        return TENTHS.charAt(Math.max(0, Math.min(tenth, TENTHS.length() - 1)));
    }

    /**
     * An empty map.
     *
     * @param resources number of resources
     * @param endNanos length of the run
     * @param names of the nodes that are known, each once; others get rows between them
     */
    AllocationMap(int resources, long endNanos, Collection<String> names) {
        this.resources = resources;
        end = endNanos;
        width = Math.max(1, ceilDiv(endNanos, COLUMNS));
        columns = (int) ceilDiv(endNanos, width);
        nodesPerRow = (int) Math.max(1, ceilDiv(names.size(), FIRST_ROWS));
        names.stream().sorted(BY_NAME).forEach(name -> place(name).row = row(name));
    }

    private static long ceilDiv(long a, long b) {
        return (a + b - 1) / b;
    }

    private Place place(String name) {
        return places.computeIfAbsent(name, any -> new Place(resources));
    }

    /** Returns the row of a new node. */
    private Row row(String name) {
        Map.Entry<String, Row> before = rows.floorEntry(name);
        Row row = before == null ? null : before.getValue();
        if (row == null || (row.nodes >= nodesPerRow && BY_NAME.compare(name, row.last) > 0)) {
            row = new Row(name);
            rows.put(name, row);
        }
        row.add(name);
        return row;
    }

    private void halve(long nanos) {
        nodesPerRow *= 2;
        Map<Row, Row> into = new HashMap<>();
        Row open = null;
        for (Row row : List.copyOf(rows.values())) {
            row.settle(nanos);
            if (open == null) {
                open = row;
            } else {
                open.addAll(row);
                rows.remove(row.first);
                into.put(row, open);
                open = null;
            }
        }
        for (Place place : places.values()) {
            Row row = place.row;
            place.row = row == null ? null : into.getOrDefault(row, row);
        }
    }

    /**
     * A node appears or changes.
     *
     * @param allocatable amounts of the resources; null if the node is gone
     */
    void node(long nanos, String name, long @Nullable [] allocatable) {
        Place place = place(name);
        if (place.row == null && allocatable != null) {
            place.row = row(name);
            if (rows.size() > MOST_ROWS) {
                halve(nanos);
            }
        }
        Row row = place.row;
        if (row == null) {
            return;
        }
        row.settle(nanos);
        count(row, place, -1);
        place.capacity = allocatable;
        count(row, place, 1);
    }

    private void count(Row row, Place place, int sign) {
        long[] capacity = place.capacity;
        for (int r = 0; capacity != null && r < resources; r++) {
            row.capacityNow[r] += sign * capacity[r];
            row.allocatedNow[r] += sign * place.allocated[r];
        }
    }

    /** The requests of the pods on a node become greater, or less. */
    void requests(long nanos, String name, long[] difference, int sign) {
        Place place = place(name);
        Row row = place.capacity == null ? null : place.row;
        if (row != null) {
            row.settle(nanos);
        }
        for (int r = 0; r < resources; r++) {
            place.allocated[r] += sign * difference[r];
            if (row != null) {
                row.allocatedNow[r] += sign * difference[r];
            }
        }
    }

    /** Returns the length of a column in nanoseconds. */
    public long columnNanos() {
        return width;
    }

    /**
     * Returns the rows, in the order of their names. To be called when the run is over.
     *
     * @param resource index in {@link RunMetrics#resources()}
     */
    public List<NodeRow> rows(int resource) {
        List<NodeRow> all = new ArrayList<>();
        for (Row row : rows.values()) {
            row.settle(end);
            all.add(row.of(resource));
        }
        return ImmutableList.copyOf(all);
    }

    private static int compareNames(String a, String b) {
        int i = 0;
        int j = 0;
        while (i < a.length() && j < b.length()) {
            int order;
            if (isDigit(a.charAt(i)) && isDigit(b.charAt(j))) {
                int endA = afterDigits(a, i);
                int endB = afterDigits(b, j);
                String left = withoutZeros(a, i, endA);
                String right = withoutZeros(b, j, endB);
                order = left.length() != right.length()
                        ? Integer.compare(left.length(), right.length())
                        : left.compareTo(right);
                i = endA;
                j = endB;
            } else {
                order = Character.compare(a.charAt(i++), b.charAt(j++));
            }
            if (order != 0) {
                return order;
            }
        }
        int rest = Integer.compare(a.length() - i, b.length() - j);
        return rest != 0 ? rest : a.compareTo(b);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static int afterDigits(String text, int from) {
        int at = from;
        while (at < text.length() && isDigit(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private static String withoutZeros(String text, int from, int to) {
        int at = from;
        while (at < to - 1 && text.charAt(at) == '0') {
            at++;
        }
        return text.substring(at, to);
    }
}
