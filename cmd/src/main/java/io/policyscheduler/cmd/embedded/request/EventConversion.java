package io.policyscheduler.cmd.embedded.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import java.util.Map;
import java.util.stream.Collectors;

/** Events are stored as core/v1; the events.k8s.io group shows the same objects with other field names. */
final class EventConversion {
    private static final Map<String, String> TO_EVENTS = Map.of(
            "involvedObject", "regarding",
            "message", "note",
            "source", "deprecatedSource",
            "firstTimestamp", "deprecatedFirstTimestamp",
            "lastTimestamp", "deprecatedLastTimestamp",
            "count", "deprecatedCount",
            "reportingComponent", "reportingController");
    private static final Map<String, String> TO_CORE =
            TO_EVENTS.entrySet().stream().collect(Collectors.toUnmodifiableMap(Map.Entry::getValue, Map.Entry::getKey));

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
