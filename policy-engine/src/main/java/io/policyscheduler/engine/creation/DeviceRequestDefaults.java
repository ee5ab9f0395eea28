package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What a request for devices means that does not say how many (pkg/apis/resource/v1/defaults.go). */
final class DeviceRequestDefaults {
    private DeviceRequestDefaults() {}

    /** Completes the spec of a claim in place. */
    static void complete(JsonNode spec) {
        for (JsonNode request : spec.path("devices").path("requests")) {
            wanted(request.path("exactly"));
            request.path("firstAvailable").forEach(DeviceRequestDefaults::wanted);
        }
    }

    private static void wanted(JsonNode node) {
        if (!(node instanceof ObjectNode wanted)) {
            return;
        }
        if (wanted.path("allocationMode").asText().isEmpty()) {
            wanted.put("allocationMode", "ExactCount");
        }
        if (wanted.path("allocationMode").asText().equals("ExactCount")
                && wanted.path("count").asLong() == 0) {
            wanted.put("count", 1);
        }
    }
}
