package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Sums up the resources that pods use on a node, as a kubelet of 1.34 does, from the manifests and in exact arithmetic. It shares no code with what
 * is tested.
 */
final class KubeletCount {
    private KubeletCount() {}

    /** Returns the resources of which the node has too little for one more pod, sorted; empty if the pod fits. */
    static SortedSet<String> lacking(JsonNode pod, JsonNode node, List<? extends JsonNode> podsOnNode) {
        Map<String, BigDecimal> allocatable = Amounts.of(node.path("status").path("allocatable"));
        Map<String, BigDecimal> taken = new TreeMap<>();
        for (JsonNode other : podsOnNode) {
            requests(other, true).forEach((resource, amount) -> taken.merge(resource, amount, BigDecimal::add));
        }
        SortedSet<String> lacking = new TreeSet<>();
        requests(pod, false).forEach((resource, amount) -> {
            BigDecimal left = rounded(resource, allocatable.getOrDefault(resource, BigDecimal.ZERO))
                    .subtract(taken.getOrDefault(resource, BigDecimal.ZERO));
            // A kubelet ignores extended resources of containers that its node does not have.
            boolean isMissing = resource.contains("/")
                    && !allocatable.containsKey(resource)
                    && !pod.path("spec").path("overhead").has(resource);
            if (amount.signum() > 0 && amount.compareTo(left) > 0 && !isMissing) {
                lacking.add(resource);
            }
        });
        BigDecimal places = allocatable.getOrDefault("pods", BigDecimal.ZERO);
        if (places.compareTo(BigDecimal.valueOf(podsOnNode.size() + 1L)) < 0) {
            lacking.add("pods");
        }
        return lacking;
    }

    /** @param placed whether the resources in container statuses count, too */
    private static Map<String, BigDecimal> requests(JsonNode pod, boolean placed) {
        Map<String, BigDecimal> running = new TreeMap<>();
        for (JsonNode container : pod.path("spec").path("containers")) {
            add(running, container(pod, container, placed));
        }
        Map<String, BigDecimal> sidecars = new TreeMap<>();
        Map<String, BigDecimal> starting = new TreeMap<>();
        for (JsonNode container : pod.path("spec").path("initContainers")) {
            if (container.path("restartPolicy").asText().equals("Always")) {
                Map<String, BigDecimal> requests = container(pod, container, placed);
                add(running, requests);
                add(sidecars, requests);
                greatest(starting, sidecars);
            } else {
                Map<String, BigDecimal> together = new TreeMap<>(sidecars);
                add(together, Amounts.of(container.path("resources").path("requests")));
                greatest(starting, together);
            }
        }
        greatest(running, starting);
        Amounts.of(pod.path("spec").path("resources").path("requests")).forEach((resource, amount) -> {
            if (resource.equals("cpu") || resource.equals("memory") || resource.startsWith("hugepages-")) {
                running.put(resource, amount);
            }
        });
        add(running, Amounts.of(pod.path("spec").path("overhead")));
        running.keySet().removeIf(resource -> !counts(resource));
        running.replaceAll(KubeletCount::rounded);
        return running;
    }

    private static Map<String, BigDecimal> container(JsonNode pod, JsonNode container, boolean placed) {
        Map<String, BigDecimal> asked = Amounts.of(container.path("resources").path("requests"));
        JsonNode status = status(pod, container.path("name").asText());
        if (!placed || !status.has("resources")) {
            return asked;
        }
        Map<String, BigDecimal> used = Amounts.of(status.path("resources").path("requests"));
        greatest(used, Amounts.of(status.path("allocatedResources")));
        if (!cannotBeResized(pod)) {
            greatest(used, asked);
        }
        return used;
    }

    private static JsonNode status(JsonNode pod, String container) {
        List<JsonNode> statuses = new ArrayList<>();
        pod.path("status").path("containerStatuses").forEach(statuses::add);
        pod.path("status").path("initContainerStatuses").forEach(statuses::add);
        return statuses.stream()
                .filter(status -> status.path("name").asText().equals(container))
                .findFirst()
                .orElseGet(() -> pod.path("nothing"));
    }

    private static boolean cannotBeResized(JsonNode pod) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (condition.path("type").asText().equals("PodResizePending")
                    && condition.path("reason").asText().equals("Infeasible")) {
                return true;
            }
        }
        return false;
    }

    /** The kubelet ignores names without a domain that Kubernetes does not define. */
    private static boolean counts(String resource) {
        return List.of("cpu", "memory", "ephemeral-storage").contains(resource)
                || resource.contains("/")
                || resource.startsWith("hugepages-")
                || resource.startsWith("attachable-volumes-");
    }

    private static BigDecimal rounded(String resource, BigDecimal amount) {
        return amount.setScale(resource.equals("cpu") ? 3 : 0, RoundingMode.CEILING);
    }

    private static void add(Map<String, BigDecimal> to, Map<String, BigDecimal> amounts) {
        amounts.forEach((resource, amount) -> to.merge(resource, amount, BigDecimal::add));
    }

    private static void greatest(Map<String, BigDecimal> of, Map<String, BigDecimal> amounts) {
        amounts.forEach((resource, amount) -> of.merge(resource, amount, BigDecimal::max));
    }
}
