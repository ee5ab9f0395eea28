package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import io.policyscheduler.cmd.embedded.admission.FieldManager.ManagedFields.Manager;
import io.policyscheduler.cmd.embedded.api.ApiRequest;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ListSchema;
import io.policyscheduler.cmd.embedded.api.ResourceRequest;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Maintains {@code metadata.managedFields}: a manager owns the fields that it last applied or changed. Writes of this server's
 * controllers and kubelets have no owner.
 */
public final class FieldManager {
    private static final Set<String> NOT_OWNED = Set.of(
            "name",
            "namespace",
            "uid",
            "resourceVersion",
            "generation",
            "creationTimestamp",
            "managedFields",
            "selfLink",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "generateName");

    private final boolean tracking;
    private final Clock clock;

    /**
     * Owners of fields.
     *
     * @param tracking whether plain writes are tracked, too, which takes time and memory for each object
     */
    public FieldManager(boolean tracking, Clock clock) {
        this.tracking = tracking;
        this.clock = clock;
    }

    /** The new object, with its creator as the owner of its fields. */
    public ObjectNode afterCreate(ResourceRequest target, ApiRequest request, ObjectNode object) {
        return tracking ? afterUpdate(target, request, Json.object(), object) : object;
    }

    /** The changed object, with the sender as the owner of new and changed fields. Returns {@code next}. */
    public ObjectNode afterUpdate(ResourceRequest target, ApiRequest request, ObjectNode present, ObjectNode next) {
        if (!tracking && !present.path("metadata").has("managedFields")) {
            return next;
        }
        Map<List<String>, JsonNode> before = fields(present);
        Map<List<String>, JsonNode> after = fields(next);
        Set<List<String>> changed = new LinkedHashSet<>();
        after.forEach((path, value) -> {
            if (!value.equals(before.get(path))) {
                changed.add(path);
            }
        });
        Manager manager = manager(target, request, "Update");
        ManagedFields managed = new ManagedFields(present);
        managed.retain(after.keySet());
        managed.removeFromOthers(manager, changed);
        if (!changed.isEmpty()) {
            managed.set(manager, Sets.union(managed.of(manager), changed), Json.time(clock.instant()));
        }
        managed.write(next);
        return next;
    }

    private static Manager manager(ResourceRequest target, ApiRequest request, String operation) {
        String name = request.fieldManager();
        return new Manager(name.isEmpty() ? "unknown" : name, operation, target.subresource(), target.apiVersion());
    }

    private static Map<List<String>, JsonNode> fields(ObjectNode object) {
        ObjectNode owned = Json.object();
        object.properties().forEach(member -> {
            if (member.getKey().equals("metadata")) {
                ObjectNode metadata = Json.object();
                member.getValue().properties().stream()
                        .filter(m -> !NOT_OWNED.contains(m.getKey()))
                        .forEach(m -> metadata.set(m.getKey(), m.getValue()));
                if (!metadata.isEmpty()) {
                    owned.set("metadata", metadata);
                }
            } else if (!member.getKey().equals("kind") && !member.getKey().equals("apiVersion")) {
                owned.set(member.getKey(), member.getValue());
            }
        });
        return owned.isEmpty() ? Map.of() : FieldSet.of(owned);
    }

    /**
     * Executes a server-side apply: merges the applied fields, and removes those that this manager applied before and no longer
     * does.
     *
     * @param present the object, empty if it does not exist; may be changed
     * @param applied the body of the request, without kind and apiVersion
     * @return the merged object, with its owners in {@code metadata.managedFields}
     * @throws StatusError a conflict, if others own fields with other values, and force is not set
     */
    public ObjectNode apply(ResourceRequest target, ApiRequest request, ObjectNode present, ObjectNode applied) {
        Manager manager = manager(target, request, "Apply");
        ManagedFields managed = new ManagedFields(present);
        Map<List<String>, JsonNode> appliedFields = fields(applied);
        Map<List<String>, JsonNode> found = fields(present);
        Map<Manager, Set<List<String>>> conflicts = new LinkedHashMap<>();
        managed.others(manager).forEach((other, fields) -> {
            Set<List<String>> both = new LinkedHashSet<>(Sets.intersection(fields, appliedFields.keySet()));
            both.removeIf(
                    path -> appliedFields.getOrDefault(path, FieldSet.missing()).equals(found.get(path)));
            if (!both.isEmpty()) {
                conflicts.put(other, both);
            }
        });
        if (!conflicts.isEmpty() && !request.flag("force")) {
            throw ApplyConflict.of(conflicts);
        }
        conflicts.values().forEach(paths -> managed.removeFromOthers(manager, paths));
        Set<List<String>> dropped = new LinkedHashSet<>(managed.of(manager));
        dropped.removeAll(appliedFields.keySet());
        managed.others(manager).values().forEach(dropped::removeAll);
        dropped.forEach(path -> FieldSet.remove(present, path));
        ObjectNode merged = (ObjectNode) ApplyMerge.merge("", present, applied);
        managed.set(manager, appliedFields.keySet(), Json.time(clock.instant()));
        managed.write(merged);
        return merged;
    }

