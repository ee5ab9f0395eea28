package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.creation.AmountChecks.Amount;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The total requests of a pod for admission: the sum of its containers, or the largest init container. */
final class PodAmounts {
    private static final Set<String> OF_PODS = Set.of("cpu", "memory");

    private final CreationRules rules;

    PodAmounts(CreationRules rules) {
        this.rules = rules;
    }

    /** The amounts of a list such as {@code requests}, by resource. */
    static Map<String, Amount> read(JsonNode list) {
        Map<String, Amount> amounts = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : list.properties()) {
            amounts.put(entry.getKey(), Amount.of(entry.getValue()));
        }
        return amounts;
    }

    /**
     * Of a whole pod; what it says as a whole goes before what its containers say.
     *
     * @param list requests or limits
     */
    Map<String, Amount> of(JsonNode spec, String list) {
        Map<String, Amount> sum = rules.has(NewerField.SIDECARS) ? ofContainers(spec, list) : before(spec, list);
        if (rules.has(NewerField.POD_RESOURCES)) {
            read(spec.path("resources").path(list)).forEach((resource, amount) -> {
                if (OF_PODS.contains(resource) || resource.startsWith("hugepages-")) {
                    sum.put(resource, amount);
                }
            });
        }
        return sum;
    }

    /** What the containers come to together. */
    static Map<String, Amount> ofContainers(JsonNode spec, String list) {
        Map<String, Amount> sum = new TreeMap<>();
        Fields.forEach(spec.path("containers"), container -> add(sum, amounts(container, list)));
        Map<String, Amount> sidecars = new TreeMap<>();
        Map<String, Amount> most = new TreeMap<>();
        Fields.forEach(spec.path("initContainers"), container -> {
            Map<String, Amount> needed = amounts(container, list);
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

    /** The same before there were sidecars: only what all containers name was added up. */
    private static Map<String, Amount> before(JsonNode spec, String list) {
        Map<String, Amount> sum = new TreeMap<>();
        Fields.forEach(spec.path("containers"), container -> add(sum, amounts(container, list)));
        Fields.forEach(
                spec.path("containers"),
                container -> sum.keySet().retainAll(amounts(container, list).keySet()));
        Fields.forEach(spec.path("initContainers"), container -> max(sum, amounts(container, list)));
        return sum;
    }

    private static Map<String, Amount> amounts(ObjectNode container, String list) {
        return read(container.path("resources").path(list));
    }

    private static void add(Map<String, Amount> sum, Map<String, Amount> more) {
        more.forEach((resource, amount) -> sum.merge(resource, amount, Amount::plus));
    }

    private static void max(Map<String, Amount> most, Map<String, Amount> other) {
        other.forEach((resource, amount) ->
                most.merge(resource, amount, (one, two) -> two.exact().compareTo(one.exact()) > 0 ? two : one));
    }
}
