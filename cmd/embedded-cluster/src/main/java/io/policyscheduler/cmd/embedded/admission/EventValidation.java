package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.ChangeValidation.SemanticEquality;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.ArrayList;
import java.util.List;

/**
 * Validates new and changed events, which have the field names of core/v1. Requests to {@code events.k8s.io/v1} are validated more
 * strictly than all others. Mirrors {@code pkg/apis/core/validation/events.go}.
 */
final class EventValidation {
    private static final String STRICT = "events.k8s.io/v1";
    private static final int LONGEST_TEXT = 128;
    private static final int LONGEST_MESSAGE = 1024;
    private static final List<String> IMMUTABLE = List.of(
            "involvedObject",
            "reason",
            "message",
            "source",
            "firstTimestamp",
            "lastTimestamp",
            "count",
            "type",
            "eventTime",
            "action",
            "related",
            "reportingComponent",
            "reportingInstance");

    private final JsonNode event;
    private final String apiVersion;
    private final Release release;
    private final FieldErrors errors = new FieldErrors(new ArrayList<>());

    private EventValidation(JsonNode event, String apiVersion, Release release) {
        this.event = event;
        this.apiVersion = apiVersion;
        this.release = release;
    }

    /**
     * Returns the errors of a new event.
     *
     * @param apiVersion group and version of the request, such as {@code events.k8s.io/v1}
     */
    static List<Cause> create(ObjectNode event, String apiVersion, Release release) {
        EventValidation validation = new EventValidation(event, apiVersion, release);
        validation.all();
        if (apiVersion.equals(STRICT)) {
            validation.strict();
        }
        return validation.errors.causes();
    }

    /** Returns the errors of a changed event; {@code apiVersion} as in {@link #create}. */
    static List<Cause> update(ObjectNode present, ObjectNode proposed, String apiVersion, Release release) {
        EventValidation validation = new EventValidation(proposed, apiVersion, release);
        validation.all();
        // Before 1.24, an event was compared with itself.
        if (apiVersion.equals(STRICT) && release.atLeast(24)) {
            validation.strictChange(present);
        }
        return validation.errors.causes();
    }

    private void all() {
        String about = Json.text(event, "involvedObject", "namespace");
        String namespace = Json.text(event, "metadata", "namespace");
        boolean isNew = !Json.text(event, "eventTime").isEmpty();
        // Events without this time, as those of the old group, must only belong to the namespace of their object.
        if (!isNew && !about.equals(namespace) && !(about.isEmpty() && namespace.equals("default"))) {
            namespaceDiffers(about);
        }
        if (!isNew) {
            return;
        }
        boolean isOfCluster = namespace.equals("kube-system") || (release.atLeast(22) && namespace.equals("default"));
        if (about.isEmpty() && !isOfCluster) {
            namespaceDiffers(about);
        }
        String controller = Json.text(event, "reportingComponent");
        String path = release.atLeast(26) && apiVersion.equals("v1") ? "reportingComponent" : "reportingController";
        if (controller.isEmpty()) {
            errors.required(path, "");
        }
        errors.all(path, controller, FieldErrors.qualifiedName(controller));
        for (String field : List.of("reportingInstance", "action", "reason")) {
            String text = Json.text(event, field);
            if (text.isEmpty()) {
                errors.required(field, "");
            }
            atMost(field, text, LONGEST_TEXT);
        }
        atMost("message", Json.text(event, "message"), LONGEST_MESSAGE);
    }

    private void namespaceDiffers(String about) {
        errors.invalid("involvedObject.namespace", about, "does not match event.namespace");
    }

    private void atMost(String field, String text, int length) {
        if (text.length() > length) {
            errors.invalid(field, "", "can have at most " + length + " characters");
        }
    }

    private void strict() {
        String name = Json.text(event, "metadata", "name");
        if (!name.isEmpty()) {
            errors.all("metadata.name", name, FieldErrors.subdomain(name));
        }
        series();
        if (Json.text(event, "eventTime").isEmpty()) {
            errors.required("eventTime", "");
        }
        String type = Json.text(event, "type");
        if (!List.of("Normal", "Warning").contains(type)) {
            errors.invalid("type", "", "has invalid value: " + type);
        }
        for (String field : List.of("firstTimestamp", "lastTimestamp")) {
            if (!Json.text(event, field).isEmpty()) {
                errors.invalid(field, "", "needs to be unset");
            }
        }
        if (event.path("count").asLong() != 0) {
            errors.invalid("count", "", "needs to be unset");
        }
        if (!Json.text(event, "source", "component").isEmpty()
                || !Json.text(event, "source", "host").isEmpty()) {
            errors.invalid("source", "", "needs to be unset");
        }
    }

    private void series() {
        JsonNode series = event.path("series");
        if (!series.isObject()) {
            return;
        }
        if (series.path("count").asLong() < 2) {
            errors.invalid("series.count", "", "should be at least 2");
        }
        if (Json.text(series, "lastObservedTime").isEmpty()) {
            errors.required("series.lastObservedTime", "");
        }
    }

    private void strictChange(JsonNode present) {
        if (!SemanticEquality.same(present.path("series"), event.path("series"))) {
            series();
        }
        for (String field : IMMUTABLE) {
            if (!SemanticEquality.same(present.path(field), event.path(field))) {
                errors.invalidValue(
                        field.equals("reportingComponent") ? "reportingController" : field,
                        shown(event.path(field), present.path(field)),
                        "field is immutable");
            }
        }
    }

    private static Object shown(JsonNode value, JsonNode before) {
        boolean isText = before.isTextual() && !before.asText().matches("\\d{4}-\\d\\d-.*Z");
        return value.isMissingNode() ? isText ? "\"\"" : "null" : value;
    }
}