    /** The error of an apply that would change fields of other managers (managedfields/internal/conflict.go). */
    static final class ApplyConflict {
        private ApplyConflict() {}

        static StatusError of(Map<Manager, Set<List<String>>> conflicts) {
            List<Cause> causes = new ArrayList<>();
            List<String> texts = new ArrayList<>();
            conflicts.forEach((manager, paths) -> {
                List<String> fields =
                        paths.stream().map(FieldSet::text).sorted().toList();
                fields.forEach(field ->
                        causes.add(new Cause(field, "FieldManagerConflict", "conflict with " + manager.text())));
                texts.add(
                        fields.size() == 1
                                ? "conflict with " + manager.text() + ": " + fields.get(0)
                                : "conflicts with " + manager.text() + ":\n- " + String.join("\n- ", fields));
            });
            String count = causes.size() == 1 ? "1 conflict" : causes.size() + " conflicts";
            return StatusError.applyConflict("Apply failed with " + count + ": " + String.join("\n", texts), causes);
        }
    }

    /** Merges applied fields into an object: maps by name, lists with keys by keys, other values as a whole. */
    static final class ApplyMerge {
        private ApplyMerge() {}

        /**
         * The merged value.
         *
         * @param field the name of the field
         * @param present changed in place and returned if possible
         */
        static JsonNode merge(String field, JsonNode present, JsonNode applied) {
            if (present instanceof ObjectNode object && applied.isObject() && !ListSchema.isAtomic(field)) {
                for (Map.Entry<String, JsonNode> member : applied.properties()) {
                    String name = member.getKey();
                    object.set(name, merge(name, object.path(name), member.getValue()));
                }
                return object;
            }
            if (present instanceof ArrayNode list && applied.isArray() && !list.isEmpty()) {
                return mergeLists(field, list, applied);
            }
            return applied;
        }

        private static JsonNode mergeLists(String field, ArrayNode present, JsonNode applied) {
            ArrayNode merged = Json.array().addAll(present);
            for (JsonNode item : applied) {
                Optional<ObjectNode> key = ListSchema.key(field, item);
                String step = ListSchema.isSet(field)
                        ? "v:" + item
                        : key.map(k -> "k:" + k).orElse("");
                if (step.isEmpty()) {
                    return applied;
                }
                int at = 0;
                while (at < merged.size() && !FieldSet.isItem(field, merged.get(at), step)) {
                    at++;
                }
                if (at < merged.size()) {
                    merged.set(at, merge("", merged.get(at), item));
                } else {
                    merged.add(item);
                }
            }
            return merged;
        }
    }

    /** The {@code metadata.managedFields} of one object while a request changes it (apimachinery util/managedfields). */
    static final class ManagedFields {
        /** A manager; each operation and subresource of a name is a manager of its own. */
        record Manager(String name, String operation, String subresource, String apiVersion) {
            static Manager of(JsonNode entry) {
                return new Manager(
                        Json.text(entry, "manager"),
                        Json.text(entry, "operation"),
                        Json.text(entry, "subresource"),
                        Json.text(entry, "apiVersion"));
            }

