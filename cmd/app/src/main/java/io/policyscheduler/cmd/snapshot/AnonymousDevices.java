package io.policyscheduler.cmd.snapshot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.snapshot.Anonymizer.AnonymousTexts;
import io.policyscheduler.cmd.snapshot.AnonymousObjects.AnonymousFields;
import io.policyscheduler.framework.devices.cel.SelectorCompiler.AttributeReads;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The fields of devices, device classes, and claims that anonymous copies keep. Names of drivers and attributes stay, and so do
 * selectors and the attribute texts that selectors may read. Other attribute texts are only compared with each other and are
 * replaced.
 */
final class AnonymousDevices {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final Set<String> SELECTING = Set.of("DeviceClass", "ResourceClaim", "ResourceClaimTemplate");
    private static final Set<String> OPEN_SLICE = Set.of("driver", "allNodes", "perDeviceNodeSelection");
    /** Some versions nest the fields of a device, and of a request, one level deeper. */
    private static final Set<String> OPEN_DEVICE = Set.of("capacity", "allowMultipleAllocations", "bindsToNode");

    private static final Set<String> OPEN_REQUEST =
            Set.of("allocationMode", "count", "adminAccess", "capacity", "selectors");

    private final AnonymousTexts texts;
    private final AnonymousFields fields;
    private final AttributeReads reads;

    AnonymousDevices(AnonymousTexts texts, AnonymousFields fields, AttributeReads reads) {
        this.texts = texts;
        this.fields = fields;
        this.reads = reads;
    }

    /** The expressions of selectors in an object; none for other kinds. */
    static List<String> selectors(JsonNode object) {
        return SELECTING.contains(object.path("kind").asText())
                ? object.path("spec").findValues("cel").stream()
                        .map(cel -> cel.path("expression").asText())
                        .toList()
                : List.of();
    }

    /** Adds the kept fields of an object of these kinds to a copy; nothing for other kinds. */
    void complete(String kind, JsonNode object, ObjectNode copy) {
        switch (kind) {
            case "ResourceSlice" -> copy.set("spec", slice(object.path("spec")));
            case "DeviceClass" -> {
                ObjectNode spec = copy.putObject("spec");
                keep(object.path("spec"), "selectors", spec);
                configs(object.path("spec"), spec);
            }
            case "ResourceClaim" -> {
                copy.set("spec", claim(object.path("spec")));
                if (object.has("status")) {
                    copy.set("status", status(object.path("status")));
                }
            }
            case "ResourceClaimTemplate" ->
                copy.putObject("spec").set("spec", claim(object.path("spec").path("spec")));
            default -> {
                // Has no devices.
            }
        }
    }

    private static void keep(JsonNode from, String field, ObjectNode to) {
        if (from.hasNonNull(field)) {
            to.set(field, from.get(field));
        }
    }

    private JsonNode name(JsonNode value) {
        return NODES.textNode(texts.name(value.asText()));
    }

    /** A request name can include its alternative. */
    private JsonNode request(JsonNode value) {
        return NODES.textNode(texts.names(value.asText(), "/"));
    }

    private ObjectNode slice(JsonNode spec) {
        ObjectNode copy = NODES.objectNode();
        String driver = spec.path("driver").asText();
        for (Map.Entry<String, JsonNode> field : spec.properties()) {
            JsonNode value = field.getValue();
            switch (field.getKey()) {
                case "nodeName" -> copy.set("nodeName", name(value));
                case "nodeSelector" -> copy.set("nodeSelector", fields.walk(value));
                case "pool" -> {
                    ObjectNode pool = copy.putObject("pool");
                    keep(value, "generation", pool);
                    keep(value, "resourceSliceCount", pool);
                    pool.set("name", name(value.path("name")));
                }
                case "devices" -> {
                    ArrayNode devices = copy.putArray("devices");
                    value.forEach(device -> devices.add(device(driver, device)));
                }
                default -> {
                    if (OPEN_SLICE.contains(field.getKey())) {
                        copy.set(field.getKey(), value);
                    }
                }
            }
        }
        return copy;
    }

