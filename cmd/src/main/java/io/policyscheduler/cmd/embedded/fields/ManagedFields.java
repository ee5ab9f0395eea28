package io.policyscheduler.cmd.embedded.fields;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The {@code metadata.managedFields} of one object while a request changes it (apimachinery util/managedfields). */
final class ManagedFields {
    /** One who writes; two operations or subresources of one name are two managers. */
    record Manager(String name, String operation, String subresource, String apiVersion) {
        static Manager of(JsonNode entry) {
            return new Manager(
                    Json.text(entry, "manager"),
                    Json.text(entry, "operation"),
                    Json.text(entry, "subresource"),
                    Json.text(entry, "apiVersion"));
        }

        /** As refusals name it. */
        String text() {
            return "\"" + name + "\"" + (subresource.isEmpty() ? "" : " with subresource \"" + subresource + "\"")
                    + " using " + apiVersion;
        }
    }

    private final Map<Manager, Set<List<String>>> owned = new LinkedHashMap<>();
    private final Map<Manager, String> times = new LinkedHashMap<>();

    ManagedFields(JsonNode object) {
        for (JsonNode entry : object.path("metadata").path("managedFields")) {
            Manager manager = Manager.of(entry);
            owned.put(manager, new LinkedHashSet<>(FieldSet.parse(entry.path("fieldsV1"))));
            times.put(manager, Json.text(entry, "time"));
        }
    }

    Map<Manager, Set<List<String>>> others(Manager manager) {
        Map<Manager, Set<List<String>>> others = new LinkedHashMap<>(owned);
        others.remove(manager);
        return others;
    }

    Set<List<String>> of(Manager manager) {
        return owned.getOrDefault(manager, Set.of());
    }

    void set(Manager manager, Set<List<String>> fields, String time) {
        Set<List<String>> before = owned.put(manager, new LinkedHashSet<>(fields));
        if (before == null || !before.equals(fields)) {
            times.put(manager, time);
        }
    }

    /** Takes fields from all managers but one. */
    void take(Manager from, Set<List<String>> fields) {
        others(from).values().forEach(present -> present.removeAll(fields));
    }

    /** Forgets fields that are not there any more. */
    void retain(Set<List<String>> present) {
        owned.values().forEach(fields -> fields.retainAll(present));
    }

    void write(ObjectNode object) {
        ArrayNode entries = Json.array();
        owned.forEach((manager, fields) -> {
            if (!fields.isEmpty()) {
                ObjectNode entry = entries.addObject();
                entry.put("manager", manager.name())
                        .put("operation", manager.operation())
                        .put("apiVersion", manager.apiVersion())
                        .put("time", times.getOrDefault(manager, ""))
                        .put("fieldsType", "FieldsV1");
                entry.set("fieldsV1", FieldSet.tree(fields));
                if (!manager.subresource().isEmpty()) {
                    entry.put("subresource", manager.subresource());
                }
            }
        });
        if (entries.isEmpty()) {
            Json.child(object, "metadata").remove("managedFields");
        } else {
            Json.child(object, "metadata").set("managedFields", entries);
        }
    }
}
