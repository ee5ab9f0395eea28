package io.policyscheduler.cmd.embedded.printing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.request.ApiRequest;
import io.policyscheduler.cmd.embedded.request.ResourceRequest;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The columns that kubectl prints, computed by the server as meta.k8s.io/v1 Tables (pkg/printers/internalversion). */
public final class Tables {
    private static final String NONE = "<none>";
    private static final String ROLE_LABEL = "node-role.kubernetes.io/";

    /** A column; priority 1 is shown with {@code -o wide} only. */
    private record Column(String name, String type, int priority, Function<JsonNode, JsonNode> cell) {}

    private final Clock clock;
    private final Map<String, List<Column>> byResource;
    private final List<Column> generic;

    public Tables(Clock clock) {
        this.clock = clock;
        this.generic = List.of(name(), age());
        this.byResource = Map.of("pods", pods(), "nodes", nodes(), "events", events());
    }

    public ObjectNode table(ResourceRequest target, ApiRequest request, List<ObjectNode> objects) {
        List<Column> columns = byResource.getOrDefault(target.type().qualifiedName(), generic);
        ObjectNode table = Json.object().put("kind", "Table").put("apiVersion", "meta.k8s.io/v1");
        ObjectNode metadata = table.putObject("metadata");
        if (objects.size() == 1) {
            metadata.put("resourceVersion", Json.text(objects.get(0), "metadata", "resourceVersion"));
        }
        ArrayNode definitions = table.putArray("columnDefinitions");
        for (Column column : columns) {
            definitions
                    .addObject()
                    .put("name", column.name())
                    .put("type", column.type())
                    .put("format", column.name().equals("Name") ? "name" : "")
                    .put("description", "")
                    .put("priority", column.priority());
        }
        boolean whole = request.parameter("includeObject").equals("Object");
        ArrayNode rows = table.putArray("rows");
        for (ObjectNode object : objects) {
            ObjectNode row = rows.addObject();
            ArrayNode cells = row.putArray("cells");
            columns.forEach(column -> cells.add(column.cell().apply(object)));
            row.set("object", whole ? target.external(object) : partial(object));
        }
        return table;
    }

    private static ObjectNode partial(ObjectNode object) {
        ObjectNode partial = Json.object().put("kind", "PartialObjectMetadata").put("apiVersion", "meta.k8s.io/v1");
        partial.set("metadata", object.path("metadata"));
        return partial;
    }

    private static Column text(String name, int priority, Function<JsonNode, String> cell) {
        return new Column(name, "string", priority, object -> Json.object().textNode(cell.apply(object)));
    }

    private static Column name() {
        return text("Name", 0, object -> Json.text(object, "metadata", "name"));
    }

    private Column age() {
        return text("Age", 0, object -> since(Json.text(object, "metadata", "creationTimestamp")));
    }

    private String since(String time) {
        if (time.isEmpty()) {
            return "<unknown>";
        }
        try {
            return HumanDuration.format(
                    Duration.between(OffsetDateTime.parse(time).toInstant(), clock.instant()));
        } catch (DateTimeException e) {
            return "<invalid>";
        }
    }

    private static String orNone(String text) {
        return text.isEmpty() ? NONE : text;
    }

    private List<Column> pods() {
        return List.of(
                name(),
                text("Ready", 0, Tables::podReadiness),
                text("Status", 0, Tables::podStatus),
                text("Restarts", 0, Tables::podRestarts),
                age(),
                text("IP", 1, pod -> orNone(Json.text(pod, "status", "podIP"))),
                text("Node", 1, pod -> orNone(Json.text(pod, "spec", "nodeName"))),
                text("Nominated Node", 1, pod -> orNone(Json.text(pod, "status", "nominatedNodeName"))));
    }

    private static String podReadiness(JsonNode pod) {
        int ready = 0;
        for (JsonNode container : pod.path("status").path("containerStatuses")) {
            ready += container.path("ready").asBoolean() ? 1 : 0;
        }
        return ready + "/" + pod.path("spec").path("containers").size();
    }

