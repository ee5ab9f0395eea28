package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.resource.Quantity;
import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;

/** What a pod asks for as a whole, completed from its containers ({@code setDefaultResources} of the pod's level). */
final class PodLevelDefaults {
    private static final String HUGE_PAGES = "hugepages-";

    private PodLevelDefaults() {}

    /** @param resources {@code spec.resources} */
    static void complete(ObjectNode spec, ObjectNode resources) {
        if (resources.path("limits").isEmpty() && resources.path("requests").isEmpty()) {
            return;
        }
        aggregate(spec, "limits").forEach((name, amount) -> {
            boolean given = resources.path("limits").has(name)
                    || resources.path("requests").has(name);
            if (name.startsWith(HUGE_PAGES) && !given) {
                Fields.child(resources, "limits").put(name, amount.toPlainString());
            }
        });
        JsonNode limits = resources.path("limits");
        if (limits.isEmpty()) {
            return;
        }
        ObjectNode requests = Fields.child(resources, "requests");
        aggregate(spec, "requests").forEach((name, amount) -> {
            if ((name.equals("cpu") || name.equals("memory")) && !requests.has(name)) {
                requests.put(name, amount.toPlainString());
            }
        });
        for (Map.Entry<String, JsonNode> limit : limits.properties()) {
            String name = limit.getKey();
            if ((name.equals("cpu") || name.equals("memory") || name.startsWith(HUGE_PAGES)) && !requests.has(name)) {
                requests.set(name, limit.getValue());
            }
        }
    }

    /** What the containers come to together: all that run beside each other, or the most that an init container needs. */
    private static Map<String, BigDecimal> aggregate(ObjectNode spec, String list) {
        Map<String, BigDecimal> sum = new TreeMap<>();
        Fields.forEach(spec.path("containers"), container -> add(sum, amounts(container, list)));
        Map<String, BigDecimal> sidecars = new TreeMap<>();
        Map<String, BigDecimal> most = new TreeMap<>();
        Fields.forEach(spec.path("initContainers"), container -> {
            Map<String, BigDecimal> needed = amounts(container, list);
            if (Fields.text(container, "restartPolicy").equals("Always")) {
                add(sum, needed);
                add(sidecars, needed);
                max(most, sidecars);
            } else {
                add(needed, sidecars);
                max(most, needed);
            }
        });
        max(sum, most);
        return sum;
    }

    private static Map<String, BigDecimal> amounts(ObjectNode container, String list) {
        Map<String, BigDecimal> amounts = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry :
                container.path("resources").path(list).properties()) {
            amounts.put(entry.getKey(), exact(entry.getValue()));
        }
        return amounts;
    }

    /** Zero for what is no quantity, which is refused when the pod is read. */
    private static BigDecimal exact(JsonNode quantity) {
        try {
            return Quantity.parse(quantity.asText()).exact();
        } catch (IllegalArgumentException e) {
            return BigDecimal.ZERO;
        }
    }

    private static void add(Map<String, BigDecimal> sum, Map<String, BigDecimal> more) {
        more.forEach((name, amount) -> sum.merge(name, amount, BigDecimal::add));
    }

    private static void max(Map<String, BigDecimal> most, Map<String, BigDecimal> other) {
        other.forEach((name, amount) -> most.merge(name, amount, BigDecimal::max));
    }
}
