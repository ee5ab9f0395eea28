package io.policyscheduler.cmd.embedded.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The resource of a path.
 *
 * @param type kind under which objects are stored
 * @param served kind as the path names it; differs from {@code type} for events.k8s.io only
 * @param version version in the path
 * @param namespace empty for all namespaces and for kinds outside namespaces
 * @param name empty for a collection
 * @param subresource empty for none
 */
public record ResourceRequest(
        ResourceType type, ResourceType served, String version, String namespace, String name, String subresource) {

    /** Reads {@code /api/v1/...} and {@code /apis/GROUP/VERSION/...}; empty if the path is not one of a served resource. */
    public static Optional<ResourceRequest> find(ResourceCatalog catalog, List<String> path) {
        String first = path.isEmpty() ? "" : path.get(0);
        int start = first.equals("api") ? 2 : first.equals("apis") ? 3 : path.size();
        List<String> rest = path.subList(Math.min(start, path.size()), path.size());
        if (rest.isEmpty()) {
            return Optional.empty();
        }
        String group = start == 2 ? "" : path.get(1);
        String version = path.get(start - 1);
        String namespace = "";
        // /namespaces/NAME, /namespaces/NAME/status, and /namespaces/NAME/finalize mean the namespace itself.
        if (rest.get(0).equals("namespaces")
                && rest.size() > 2
                && !List.of("status", "finalize").contains(rest.get(2))) {
            namespace = rest.get(1);
            rest = rest.subList(2, rest.size());
        }
        if (rest.size() > 3) {
            return Optional.empty();
        }
        String inNamespace = namespace;
        String name = rest.size() > 1 ? rest.get(1) : "";
        String subresource = rest.size() > 2 ? rest.get(2) : "";
        return catalog.find(group, version, rest.get(0))
                .filter(type -> inNamespace.isEmpty() ? !type.namespaced() || name.isEmpty() : type.namespaced())
                .map(served -> {
                    ResourceType stored = catalog.stored(served);
                    return new ResourceRequest(stored, served, version, inNamespace, name, subresource);
                });
    }

    public String apiVersion() {
        return served.apiVersion(version);
    }

    /** A stored object as this path shows it: with kind and apiVersion. Shares the parts of the stored object. */
    public ObjectNode external(ObjectNode stored) {
        ObjectNode object = Json.object().put("kind", served.kind()).put("apiVersion", apiVersion());
        object.setAll(listItem(stored));
        return object;
    }

    /** A stored object as an item of a list: without kind and apiVersion. */
    public ObjectNode listItem(ObjectNode stored) {
        return isEventView() ? EventConversion.toEventsGroup(stored) : stored;
    }

    /** The object as it is stored, from a request's body. */
    public ObjectNode internal(ObjectNode body) {
        ObjectNode object = isEventView() ? EventConversion.toCore(body) : body;
        object.remove("kind");
        object.remove("apiVersion");
        return object;
    }

    private boolean isEventView() {
        return served.group().equals(ResourceCatalog.EVENTS_GROUP);
    }

    /** Events are stored as core/v1; the events.k8s.io group shows the same objects with other field names. */
    static final class EventConversion {
        private static final Map<String, String> TO_EVENTS = Map.of(
                "involvedObject", "regarding",
                "message", "note",
                "source", "deprecatedSource",
                "firstTimestamp", "deprecatedFirstTimestamp",
                "lastTimestamp", "deprecatedLastTimestamp",
                "count", "deprecatedCount",
                "reportingComponent", "reportingController");
        private static final Map<String, String> TO_CORE = TO_EVENTS.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getValue, Map.Entry::getKey));

        private EventConversion() {}

        static ObjectNode toEventsGroup(ObjectNode stored) {
            return renamed(stored, TO_EVENTS);
        }

        static ObjectNode toCore(ObjectNode body) {
            return renamed(body, TO_CORE);
        }

        private static ObjectNode renamed(ObjectNode event, Map<String, String> names) {
            ObjectNode result = Json.object();
            for (Map.Entry<String, JsonNode> field : event.properties()) {
                result.set(names.getOrDefault(field.getKey(), field.getKey()), field.getValue());
            }
            return result;
        }
    }
}
