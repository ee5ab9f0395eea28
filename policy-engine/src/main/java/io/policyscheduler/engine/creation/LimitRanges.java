package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Gives containers the limits and requests of their namespace's LimitRanges ({@code plugin/pkg/admission/limitranger}). Of several
 * LimitRanges, which Kubernetes asks in no order, the first by name wins.
 */
final class LimitRanges {
    private static final String ANNOTATION = "kubernetes.io/limit-ranger";
    private static final String CONTAINER = "Container";

    private final CreationObjects objects;

    LimitRanges(CreationObjects objects) {
        this.objects = objects;
    }

    /** What a LimitRange has that nobody has written there: by each level, the next one. */
    static void defaults(ObjectNode limitRange) {
        Fields.forEach(limitRange.path("spec").path("limits"), item -> {
            if (Fields.text(item, "type").equals(CONTAINER)) {
                fill(item, "default", item.path("max"));
                fill(item, "defaultRequest", item.path("default"));
                fill(item, "defaultRequest", item.path("min"));
            }
        });
    }

    private static void fill(ObjectNode item, String name, JsonNode from) {
        if (!from.isEmpty()) {
            ObjectNode target = Fields.child(item, name);
            from.properties().forEach(entry -> target.putIfAbsent(entry.getKey(), entry.getValue()));
        }
    }

    /** Completes the containers of a new pod. */
    void admit(ObjectNode pod) {
        String namespace = Fields.text(pod, "metadata", "namespace");
        Map<String, JsonNode> limits = new TreeMap<>();
        Map<String, JsonNode> requests = new TreeMap<>();
        objects.all(CreationObjects.Kind.LIMIT_RANGE).stream()
                .filter(range -> Fields.text(range, "metadata", "namespace").equals(namespace))
                .sorted(Comparator.comparing(range -> Fields.text(range, "metadata", "name")))
                .forEach(range -> collect(range, limits, requests));
        if (limits.isEmpty() && requests.isEmpty()) {
            return;
        }
        List<String> notes = new ArrayList<>();
        JsonNode spec = pod.path("spec");
        Fields.forEach(spec.path("containers"), container -> complete("container", container, limits, requests, notes));
        Fields.forEach(
                spec.path("initContainers"),
                container -> complete("init container", container, limits, requests, notes));
        if (!notes.isEmpty()) {
            Fields.child(Fields.child(pod, "metadata"), "annotations")
                    .put(ANNOTATION, "LimitRanger plugin set: " + String.join("; ", notes));
        }
    }

    private static void collect(ObjectNode range, Map<String, JsonNode> limits, Map<String, JsonNode> requests) {
        ObjectNode completed = range.deepCopy();
        defaults(completed);
        Fields.forEach(completed.path("spec").path("limits"), item -> {
            if (Fields.text(item, "type").equals(CONTAINER)) {
                item.path("default").properties().forEach(e -> limits.putIfAbsent(e.getKey(), e.getValue()));
                item.path("defaultRequest").properties().forEach(e -> requests.putIfAbsent(e.getKey(), e.getValue()));
            }
        });
    }

    private static void complete(
            String what,
            ObjectNode container,
            Map<String, JsonNode> limits,
            Map<String, JsonNode> requests,
            List<String> notes) {
        String name = Fields.text(container, "name");
        ObjectNode resources = Fields.child(container, "resources");
        note(put(resources, "requests", requests), "request", what, name, notes);
        note(put(resources, "limits", limits), "limit", what, name, notes);
    }

    private static List<String> put(ObjectNode resources, String list, Map<String, JsonNode> defaults) {
        List<String> set = new ArrayList<>();
        defaults.forEach((resource, amount) -> {
            if (!resources.path(list).has(resource)) {
                Fields.child(resources, list).set(resource, amount);
                set.add(resource);
            }
        });
        return set;
    }

    private static void note(List<String> set, String list, String what, String container, List<String> notes) {
        if (!set.isEmpty()) {
            notes.add(String.join(", ", set) + " " + list + " for " + what + " " + container);
        }
    }
}
