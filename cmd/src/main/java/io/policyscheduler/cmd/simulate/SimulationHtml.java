package io.policyscheduler.cmd.simulate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.html.PageContent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.StreamSupport;

/** The data of a simulation's page: all pods, and for those told in detail the best nodes and the reasons against the others. */
final class SimulationHtml {
    /** Characters of JSON for the rows of pods. */
    private static final int POD_BUDGET = 800_000;
    /** Characters of JSON for what unfolds below them. */
    private static final int DETAIL_BUDGET = 500_000;

    /** Pods times nodes that are looked at for the page alone. */
    private static final int MOST_LOOKS = 100_000;

    private static final int NODES = 10;
    private static final int EXAMPLES = 5;
    private static final List<String> RESOURCES = List.of("cpu", "memory", "pods");
    private static final Set<String> DETAILS = Set.of("scores", "weights", "totals", "failures");

    private SimulationHtml() {}

    /** Whether nobody waits longer when every node is looked at again for the page. */
    static boolean isCheap(int pods, int nodes) {
        return (long) pods * nodes <= MOST_LOOKS;
    }

    /** The page of a simulation. */
    static PageContent page(SimulationReport report) {
        return new PageContent(
                PageContent.View.SIMULATE, "simulate", report.answer(), SimulationHtml.of(report.namedJson()));
    }

    /**
     * Makes the data of the page.
     *
     * @param report as {@code simulate -o json} gives it; changed
     */
    static ObjectNode of(ObjectNode report) {
        List<JsonNode> pods = StreamSupport.stream(report.path("pods").spliterator(), false)
                .sorted(Comparator.comparing(pod -> pod.path("node").isTextual()))
                .toList();
        ArrayNode shown = report.putArray("pods");
        int rows = 0;
        int details = 0;
        for (JsonNode pod : pods) {
            ObjectNode row = pod.deepCopy();
            row.remove(DETAILS);
            rows += row.toString().length();
            if (rows > POD_BUDGET) {
                break;
            }
            if (pod.has("totals") && details < DETAIL_BUDGET) {
                ObjectNode sheet = sheet(row.putObject("details"), pod);
                details += sheet.toString().length();
            }
            shown.add(row);
        }
        nodes((ObjectNode) report.path("utilisation"));
        return report.put("podsLeftOut", pods.size() - shown.size());
    }

    /** Each node as its name, what it has, and what was and is asked of it. */
    private static void nodes(ObjectNode utilisation) {
        JsonNode nodes = utilisation.path("nodes");
        ArrayNode shown = utilisation.putArray("nodes");
        for (JsonNode node : nodes) {
            JsonNode before = node.path("before");
            JsonNode after = node.path("after");
            ArrayNode one = shown.addArray().add(node.path("node"));
            one.add(amounts(before.isNull() ? after : before, "allocatable"));
            one.add(amounts(before, "requested"));
            one.add(amounts(after, "requested"));
        }
    }

    /** Null where the node is not there. */
    private static JsonNode amounts(JsonNode use, String which) {
        ArrayNode amounts = JsonNodeFactory.instance.arrayNode();
        RESOURCES.forEach(resource -> amounts.add(use.path(resource).path(which)));
        return use.isNull() ? use : amounts;
    }

    private static ObjectNode sheet(ObjectNode sheet, JsonNode pod) {
        List<String> algorithms = new ArrayList<>();
        pod.path("scores").fieldNames().forEachRemaining(algorithms::add);
        algorithms.forEach(sheet.putArray("algorithms")::add);
        ArrayNode weights = sheet.putArray("weights");
        algorithms.forEach(name -> weights.add(pod.path("weights").path(name).asLong(1)));
        List<Map.Entry<String, JsonNode>> totals =
                new ArrayList<>(pod.path("totals").properties());
        totals.sort(Comparator.comparingLong(total -> -total.getValue().asLong()));
        ArrayNode nodes = sheet.putArray("nodes");
        String winner = pod.path("node").asText();
        for (Map.Entry<String, JsonNode> total : totals) {
            String node = total.getKey();
            if (nodes.size() < NODES || node.equals(winner)) {
                ArrayNode one = nodes.addArray().add(node).add(total.getValue());
                for (int i = 0; i < algorithms.size(); i++) {
                    one.add(pod.path("scores")
                                    .path(algorithms.get(i))
                                    .path(node)
                                    .asLong()
                            * weights.get(i).asLong());
                }
            }
        }
        rejected(sheet.putArray("rejected"), pod.path("failures"));
        return sheet;
    }

    private static void rejected(ArrayNode rejected, JsonNode failures) {
        record Key(String plugin, String reason) {}
        Map<Key, List<String>> groups = new LinkedHashMap<>();
        failures.properties().forEach(failure -> {
            List<String> reasons = new ArrayList<>();
            failure.getValue().path("reasons").forEach(reason -> reasons.add(reason.asText()));
            Key key = new Key(failure.getValue().path("plugin").asText(""), String.join(", ", reasons));
            groups.computeIfAbsent(key, any -> new ArrayList<>()).add(failure.getKey());
        });
        groups.forEach((key, nodes) -> {
            ArrayNode examples = rejected.addArray()
                    .add(key.plugin())
                    .add(key.reason())
                    .add(nodes.size())
                    .addArray();
            nodes.stream().limit(EXAMPLES).forEach(examples::add);
        });
    }
}