    private static String podStatus(JsonNode pod) {
        if (pod.path("metadata").has("deletionTimestamp")) {
            return "Terminating";
        }
        String reason = Json.text(pod, "status", "reason");
        for (JsonNode container : pod.path("status").path("containerStatuses")) {
            JsonNode state = container.path("state");
            String waiting = Json.text(state, "waiting", "reason");
            String terminated = Json.text(state, "terminated", "reason");
            if (!waiting.isEmpty() || !terminated.isEmpty()) {
                reason = waiting.isEmpty() ? terminated : waiting;
            }
        }
        if (reason.isEmpty() && isGated(pod)) {
            return "SchedulingGated";
        }
        return reason.isEmpty() ? Json.text(pod, "status", "phase") : reason;
    }

    private static boolean isGated(JsonNode pod) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (Json.text(condition, "type").equals("PodScheduled")
                    && Json.text(condition, "reason").equals("SchedulingGated")) {
                return true;
            }
        }
        return false;
    }

    private static String podRestarts(JsonNode pod) {
        int restarts = 0;
        for (JsonNode container : pod.path("status").path("containerStatuses")) {
            restarts += container.path("restartCount").asInt();
        }
        return Integer.toString(restarts);
    }

    private List<Column> nodes() {
        return List.of(
                name(),
                text("Status", 0, Tables::nodeStatus),
                text("Roles", 0, Tables::nodeRoles),
                age(),
                text("Version", 0, node -> Json.text(node, "status", "nodeInfo", "kubeletVersion")),
                text("Internal-IP", 1, node -> address(node, "InternalIP")),
                text("External-IP", 1, node -> address(node, "ExternalIP")),
                text("OS-Image", 1, node -> nodeInfo(node, "osImage")),
                text("Kernel-Version", 1, node -> nodeInfo(node, "kernelVersion")),
                text("Container-Runtime", 1, node -> nodeInfo(node, "containerRuntimeVersion")));
    }

    private static String nodeStatus(JsonNode node) {
        String status = "Unknown";
        for (JsonNode condition : node.path("status").path("conditions")) {
            if (Json.text(condition, "type").equals("Ready")) {
                status = Json.text(condition, "status").equals("True") ? "Ready" : "NotReady";
            }
        }
        return node.path("spec").path("unschedulable").asBoolean() ? status + ",SchedulingDisabled" : status;
    }

    private static String nodeRoles(JsonNode node) {
        List<String> roles = new ArrayList<>();
        node.path("metadata").path("labels").properties().forEach(label -> {
            if (label.getKey().startsWith(ROLE_LABEL) && label.getKey().length() > ROLE_LABEL.length()) {
                roles.add(label.getKey().substring(ROLE_LABEL.length()));
            } else if (label.getKey().equals("kubernetes.io/role")) {
                roles.add(label.getValue().asText());
            }
        });
        return orNone(roles.stream().sorted().collect(Collectors.joining(",")));
    }

    private static String address(JsonNode node, String type) {
        for (JsonNode address : node.path("status").path("addresses")) {
            if (Json.text(address, "type").equals(type)) {
                return Json.text(address, "address");
            }
        }
        return NONE;
    }

    private static String nodeInfo(JsonNode node, String field) {
        String value = Json.text(node, "status", "nodeInfo", field);
        return value.isEmpty() ? "<unknown>" : value;
    }

    private List<Column> events() {
        return List.of(
                text("Last Seen", 0, this::lastSeen),
                text("Type", 0, event -> Json.text(event, "type")),
                text("Reason", 0, event -> Json.text(event, "reason")),
                text("Object", 0, Tables::involvedObject),
                text("Message", 0, event -> Json.text(event, "message").trim()),
                text("Name", 1, event -> Json.text(event, "metadata", "name")));
    }

    private String lastSeen(JsonNode event) {
        for (List<String> path : List.of(
                List.of("series", "lastObservedTime"),
                List.of("lastTimestamp"),
                List.of("eventTime"),
                List.of("firstTimestamp"))) {
            String time = Json.text(event, path.toArray(String[]::new));
            if (!time.isEmpty()) {
                return since(time);
            }
        }
        return "<unknown>";
    }

    private static String involvedObject(JsonNode event) {
        JsonNode object = event.path("involvedObject");
        return Json.text(object, "kind").toLowerCase(Locale.ROOT) + "/" + Json.text(object, "name");
    }
}
