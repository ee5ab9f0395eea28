package io.policyscheduler.cmd.embedded.fields;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Sets;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.fields.ManagedFields.Manager;
import io.policyscheduler.cmd.embedded.request.ApiRequest;
import io.policyscheduler.cmd.embedded.request.ResourceRequest;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Keeps {@code metadata.managedFields}: a manager owns what it last applied or changed. What controllers and kubelets of this
 * server write has no owner.
 */
public final class FieldOwners {
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
     * @param tracking whether plain writes are remembered too, which takes time and room for each object
     */
    public FieldOwners(boolean tracking, Clock clock) {
        this.tracking = tracking;
        this.clock = clock;
    }

    /** The new object with its creator as the owner of all that it brought along. */
    public ObjectNode afterCreate(ResourceRequest target, ApiRequest request, ObjectNode object) {
        return tracking ? afterUpdate(target, request, Json.object(), object) : object;
    }

    /** The changed object, with the fields that are new or other ones owned by who sent the request. Returns {@code next}. */
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
        managed.take(manager, changed);
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
     * Carries a server-side apply out: what is applied is merged in, and what this manager applied before and no longer does goes.
     *
     * @param present the object, empty when it is to be created; may be changed
     * @param applied what the request brings, without kind and apiVersion
     * @return the object that is wanted, with its owners in {@code metadata.managedFields}
     * @throws StatusError a conflict, when others own fields to which other values are given, and force is not asked for
     */
    public ObjectNode apply(ResourceRequest target, ApiRequest request, ObjectNode present, ObjectNode applied) {
        if (request.parameter("fieldManager").isEmpty()) {
            throw StatusError.badRequest(
                    "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch");
        }
        Manager manager = manager(target, request, "Apply");
        ManagedFields managed = new ManagedFields(present);
        Map<List<String>, JsonNode> wanted = fields(applied);
        Map<List<String>, JsonNode> found = fields(present);
        Map<Manager, Set<List<String>>> conflicts = new LinkedHashMap<>();
        managed.others(manager).forEach((other, fields) -> {
            Set<List<String>> both = new LinkedHashSet<>(Sets.intersection(fields, wanted.keySet()));
            both.removeIf(path -> wanted.getOrDefault(path, FieldSet.missing()).equals(found.get(path)));
            if (!both.isEmpty()) {
                conflicts.put(other, both);
            }
        });
        if (!conflicts.isEmpty() && !request.flag("force")) {
            throw ApplyConflict.of(conflicts);
        }
        conflicts.values().forEach(paths -> managed.take(manager, paths));
        Set<List<String>> dropped = new LinkedHashSet<>(managed.of(manager));
        dropped.removeAll(wanted.keySet());
        managed.others(manager).values().forEach(dropped::removeAll);
        dropped.forEach(path -> FieldSet.remove(present, path));
        ObjectNode merged = (ObjectNode) ApplyMerge.merge("", present, applied);
        managed.set(manager, wanted.keySet(), Json.time(clock.instant()));
        managed.write(merged);
        return merged;
    }
}
