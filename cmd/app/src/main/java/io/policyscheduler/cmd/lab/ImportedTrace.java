package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.options.InputException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A trace made of a list of pods, and of a list of nodes if the source has one: {@code arrivals.csv} and {@code cluster.json}. */
final class ImportedTrace {
    private static final String PODS_OF_NODE = "1000";

    private final List<String> columns;
    private final List<List<String>> rows = new ArrayList<>();
    private final ArrayNode nodes = JsonNodeFactory.instance.arrayNode();

    /** @param columns of {@code arrivals.csv} */
    ImportedTrace(List<String> columns) {
        this.columns = List.copyOf(columns);
    }

    /** Adds a pod; the cells are in the order of the columns. */
    void pod(List<String> cells) {
        rows.add(cells);
    }

    /**
     * Adds a node.
     *
     * @param allocatable quantities by resource; a missing number of pods means 1000
     */
    void node(String name, Map<String, String> allocatable, Map<String, String> labels) {
        ObjectNode node = nodes.addObject().put("apiVersion", "v1").put("kind", "Node");
        ObjectNode metadata = node.putObject("metadata").put("name", name);
        Map<String, String> all = new LinkedHashMap<>(labels);
        all.putIfAbsent("kubernetes.io/hostname", name);
        all.forEach(metadata.putObject("labels")::put);
        ObjectNode amounts = node.putObject("status").putObject("allocatable");
        allocatable.forEach(amounts::put);
        if (!allocatable.containsKey("pods")) {
            amounts.put("pods", PODS_OF_NODE);
        }
    }

    int podCount() {
        return rows.size();
    }

    int nodeCount() {
        return nodes.size();
    }

    /** Writes the files; without nodes, there is no {@code cluster.json}. */
    void write(Path folder) {
        try {
            Files.createDirectories(folder);
            if (!nodes.isEmpty()) {
                ObjectNode list = JsonNodeFactory.instance
                        .objectNode()
                        .put("apiVersion", "v1")
                        .put("kind", "List");
                list.set("items", nodes);
                Files.writeString(folder.resolve(LabOptions.CLUSTER_FILE), list + "\n");
            }
            try (BufferedWriter out = Files.newBufferedWriter(folder.resolve(LabOptions.ARRIVALS_FILE))) {
                line(out, columns);
                for (List<String> row : rows) {
                    line(out, row);
                }
            }
        } catch (IOException e) {
            throw new InputException("cannot write " + folder + ": " + e.getMessage(), e);
        }
    }

    private static void line(BufferedWriter out, List<String> cells) throws IOException {
        for (int i = 0; i < cells.size(); i++) {
            out.write((i == 0 ? "" : ",") + quoted(cells.get(i)));
        }
        out.write("\n");
    }

    private static String quoted(String cell) {
        return cell.indexOf(',') < 0 && cell.indexOf('"') < 0 && cell.indexOf('\n') < 0
                ? cell
                : '"' + cell.replace("\"", "\"\"") + '"';
    }
}
