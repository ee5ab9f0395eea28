package io.policyscheduler.cmd.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The results of {@code bench --scale}, as a table and as data. */
record ScaleReport(List<ScaleRow> rows) {
    private static final double MEGA = 1024 * 1024;

    ScaleReport {
        rows = List.copyOf(rows);
    }

    /** A row for each size, and for each way of deciding if there are several. */
    void print(PrintWriter out) {
        boolean compared = rows.stream().map(ScaleRow::path).distinct().count() > 1;
        TextTable table = new TextTable().text("WORKLOAD").text("SCHEDULER");
        if (compared) {
            table.text("PATH");
        }
        table.number("NODES")
                .number("PODS")
                .number("PODS/S")
                .number("US/POD")
                .number("CPU US")
                .number("COST")
                .number("HEAP MB");
        for (ScaleRow row : rows) {
            List<Object> cells = new ArrayList<>(List.of(row.workload(), row.decider()));
            if (compared) {
                cells.add(row.path());
            }
            cells.addAll(List.of(
                    row.size().nodes(),
                    row.size().pods(),
                    rounded(row.rate(), 0),
                    rounded(row.micros(), 0),
                    rounded(row.cpu(), 0),
                    rounded(row.against(), 2),
                    rounded(row.heapBytes() / MEGA, 0)));
            table.row(cells.toArray());
        }
        table.print(out);
    }

    private static String rounded(double value, int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    /** What {@code docs/schemas/bench-scale.schema.json} says. */
    ArrayNode json() {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (ScaleRow row : rows) {
            ObjectNode node = list.addObject()
                    .put("workload", row.workload().toString())
                    .put("decider", row.decider())
                    .put("path", row.path())
                    .put("nodes", row.size().nodes())
                    .put("pods", row.size().pods())
                    .put("podsPerSecond", row.rate())
                    .put("microsPerPod", row.micros())
                    .put("cpuMicrosPerPod", row.cpu())
                    .put("cost", row.against())
                    .put("heapBytes", row.heapBytes());
            row.podsPerSecond().forEach(node.putArray("runs")::add);
        }
        return list;
    }
}
