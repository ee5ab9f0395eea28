package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.embedded.api.ApiRequest;
import io.policyscheduler.cmd.embedded.api.Conditions;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceRequest;
import io.policyscheduler.cmd.embedded.server.Tables.Ages;
import io.policyscheduler.cmd.embedded.server.Tables.Column;
import io.policyscheduler.cmd.embedded.server.WorkloadColumns.PodColumns;
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
    private final Map<String, List<Column>> byResource;
    private final List<Column> generic;

    /** Tables with ages by a clock. */
    public Tables(Clock clock) {
        Ages ages = new Ages(clock);
        this.generic = List.of(
                Column.ofName(),
                Column.text("Created At", object -> Json.text(object, "metadata", "creationTimestamp")));
        this.byResource = ImmutableMap.<String, List<Column>>builder()
                .put("pods", PodColumns.of(ages))
                .put("nodes", OtherColumns.NodeColumns.of(ages))
                .putAll(WorkloadColumns.of(ages))
                .putAll(OtherColumns.of(ages))
                .buildOrThrow();
    }

    /** The objects as a table. */
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
            if (target.type().isPod()) {
                finished(object, row);
            }
            row.set("object", whole ? target.external(object) : partial(object));
        }
        return table;
    }

    /** Rows of finished pods are marked, so that clients can hide them. */
    private static void finished(JsonNode pod, ObjectNode row) {
        String phase = Json.text(pod, "status", "phase");
        if (phase.equals("Succeeded") || phase.equals("Failed")) {
            row.putArray("conditions")
                    .addObject()
                    .put("type", "Completed")
                    .put("status", "True")
                    .put("reason", phase)
                    .put("message", phase.equals("Failed") ? "The pod failed." : "The pod has completed successfully.");
        }
    }

    private static ObjectNode partial(ObjectNode object) {
        ObjectNode partial = Json.object().put("kind", "PartialObjectMetadata").put("apiVersion", "meta.k8s.io/v1");
        partial.set("metadata", object.path("metadata"));
        return partial;
    }

    /** The age of a time, in the format of kubectl. */
    static final class Ages {
        private final Clock clock;

        Ages(Clock clock) {
            this.clock = clock;
        }

        Column column() {
            return Column.text("Age", object -> since(Json.text(object, "metadata", "creationTimestamp")));
        }

        String since(String time) {
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

        /** The duration from one time to another, or until now if that is empty. */
        String between(String from, String to) {
            if (from.isEmpty() || to.isEmpty()) {
                return from.isEmpty() ? "" : since(from);
            }
            return HumanDuration.format(Duration.between(OffsetDateTime.parse(from), OffsetDateTime.parse(to)));
        }

        /** The start of a Job's duration; empty when it has not started. */
        static String start(JsonNode job) {
            return Json.text(job, "status", "startTime");
        }

        /** Ages in the format of kubectl (apimachinery util/duration). */
        static final class HumanDuration {
            private static final long MINUTE = 60;
            private static final long HOUR = 60 * MINUTE;
            private static final long DAY = 24 * HOUR;
            private static final long YEAR = 365 * DAY;

            private HumanDuration() {}

            static String format(Duration duration) {
                long seconds = duration.toSeconds();
                if (seconds < -1) {
                    return "<invalid>";
                }
                if (seconds < 2 * MINUTE) {
                    return Math.max(0, seconds) + "s";
                }
                if (seconds < 10 * MINUTE) {
                    return pair(seconds, MINUTE, "m", 1, "s");
                }
                if (seconds < 3 * HOUR) {
                    return seconds / MINUTE + "m";
                }
                if (seconds < 8 * HOUR) {
                    return pair(seconds, HOUR, "h", MINUTE, "m");
                }
                if (seconds < 2 * DAY) {
                    return seconds / HOUR + "h";
                }
                if (seconds < 8 * DAY) {
                    return pair(seconds, DAY, "d", HOUR, "h");
                }
                if (seconds < 2 * YEAR) {
                    return seconds / DAY + "d";
                }
                if (seconds < 8 * YEAR) {
                    return pair(seconds, YEAR, "y", DAY, "d");
                }
                return seconds / YEAR + "y";
            }

            private static String pair(long seconds, long large, String largeUnit, long small, String smallUnit) {
                long rest = seconds % large / small;
                return seconds / large + largeUnit + (rest == 0 ? "" : rest + smallUnit);
            }
        }
    }

    /**
     * A column of a table.
     *
     * @param type {@code string}, {@code integer} or {@code boolean}
     * @param priority 1 for a column that only {@code -o wide} shows
     */
    record Column(String name, String type, int priority, Function<JsonNode, JsonNode> cell) {
        static final String NONE = "<none>";

        static Column text(String name, Function<JsonNode, String> cell) {
            return new Column(name, "string", 0, object -> Json.object().textNode(cell.apply(object)));
        }

        static Column wide(String name, Function<JsonNode, String> cell) {
            return new Column(name, "string", 1, object -> Json.object().textNode(cell.apply(object)));
        }

        static Column number(String name, Function<JsonNode, Integer> cell) {
            return new Column(name, "integer", 0, object -> Json.object().numberNode(cell.apply(object)));
        }

        /** A number at a path such as {@code /status/replicas}; 0 if it is absent. */
        static Column number(String name, String path) {
            return number(name, object -> object.at(path).asInt());
        }

        static Column ofName() {
            return text("Name", object -> Json.text(object, "metadata", "name"));
        }

        static String orNone(String text) {
            return text.isEmpty() ? NONE : text;
        }

        static String orUnset(String text) {
            return text.isEmpty() ? "<unset>" : text;
        }
    }

    /** The columns of kinds that are neither pods, nodes nor workloads. */
    private static final class OtherColumns {
        private final Ages ages;

        private OtherColumns(Ages ages) {
            this.ages = ages;
        }

        /** The columns by resource. */
        static Map<String, List<Column>> of(Ages ages) {
            OtherColumns columns = new OtherColumns(ages);
            Column name = Column.ofName();
            Column age = ages.column();
            return ImmutableMap.<String, List<Column>>builder()
                    .put("events", columns.events())
                    .put("namespaces", List.of(name, field("Status", "/status/phase"), age))
                    .put("services", columns.services())
                    .put("configmaps", List.of(name, Column.number("Data", OtherColumns::data), age))
                    .put(
                            "secrets",
                            List.of(name, field("Type", "/type"), Column.number("Data", OtherColumns::data), age))
                    .put(
                            "serviceaccounts",
                            List.of(
                                    name,
                                    Column.number(
                                            "Secrets", sa -> sa.path("secrets").size()),
                                    age))
                    .put("poddisruptionbudgets.policy", columns.budgets())
                    .put(
                            "priorityclasses.scheduling.k8s.io",
                            List.of(
                                    name,
                                    Column.number("Value", "/value"),
                                    Column.text(
                                            "Global-Default",
                                            c -> Boolean.toString(
                                                    c.path("globalDefault").asBoolean())),
                                    age,
                                    field("PreemptionPolicy", "/preemptionPolicy")))
                    .put("persistentvolumeclaims", columns.claims())
                    .put("persistentvolumes", columns.volumes())
                    .put("storageclasses.storage.k8s.io", columns.storageClasses())
                    .put("leases.coordination.k8s.io", List.of(name, field("Holder", "/spec/holderIdentity"), age))
                    .buildOrThrow();
        }

        private static Column field(String name, String path) {
            return Column.text(name, object -> object.at(path).asText(""));
        }

        private static int data(JsonNode object) {
            return object.path("data").size() + object.path("binaryData").size();
        }

        private List<Column> events() {
            return List.of(
                    Column.text("Last Seen", this::lastSeen),
                    field("Type", "/type"),
                    field("Reason", "/reason"),
                    Column.text("Object", OtherColumns::involvedObject),
                    Column.wide("Subobject", event -> Json.text(event, "involvedObject", "fieldPath")),
                    Column.wide("Source", OtherColumns::source),
                    Column.text("Message", event -> Json.text(event, "message").trim()),
                    Column.wide("First Seen", event -> ages.since(firstSeen(event))),
                    Column.wide(
                            "Count",
                            event -> Integer.toString(
                                    Math.max(1, event.path("count").asInt(1)))),
                    Column.wide("Name", event -> Json.text(event, "metadata", "name")));
        }

        private String lastSeen(JsonNode event) {
            for (String path : List.of("/series/lastObservedTime", "/lastTimestamp", "/eventTime", "/firstTimestamp")) {
                String time = event.at(path).asText("");
                if (!time.isEmpty()) {
                    return ages.since(time);
                }
            }
            return "<unknown>";
        }

        private static String firstSeen(JsonNode event) {
            String first = Json.text(event, "firstTimestamp");
            return first.isEmpty() ? Json.text(event, "eventTime") : first;
        }

        private static String source(JsonNode event) {
            String component = Json.text(event, "source", "component");
            String host = Json.text(event, "source", "host");
            String reporting = component.isEmpty() ? Json.text(event, "reportingComponent") : component;
            return host.isEmpty() ? reporting : reporting + ", " + host;
        }

        private static String involvedObject(JsonNode event) {
            JsonNode object = event.path("involvedObject");
            return Json.text(object, "kind").toLowerCase(Locale.ROOT) + "/" + Json.text(object, "name");
        }

        private List<Column> services() {
            return List.of(
                    Column.ofName(),
                    field("Type", "/spec/type"),
                    Column.text("Cluster-IP", service -> Column.orNone(Json.text(service, "spec", "clusterIP"))),
                    Column.text("External-IP", OtherColumns::externalAddress),
                    Column.text("Port(s)", OtherColumns::ports),
                    ages.column(),
                    Column.wide("Selector", service -> WorkloadColumns.labels(service.at("/spec/selector"))));
        }

        private static String externalAddress(JsonNode service) {
            String type = Json.text(service, "spec", "type");
            List<String> addresses = new ArrayList<>();
            service.at("/spec/externalIPs").forEach(address -> addresses.add(address.asText()));
            if (type.equals("ExternalName")) {
                return Json.text(service, "spec", "externalName");
            }
            return addresses.isEmpty()
                    ? (type.equals("LoadBalancer") ? "<pending>" : Column.NONE)
                    : String.join(",", addresses);
        }

        private static String ports(JsonNode service) {
            List<String> ports = new ArrayList<>();
            for (JsonNode port : service.at("/spec/ports")) {
                int nodePort = port.path("nodePort").asInt();
                ports.add(port.path("port").asInt() + (nodePort > 0 ? ":" + nodePort : "") + "/"
                        + Json.text(port, "protocol"));
            }
            return Column.orNone(String.join(",", ports));
        }

        private List<Column> budgets() {
            return List.of(
                    Column.ofName(),
                    Column.text(
                            "Min Available",
                            budget -> budget.at("/spec/minAvailable").asText("N/A")),
                    Column.text(
                            "Max Unavailable",
                            budget -> budget.at("/spec/maxUnavailable").asText("N/A")),
                    Column.number("Allowed Disruptions", "/status/disruptionsAllowed"),
                    ages.column());
        }

        private List<Column> claims() {
            return List.of(
                    Column.ofName(),
                    Column.text("Status", OtherColumns::phase),
                    field("Volume", "/spec/volumeName"),
                    field("Capacity", "/status/capacity/storage"),
                    Column.text("Access Modes", claim -> modes(claim.at("/status/accessModes"))),
                    field("StorageClass", "/spec/storageClassName"),
                    Column.text(
                            "VolumeAttributesClass",
                            claim -> Column.orUnset(Json.text(claim, "spec", "volumeAttributesClassName"))),
                    ages.column(),
                    Column.wide("VolumeMode", claim -> Column.orUnset(Json.text(claim, "spec", "volumeMode"))));
        }

        private static String phase(JsonNode object) {
            return object.path("metadata").has("deletionTimestamp")
                    ? "Terminating"
                    : Json.text(object, "status", "phase");
        }

        private static String modes(JsonNode modes) {
            Map<String, String> shorter = Map.of(
                    "ReadWriteOnce", "RWO", "ReadOnlyMany", "ROX", "ReadWriteMany", "RWX", "ReadWriteOncePod", "RWOP");
            List<String> texts = new ArrayList<>();
            modes.forEach(mode -> texts.add(shorter.getOrDefault(mode.asText(), mode.asText())));
            return String.join(",", texts);
        }

        private List<Column> volumes() {
            return List.of(
                    Column.ofName(),
                    field("Capacity", "/spec/capacity/storage"),
                    Column.text("Access Modes", volume -> modes(volume.at("/spec/accessModes"))),
                    field("Reclaim Policy", "/spec/persistentVolumeReclaimPolicy"),
                    Column.text("Status", OtherColumns::phase),
                    Column.text("Claim", volume -> {
                        JsonNode claim = volume.at("/spec/claimRef");
                        return claim.isMissingNode()
                                ? ""
                                : Json.text(claim, "namespace") + "/" + Json.text(claim, "name");
                    }),
                    field("StorageClass", "/spec/storageClassName"),
                    Column.text(
                            "VolumeAttributesClass",
                            volume -> Column.orUnset(Json.text(volume, "spec", "volumeAttributesClassName"))),
                    field("Reason", "/status/reason"),
                    ages.column(),
                    Column.wide("VolumeMode", volume -> Column.orUnset(Json.text(volume, "spec", "volumeMode"))));
        }

        private List<Column> storageClasses() {
            String isDefault = "storageclass.kubernetes.io/is-default-class";
            return List.of(
                    Column.text(
                            "Name",
                            storage -> Json.text(storage, "metadata", "name")
                                    + (Json.text(storage, "metadata", "annotations", isDefault)
                                                    .equals("true")
                                            ? " (default)"
                                            : "")),
                    field("Provisioner", "/provisioner"),
                    field("ReclaimPolicy", "/reclaimPolicy"),
                    field("VolumeBindingMode", "/volumeBindingMode"),
                    Column.text(
                            "AllowVolumeExpansion",
                            s -> Boolean.toString(s.path("allowVolumeExpansion").asBoolean())),
                    ages.column());
        }

        /** The columns of nodes (printNode). */
        static final class NodeColumns {
            private static final String ROLE_LABEL = "node-role.kubernetes.io/";

            private NodeColumns() {}

            static List<Column> of(Ages ages) {
                return List.of(
                        Column.ofName(),
                        Column.text("Status", NodeColumns::status),
                        Column.text("Roles", NodeColumns::roles),
                        ages.column(),
                        Column.text("Version", node -> Json.text(node, "status", "nodeInfo", "kubeletVersion")),
                        Column.wide("Internal-IP", node -> address(node, "InternalIP")),
                        Column.wide("External-IP", node -> address(node, "ExternalIP")),
                        Column.wide("OS-Image", node -> info(node, "osImage")),
                        Column.wide("Kernel-Version", node -> info(node, "kernelVersion")),
                        Column.wide("Container-Runtime", node -> info(node, "containerRuntimeVersion")));
            }

            private static String status(JsonNode node) {
                JsonNode ready = Conditions.find(node.path("status"), "Ready");
                String status = ready.isMissingNode()
                        ? "Unknown"
                        : Json.text(ready, "status").equals("True") ? "Ready" : "NotReady";
                return node.path("spec").path("unschedulable").asBoolean() ? status + ",SchedulingDisabled" : status;
            }

            private static String roles(JsonNode node) {
                List<String> roles = new ArrayList<>();
                node.path("metadata").path("labels").properties().forEach(label -> {
                    if (label.getKey().startsWith(ROLE_LABEL) && label.getKey().length() > ROLE_LABEL.length()) {
                        roles.add(label.getKey().substring(ROLE_LABEL.length()));
                    } else if (label.getKey().equals("kubernetes.io/role")) {
                        roles.add(label.getValue().asText());
                    }
                });
                return Column.orNone(roles.stream().sorted().collect(Collectors.joining(",")));
            }

            private static String address(JsonNode node, String type) {
                for (JsonNode address : node.path("status").path("addresses")) {
                    if (Json.text(address, "type").equals(type)) {
                        return Json.text(address, "address");
                    }
                }
                return Column.NONE;
            }

            private static String info(JsonNode node, String field) {
                String value = Json.text(node, "status", "nodeInfo", field);
                return value.isEmpty() ? "<unknown>" : value;
            }
        }
    }
}
