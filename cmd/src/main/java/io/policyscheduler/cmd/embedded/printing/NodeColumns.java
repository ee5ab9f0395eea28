package io.policyscheduler.cmd.embedded.printing;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.api.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The columns of nodes (printNode). */
final class NodeColumns {
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
        String status = "Unknown";
        for (JsonNode condition : node.path("status").path("conditions")) {
            if (Json.text(condition, "type").equals("Ready")) {
                status = Json.text(condition, "status").equals("True") ? "Ready" : "NotReady";
            }
        }
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
