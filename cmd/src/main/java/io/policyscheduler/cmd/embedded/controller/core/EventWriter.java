package io.policyscheduler.cmd.embedded.controller.core;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceType;

/** The events of one controller, which {@code kubectl describe} and {@code kubectl get events} show. */
public final class EventWriter {
    private final ApiObjects objects;
    private final ResourceType events;
    private final String component;

    public EventWriter(ApiObjects objects, String component) {
        this.objects = objects;
        this.events = objects.type("events");
        this.component = component;
    }

    public void normal(ResourceType type, JsonNode about, String reason, String message) {
        write(type, about, "Normal", reason, message);
    }

    public void warning(ResourceType type, JsonNode about, String reason, String message) {
        write(type, about, "Warning", reason, message);
    }

    private void write(ResourceType type, JsonNode about, String severity, String reason, String message) {
        JsonNode metadata = about.path("metadata");
        String namespace = Json.text(metadata, "namespace");
        ObjectNode event = Json.object();
        event.putObject("metadata")
                .put(
                        "name",
                        Json.text(metadata, "name") + "."
                                + Long.toHexString(objects.random().nextLong()))
                .put("namespace", namespace.isEmpty() ? "default" : namespace);
        event.putObject("involvedObject")
                .put("kind", type.kind())
                .put("namespace", namespace)
                .put("name", Json.text(metadata, "name"))
                .put("uid", ApiObjects.uid(about))
                .put("apiVersion", type.apiVersion(type.versions().get(0)))
                .put("resourceVersion", Json.text(metadata, "resourceVersion"));
        event.put("reason", reason)
                .put("message", message)
                .put("type", severity)
                .put("count", 1);
        event.put("firstTimestamp", objects.time()).put("lastTimestamp", objects.time());
        event.putNull("eventTime");
        event.putObject("source").put("component", component);
        event.put("reportingComponent", component).put("reportingInstance", "");
        objects.create(events, event);
    }
}