            /** The name in error messages. */
            String text() {
                // An applying manager has one version of a field set only.
                return "\"" + name + "\"" + (subresource.isEmpty() ? "" : " with subresource \"" + subresource + "\"")
                        + (operation.equals("Update") ? " using " + apiVersion : "");
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

        /** Removes fields from all managers but one. */
        void removeFromOthers(Manager from, Set<List<String>> fields) {
            others(from).values().forEach(present -> present.removeAll(fields));
        }

        /** Removes fields that no longer exist. */
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
                    entry.set("fieldsV1", FieldSet.fieldsV1(fields));
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

    /**
     * Fields of an object, each a path of steps as in {@code fieldsV1}: {@code f:NAME} for a member, {@code k:KEYS} for an item of a
     * list with keys, {@code v:VALUE} for one of a set, and a last {@code .} for an item itself.
     */
    private static final class FieldSet {
        private static final String ITSELF = ".";

        private FieldSet() {}

        /** All fields of an object with their values. */
        static Map<List<String>, JsonNode> of(JsonNode object) {
            Map<List<String>, JsonNode> fields = new LinkedHashMap<>();
            collect(ImmutableList.of(), "", object, fields);
            return fields;
        }

        private static void collect(
                List<String> path, String field, JsonNode value, Map<List<String>, JsonNode> fields) {
            if (value.isObject() && !value.isEmpty() && !ListSchema.isAtomic(field)) {
                for (Map.Entry<String, JsonNode> member : value.properties()) {
                    collect(withElement(path, "f:" + member.getKey()), member.getKey(), member.getValue(), fields);
                }
            } else if (value.isArray() && ListSchema.isSet(field)) {
                value.forEach(item -> fields.put(withElement(path, "v:" + item), item));
            } else if (value.isArray() && !value.isEmpty() && hasKeys(field, value)) {
                for (JsonNode item : value) {
                    ObjectNode key = ListSchema.key(field, item).orElseThrow();
                    List<String> at = withElement(path, "k:" + key);
                    fields.put(withElement(at, ITSELF), key);
                    collect(at, "", item, fields);
                }
            } else {
                fields.put(path, value);
            }
        }

        private static boolean hasKeys(String field, JsonNode list) {
            for (JsonNode item : list) {
                if (ListSchema.key(field, item).isEmpty()) {
                    return false;
                }
            }
            return true;
        }

        static List<String> withElement(List<String> path, String step) {
            return ImmutableList.<String>builder().addAll(path).add(step).build();
        }

        /** Parses {@code fieldsV1}. */
        static Set<List<String>> parse(JsonNode fieldsV1) {
            Set<List<String>> paths = new LinkedHashSet<>();
            parse(ImmutableList.of(), fieldsV1, paths);
            return paths;
        }

        private static void parse(List<String> path, JsonNode tree, Set<List<String>> paths) {
            if (tree.isEmpty() && !path.isEmpty()) {
                paths.add(path);
            }
            tree.properties().forEach(child -> parse(withElement(path, child.getKey()), child.getValue(), paths));
        }

        /** Returns {@code fieldsV1}. */
        static ObjectNode fieldsV1(Set<List<String>> paths) {
            ObjectNode root = Json.object();
            for (List<String> path : paths) {
                ObjectNode at = root;
                for (String step : path) {
                    at = Json.child(at, step);
                }
            }
            return root;
        }

        /** A field in error messages: {@code .spec.containers[name="web"].image}. */
        static String text(List<String> path) {
            StringBuilder text = new StringBuilder();
            for (String step : path) {
                if (step.startsWith("f:")) {
                    text.append('.').append(step.substring(2));
                } else if (step.startsWith("k:")) {
                    StringBuilder keys = new StringBuilder();
                    json(step.substring(2))
                            .properties()
                            .forEach(key -> keys.append(keys.isEmpty() ? "" : ",")
                                    .append(key.getKey())
                                    .append('=')
                                    .append(key.getValue()));
                    text.append('[').append(keys).append(']');
                } else if (step.startsWith("v:")) {
                    text.append('[').append(step.substring(2)).append(']');
                }
            }
            return text.toString();
        }

        /** Removes a field from an object, and the containers that become empty. */
        static void remove(ObjectNode object, List<String> path) {
            removeFrom(object, "", path);
        }

        private static void removeFrom(JsonNode node, String field, List<String> path) {
            String step = path.get(0);
            boolean last = path.size() == 1 || (path.size() == 2 && path.get(1).equals(ITSELF));
            if (node instanceof ObjectNode object && step.startsWith("f:")) {
                String name = step.substring(2);
                if (last) {
                    object.remove(name);
                } else {
                    removeFrom(object.path(name), name, path.subList(1, path.size()));
                    if (object.path(name).isContainerNode() && object.path(name).isEmpty()) {
                        object.remove(name);
                    }
                }
            } else if (node.isArray()) {
                for (int i = 0; i < node.size(); i++) {
                    if (isItem(field, node.get(i), step)) {
                        if (last) {
                            ((ArrayNode) node).remove(i);
                        } else {
                            removeFrom(node.get(i), "", path.subList(1, path.size()));
                        }
                        return;
                    }
                }
            }
        }

        /** Whether a step refers to this item of a list. */
        static boolean isItem(String field, JsonNode item, String step) {
            if (step.startsWith("v:")) {
                return item.toString().equals(step.substring(2));
            }
            Optional<ObjectNode> key = ListSchema.key(field, item);
            return key.isPresent() && step.equals("k:" + key.get());
        }

        private static JsonNode json(String text) {
            try {
                return Json.parse(text.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        static JsonNode missing() {
            return MissingNode.getInstance();
        }
    }
}
