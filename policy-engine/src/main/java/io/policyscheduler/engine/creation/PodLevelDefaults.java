package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** What a pod asks for as a whole, completed from its containers ({@code setDefaultResources} of the pod's level). */
final class PodLevelDefaults {
    private static final String HUGE_PAGES = "hugepages-";

    private PodLevelDefaults() {}

    /** @param resources {@code spec.resources} */
    static void complete(ObjectNode spec, ObjectNode resources) {
        if (resources.path("limits").isEmpty() && resources.path("requests").isEmpty()) {
            return;
        }
        PodAmounts.ofContainers(spec, "limits").forEach((name, amount) -> {
            boolean given = resources.path("limits").has(name)
                    || resources.path("requests").has(name);
            if (name.startsWith(HUGE_PAGES) && !given) {
                Fields.child(resources, "limits").put(name, amount.toString());
            }
        });
        JsonNode limits = resources.path("limits");
        if (limits.isEmpty()) {
            return;
        }
        ObjectNode requests = Fields.child(resources, "requests");
        PodAmounts.ofContainers(spec, "requests").forEach((name, amount) -> {
            if ((name.equals("cpu") || name.equals("memory")) && !requests.has(name)) {
                requests.put(name, amount.toString());
            }
        });
        for (Map.Entry<String, JsonNode> limit : limits.properties()) {
            String name = limit.getKey();
            if ((name.equals("cpu") || name.equals("memory") || name.startsWith(HUGE_PAGES)) && !requests.has(name)) {
                requests.set(name, limit.getValue());
            }
        }
    }
}