    private ObjectNode device(String driver, JsonNode device) {
        ObjectNode copy = NODES.objectNode();
        for (Map.Entry<String, JsonNode> field : device.properties()) {
            JsonNode value = field.getValue();
            switch (field.getKey()) {
                case "name" -> copy.set("name", name(value));
                case "basic" -> copy.set("basic", device(driver, value));
                case "attributes" -> {
                    ObjectNode attributes = copy.putObject("attributes");
                    value.properties()
                            .forEach(one ->
                                    attributes.set(one.getKey(), attribute(driver, one.getKey(), one.getValue())));
                }
                case "bindingConditions" -> {
                    ArrayNode conditions = copy.putArray("bindingConditions");
                    value.forEach(one -> conditions.add(name(one)));
                }
                case "consumesCounters" -> {
                    ArrayNode counters = copy.putArray("consumesCounters");
                    value.forEach(one -> counters.addObject());
                }
                default -> {
                    if (OPEN_DEVICE.contains(field.getKey())) {
                        copy.set(field.getKey(), value);
                    }
                }
            }
        }
        return copy;
    }

    private JsonNode attribute(String driver, String key, JsonNode value) {
        int slash = key.indexOf('/');
        String domain = slash < 0 ? driver : key.substring(0, slash);
        if (!value.hasNonNull("string") || reads.includes(domain, key.substring(slash + 1))) {
            return value;
        }
        return NODES.objectNode().set("string", name(value.path("string")));
    }

    private ObjectNode claim(JsonNode spec) {
        ObjectNode copy = NODES.objectNode();
        JsonNode asked = spec.path("devices");
        if (asked.isMissingNode()) {
            return copy;
        }
        ObjectNode devices = copy.putObject("devices");
        if (asked.has("requests")) {
            ArrayNode requests = devices.putArray("requests");
            asked.path("requests").forEach(one -> requests.add(anonymous(one)));
        }
        if (asked.has("constraints")) {
            ArrayNode constraints = devices.putArray("constraints");
            asked.path("constraints").forEach(one -> {
                ObjectNode constraint = constraints.addObject();
                keep(one, "matchAttribute", constraint);
                requests(one, constraint);
            });
        }
        configs(asked, devices);
        return copy;
    }

    private ObjectNode anonymous(JsonNode request) {
        ObjectNode copy = NODES.objectNode();
        for (Map.Entry<String, JsonNode> field : request.properties()) {
            JsonNode value = field.getValue();
            switch (field.getKey()) {
                case "name", "deviceClassName" -> copy.set(field.getKey(), name(value));
                case "exactly" -> copy.set("exactly", anonymous(value));
                case "firstAvailable" -> {
                    ArrayNode alternatives = copy.putArray("firstAvailable");
                    value.forEach(one -> alternatives.add(anonymous(one)));
                }
                default -> {
                    if (OPEN_REQUEST.contains(field.getKey())) {
                        copy.set(field.getKey(), value);
                    }
                }
            }
        }
        return copy;
    }

    private void requests(JsonNode from, ObjectNode to) {
        if (from.has("requests")) {
            ArrayNode requests = to.putArray("requests");
            from.path("requests").forEach(one -> requests.add(request(one)));
        }
    }

    /** The requests of a configuration; its parameters are for drivers. */
    private void configs(JsonNode from, ObjectNode to) {
        if (!from.has("config")) {
            return;
        }
        ArrayNode configs = to.putArray("config");
        from.path("config").forEach(one -> {
            ObjectNode config = configs.addObject();
            keep(one, "source", config);
            requests(one, config);
            if (one.has("opaque")) {
                ObjectNode opaque = config.putObject("opaque");
                keep(one.path("opaque"), "driver", opaque);
                opaque.putObject("parameters");
            }
        });
    }

    private ObjectNode status(JsonNode status) {
        ObjectNode copy = NODES.objectNode();
        JsonNode given = status.path("allocation");
        if (given.isObject()) {
            ObjectNode allocation = copy.putObject("allocation");
            if (given.has("nodeSelector")) {
                allocation.set("nodeSelector", fields.walk(given.path("nodeSelector")));
            }
            ObjectNode devices = allocation.putObject("devices");
            ArrayNode results = devices.putArray("results");
            given.path("devices").path("results").forEach(one -> {
                ObjectNode result = results.addObject();
                result.set("request", request(one.path("request")));
                keep(one, "driver", result);
                result.set("pool", name(one.path("pool")));
                result.set("device", name(one.path("device")));
                keep(one, "adminAccess", result);
            });
            configs(given.path("devices"), devices);
        }
        if (status.has("reservedFor")) {
            ArrayNode reserved = copy.putArray("reservedFor");
            status.path("reservedFor").forEach(one -> {
                ObjectNode consumer = reserved.addObject();
                List.of("apiGroup", "resource", "uid").forEach(field -> keep(one, field, consumer));
                consumer.set("name", name(one.path("name")));
            });
        }
        return copy;
    }
}
